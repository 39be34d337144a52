"""Every preset loads, says what stands in, and gives way to whatever the user says."""

from pathlib import Path

import pytest

from ragstone.config.environment import use_preset
from ragstone.config.load import describe_stand_ins, load
from ragstone.config.presets import PRESETS
from ragstone.core.errors import ConfigError
from tests.commands import Run


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_loads_with_and_without_its_services(name: str, run: Run) -> None:
    settings = load(preset=name)
    assert settings.preset == name
    assert describe_stand_ins(settings)
    assert describe_stand_ins(load(preset=name, services=True)) == ()
    shown = run("config", "show", "--preset", name, "--changed")
    assert f"(preset {name})" in shown.out
    assert "note: " in shown.err


def test_the_file_overrides_a_preset_and_what_it_says_of_a_replaced_model(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "preset: library\nchunk: {name: structure}\nsearch: {top_k: 9}\nembed: {model: none}\n", encoding="utf-8"
    )
    settings = load(file)
    assert (settings.search.top_k, settings.search.min_cosine) == (9, 0.5)
    assert (settings.chunk.name, dict(settings.chunk.options)) == ("structure", {})
    assert not any("nomic" in note for note in describe_stand_ins(settings)), "a part that was replaced has no note"
    with use_preset("company"):
        assert load(file).preset == "company"


def test_the_tables_preset_has_the_numbers_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/kb")
    settings = load(preset="tables")
    [line] = settings.pipelines
    assert (line.database, line.token_budget, line.tables[0].table) == ("postgresql://db/kb", 4000, "documents")
    assert line.search is None or line.search.fusion == "rrf"
    assert (settings.search.fusion, settings.search.top_k, settings.serve.port) == ("rrf", 10, 8080)


def test_a_wrong_name_is_one_sentence_with_the_nearest(run: Run) -> None:
    for arguments in (("--preset", "tabls", "config", "show"), ("search", "x", "--preset", "tabls")):
        done = run(*arguments)
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert "unknown preset 'tabls'; did you mean tables?" in done.err
    with pytest.raises(ConfigError, match="unknown preset"):
        load(preset="x")
