"""Work past its limit is refused with the message it was given."""

import asyncio
import threading
import time

import pytest

from ragstone.core import work_limit
from ragstone.core.errors import Refused
from ragstone.core.work_limit import check_work, end_work_with_caller, limit_work
from tests.patience import HANG


def test_without_a_limit_all_work_goes_on() -> None:
    check_work()


def test_past_its_limit_it_is_refused_and_behind_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(work_limit, "time", type("Clock", (), {"thread_time": lambda: now[0]}))
    with limit_work(2.0, "a.md took too long"):
        now[0] = 2.0
        check_work()
        now[0] = 2.1
        with pytest.raises(Refused, match=r"a\.md took too long") as refused:
            check_work()
    assert refused.value.reason == "too_slow"
    check_work()


def test_waiting_is_no_work() -> None:
    with limit_work(0.02, "too long"):
        time.sleep(0.05)
        check_work()


async def test_work_that_nobody_waits_for_ends() -> None:
    begun, over = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        try:
            while True:
                check_work()
        finally:
            over.set()

    async def call() -> None:
        with end_work_with_caller():
            await asyncio.to_thread(work)

    task = asyncio.create_task(call())
    await asyncio.to_thread(begun.wait)
    task.cancel()
    assert await asyncio.to_thread(over.wait, HANG)
    check_work()
