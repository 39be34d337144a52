"""Settings come from file, environment and arguments, and say what is wrong by its name."""

from pathlib import Path

import pytest

from ragstone.config import SourceSettings, load
from ragstone.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder without a user's own configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    return tmp_path


def written(folder: Path, text: str) -> Path:
    file = folder / "ragstone.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_a_file_the_defaults_hold(folder: Path) -> None:
    settings = load()
    assert settings.store == "embedded:.ragstone"
    assert settings.search.top_k == 10
    assert settings.embed.model == "minilm"


def test_the_file_of_this_folder_is_found(folder: Path) -> None:
    written(folder, "collection: manuals\nsources: [docs, {path: wiki, ignore: ['*.tmp']}]\n")
    settings = load()
    assert settings.collection == "manuals"
    assert settings.sources == (SourceSettings("docs"), SourceSettings("wiki", ignore=("*.tmp",)))


def test_the_environment_beats_the_file_and_arguments_beat_both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "search: {top_k: 3, fusion: rrf}\n")
    assert load().search.top_k == 3
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "4")
    assert load().search.top_k == 4
    assert load(search__top_k=5).search.top_k == 5
    assert load(search__top_k=5).search.fusion == "rrf"


def test_variables_are_filled_in_with_defaults(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "store: embedded:${PLACE}/${SUB:-kb}\n")
    with pytest.raises(ConfigError, match="PLACE is not set"):
        load()
    monkeypatch.setenv("PLACE", "/data")
    assert load().store == "embedded:/data/kb"


def test_a_collection_has_its_own_settings(folder: Path) -> None:
    written(folder, "keep_versions: 2\ncollections: {a: {sources: [z], embed: {model: none}}}\n")
    settings = load().of("a")
    assert (settings.embed.model, settings.keep_versions, settings.sources[0].path) == ("none", 2, "z")
    assert load().of("b").embed.model == "minilm"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serch: {}", "unknown key serch; did you mean search"),
        ("search: {topk: 3}", r"unknown key search\.topk; did you mean top_k"),
        ("search: {top_k: abc}", r"search: Expected `int`, got `str` - at `\$\.top_k`"),
        ("search: {mode: fuzzy}", "search: Invalid enum value 'fuzzy'"),
        ("search: 3", "search must be a mapping"),
        ("collections: {a: {sources: [{pth: x}]}}", r"collections\.a\.sources\[0\]\.pth; did you mean path"),
        ("- a list", "must be a mapping"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_file(folder: Path, text: str, message: str) -> None:
    file = written(folder, text)
    with pytest.raises(ConfigError, match=message) as raised:
        load()
    assert file.name in str(raised.value)


def test_a_named_file_must_exist(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml does not exist"):
        load("nowhere.yaml")


def test_a_setting_below_something_that_is_no_group_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "search:\n")
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "4")
    assert load().search.top_k == 4
    written(folder, "store: here\n")
    monkeypatch.setenv("RAGSTONE_STORE__PLACE", "x")
    with pytest.raises(ConfigError, match="store is no group of settings"):
        load()
