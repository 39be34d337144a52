"""A question in a script that the built-in model never learned is answered by words, on every way to a search."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import ragstone
from ragstone.core.trace import Trace
from ragstone.engine import Engine
from ragstone.retrieval.comparable_vectors import can_read
from ragstone.testing.bag_of_words import BagOfWords

PAGES = {
    "holidays.md": "# 休假制度\n\n每位员工每年享有二十八天带薪年假。未休的假期可以在次年三月三十一日之前使用。\n",
    "passwords.md": "# 信息安全\n\n密码长度至少为十四个字符，每十二个月更换一次。\n",
    "travel.md": "# Командировки\n\nПоездки на своей машине оплачиваются по тридцать копеек за километр.\n",
    "parking.md": "# Parking\n\nThe garage opens at six and closes at ten. Guests park on the first floor.\n",
}
UNREAD = {"密码要多长？": "passwords.md", "Сколько платят за километр поездки?": "travel.md"}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    (tmp_path / "docs").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    pipelines = [{"name": "staff", "collections": ["default"]}]
    async with Engine(ragstone.load(store=f"embedded:{tmp_path}/store", pipelines=pipelines)) as engine:
        await engine.ingest(tmp_path / "docs")
        yield engine


@pytest.mark.parametrize("question", UNREAD)
async def test_a_question_in_another_script_is_searched_by_words(engine: Engine, question: str) -> None:
    for asked in (engine, engine.pipeline("staff")):
        found = await asked.search(question)
        assert found.hits[0].chunk.document.path == UNREAD[question]
        assert [note.code for note in found.notes].count("script_unread") == 1
        assert not any("cosine" in hit.signals for hit in found.hits)
        assert "script_unread" in [note.code for note in (await asked.ask(question)).notes]


@pytest.mark.parametrize("question", ["Where do guests park?", "Parkplatz für Gäste", "Parking 停车"])
async def test_a_question_in_latin_letters_is_searched_by_both(engine: Engine, question: str) -> None:
    found = await engine.search(question)
    assert found.hits[0].chunk.document.path == "parking.md"
    assert "cosine" in found.hits[0].signals
    assert "script_unread" not in [note.code for note in found.notes]


async def test_a_question_in_characters_is_answered_by_those_that_name_its_subject(engine: Engine) -> None:
    answer = await engine.ask("年假有多少天？")
    assert not answer.abstained
    assert "二十八天带薪年假" in answer.text


async def test_who_asks_for_vectors_alone_gets_them(engine: Engine) -> None:
    found = await engine.search(next(iter(UNREAD)), mode="semantic")
    assert found.hits
    assert all("cosine" in hit.signals for hit in found.hits)


def test_a_model_that_says_nothing_of_scripts_is_asked_for_any() -> None:
    trace = Trace()
    assert can_read(BagOfWords(), next(iter(UNREAD)), trace)
    assert not trace.notes
