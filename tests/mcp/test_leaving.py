"""A caller who cancels or goes away stops the work, and work keeps nobody else waiting."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from mcp import Client
from tests.mcp.conftest import Place, call
from tests.mcp.test_http import ACCEPT, connect, post
from tests.mcp.test_stdio import QUESTION, open_session, write
from tests.patience import HANG, until, until_async

# The tool `status` takes as long as its caller waits, and leaves a file when it ends; `list_collections` holds its
# thread until there is the file `go`.
SLOW = """
import asyncio, pathlib, time
from dataclasses import replace
from ragstone.mcp import tools

async def wait(desk, asked):
    pathlib.Path("started").touch()
    try:
        await asyncio.sleep(600)
    finally:
        pathlib.Path("ended").touch()

async def hold(desk, asked):
    pathlib.Path("started").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return {}

slow = {"status": wait, "list_collections": hold}
tools.TOOLS = tuple(replace(tool, run=slow.get(tool.name, tool.run)) for tool in tools.TOOLS)
from ragstone.cli import main
main()
"""
STATUS = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "status", "arguments": {}}}


@pytest.fixture
def slow_place(place: Place, tmp_path: Path) -> Place:
    """Over the same store, with a folder of its own."""
    (tmp_path / "store").symlink_to(place.folder / "store")
    return replace(place, folder=tmp_path, script=SLOW)


async def give_up(client: Client, folder: Path) -> None:
    """Call the slow tool, and cancel when it works."""
    waiting = asyncio.create_task(client.call_tool("status", {}))
    await until_async(lambda: asyncio.to_thread((folder / "started").exists))
    assert not (folder / "ended").exists()
    waiting.cancel()
    await until_async(lambda: asyncio.to_thread((folder / "ended").exists))
    await call(client, "search", query="heron")  # the session goes on


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_that_is_cancelled_over_stdio_ends(slow_place: Place, mode: str) -> None:
    async with Client(slow_place.stdio(), mode=mode) as client:
        await give_up(client, slow_place.folder)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_that_is_cancelled_over_http_ends(slow_place: Place, mode: str) -> None:
    with slow_place.serving() as url:
        async with connect(url, mode=mode) as client:
            await give_up(client, slow_place.folder)


def test_a_caller_who_hangs_up_stops_the_work(slow_place: Place) -> None:
    with slow_place.serving() as url:
        headers = {**ACCEPT, "Mcp-Session-Id": post(url).headers["mcp-session-id"]}
        with httpx2.stream("POST", url, json=STATUS, headers=headers, timeout=HANG):
            until((slow_place.folder / "started").exists)
            assert not (slow_place.folder / "ended").exists()
        until((slow_place.folder / "ended").exists)


def test_a_host_that_closes_its_end_stops_the_work(slow_place: Place) -> None:
    process = slow_place.start()
    open_session(process)
    write(process, STATUS)
    until((slow_place.folder / "started").exists)
    process.communicate(timeout=HANG)
    assert process.returncode == 0
    assert (slow_place.folder / "ended").exists()


def test_a_host_that_is_killed_stops_it(slow_place: Place) -> None:
    """Nobody reads its output any more."""
    with slow_place.start() as process:
        open_session(process)
        assert process.stdout is not None
        process.stdout.close()
        write(process, QUESTION)
        assert process.wait(timeout=HANG) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_call_that_holds_its_thread_keeps_the_protocol_alive(slow_place: Place) -> None:
    process = slow_place.start()
    open_session(process)
    assert process.stdout is not None
    held = {**STATUS, "id": 8, "params": {"name": "list_collections", "arguments": {}}}
    write(process, held)
    until((slow_place.folder / "started").exists)
    write(process, {"jsonrpc": "2.0", "id": 9, "method": "ping"})
    assert json.loads(process.stdout.readline())["id"] == 9
    (slow_place.folder / "go").touch()
    assert json.loads(process.stdout.readline())["id"] == 8
    process.communicate(timeout=HANG)
