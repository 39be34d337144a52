"""Pages that OCR reads bring their time, so many as may be; who never ends is ended all the same."""

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import sandbox
from ragstone.extraction.sandbox import allowance
from ragstone.extraction.sandbox.child import GarbledError, _Exchange
from ragstone.extraction.sandbox.document_limits import Bounds
from ragstone.extraction.sandbox.messages import ANSWER, MADE, PAGE

COUNTED, ENDLESS = "tests.extraction.sandbox.paged:counted", "tests.extraction.sandbox.paged:endless"


def granted(bounds: Bounds, **options: object) -> object:
    return sandbox.get_shared().run(COUNTED, b"data", path="a.pdf", options=options, bounds=bounds).meta["granted"]


def test_each_page_brings_its_time_and_no_more_pages_than_may_be() -> None:
    # All of it takes 3 s: more than a document has that asks for no page.
    bounds = Bounds(cpu_seconds=1, cpu_seconds_per_mb=0, pages=6, page_seconds=1)
    assert granted(bounds, pages=9, seconds=0.5) == 6
    with pytest.raises(Refused) as refused:
        granted(Bounds(cpu_seconds=1, cpu_seconds_per_mb=0, pages=6, page_seconds=0), pages=9, seconds=0.5)
    assert refused.value.reason == "too_slow"


def test_one_that_never_ends_is_ended_and_told_of_with_its_pages_time() -> None:
    bounds = Bounds(cpu_seconds=1, cpu_seconds_per_mb=0, pages=500, page_seconds=1)
    with pytest.raises(Refused) as refused:
        sandbox.get_shared().run(ENDLESS, b"data", path="a.pdf", bounds=bounds)
    assert refused.value.reason == "too_slow"
    assert "more than 2 seconds" in str(refused.value)
    assert "limits.seconds" in str(refused.value)


def test_without_limits_every_page_may_be_read() -> None:
    assert allowance.request_page()
    with allowance.allow_pages(lambda: False):
        assert not allowance.request_page()
    assert allowance.request_page()


def test_a_document_has_its_pages_anew() -> None:
    bounds = Bounds(pages=2)
    assert [granted(bounds, pages=3) for _ in range(2)] == [2, 2]


def talk(pages: int) -> _Exchange:
    return _Exchange([], number=1, most=100, pages=pages)


def test_a_child_cannot_have_more_time_than_pages() -> None:
    page = ANSWER.pack(PAGE, False, 1, 0)
    heard = talk(2)
    for _ in range(2):
        heard.receive(page)
    assert heard.pages == 2
    assert not heard.is_complete
    with pytest.raises(GarbledError):
        heard.receive(page)


@pytest.mark.parametrize("head", [ANSWER.pack(PAGE, False, 1, 5), ANSWER.pack(PAGE, True, 1, 0)])
def test_a_page_says_nothing_else(head: bytes) -> None:
    heard = talk(5)
    with pytest.raises(GarbledError):
        heard.receive(head)


def test_the_answer_behind_pages_is_heard() -> None:
    heard = talk(5)
    heard.receive(ANSWER.pack(PAGE, False, 1, 0))
    heard.receive(ANSWER.pack(MADE, False, 1, 3))
    heard.receive(b"yes")
    assert heard.is_complete
    assert bytes(heard.answer) == b"yes"
