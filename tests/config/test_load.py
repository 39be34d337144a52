"""Settings come from file, environment and arguments, and say what is wrong by its name."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.config import environment
from ragstone.config.environment import is_debugging
from ragstone.config.load import load
from ragstone.config.model_settings import EmbedSettings, LlmSettings
from ragstone.config.settings import Settings, SourceSettings
from ragstone.core.errors import ConfigError

NOBODY = 65534


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
    found = load()
    assert found.store == "embedded:.ragstone"
    assert found.search.top_k == 10
    assert found.embed.model == "minilm"


def test_the_file_of_this_folder_is_found(folder: Path) -> None:
    written(folder, "collection: manuals\nsources: [docs, {path: wiki, ignore: ['*.tmp']}]\n")
    found = load()
    assert found.collection == "manuals"
    assert found.sources == (SourceSettings("docs"), SourceSettings("wiki", ignore=("*.tmp",)))


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


def test_a_comment_may_speak_of_variables_that_are_not_set(folder: Path) -> None:
    written(folder, "# store: ${UNSET}\nstore: here # or ${UNSET}\n")
    assert load().store == "here"


def test_what_a_variable_holds_never_becomes_structure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "a: b\ncollection: c # [x, {y: *z}] 'q\" \\ %d ${OTHER}"
    monkeypatch.setenv("PLACE", hostile)
    for text in ("store: ${PLACE}\n", "store: '${PLACE}'\n", 'store: "${PLACE}"\n', "{store: ${PLACE}}\n"):
        written(folder, text)
        assert load().store == hostile
        assert load().collection == "default"
    written(folder, "sources: [{path: a, ignore: [${PLACE}, 'x${PLACE}']}]\n")
    assert load().sources == (SourceSettings("a", ignore=(hostile, "x" + hostile)),)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_any_value_of_a_variable_arrives_as_it_is(folder: Path, value: str) -> None:
    written(folder, "store: x${PLACE}\ncollection: same\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLACE", value)
        assert load() == replace(Settings(), store="x" + value, collection="same")


def test_a_value_that_is_one_variable_has_the_type_that_is_wanted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = "chunk: {name: recursive, options: {size: ${SIZE:-100}}}\n"
    search = "search: {top_k: ${K:-5}, fold: ${FOLD:-false}, min_cosine: ${COSINE:-}}\n"
    written(folder, options + search + "collection: ${NAME:-7}\n")
    found = load()
    assert (found.search.top_k, found.search.fold, found.search.min_cosine) == (5, False, None)
    assert (found.chunk.options, found.collection) == ({"size": 100}, "7")
    monkeypatch.setenv("K", "8")
    monkeypatch.setenv("COSINE", "0.5")
    assert (load().search.top_k, load().search.min_cosine) == (8, 0.5)
    monkeypatch.setenv("RAGSTONE_CHUNK__OPTIONS__SIZE", "300")
    assert load().chunk.options == {"size": 300}


@pytest.mark.parametrize(
    "text",
    [
        "store: ${PLACE",
        "store: embedded:${PLACE/kb",
        "store: ${PLACE${OTHER:-x}",
        "store: '${PLACE'",
        "store: ${PLACE:-kb\ncollection: ${NAME:-x}",
        "store: ${PLACE:-${OTHER:-x}}",
        "store: ${PLACE-kb}",
        "store: ${PLACE:?set it}",
        "sources: [{path: docs, ignore: ['${PLACE']}]",
    ],
)
def test_what_is_meant_as_a_variable_and_is_none_is_named_with_its_line(folder: Path, text: str) -> None:
    file = written(folder, f"# ${{COMMENT\noffline: true # ${{ANOTHER\n\n{text}\n")
    with pytest.raises(ConfigError) as error:
        load()
    said = "is no variable: write ${NAME} or ${NAME:-default}, closed in the same line"
    assert str(error.value) == f"{file.name}, line 4: ${{PLACE… {said}"


def test_other_dollars_and_braces_stay_as_they_are(folder: Path) -> None:
    text = "costs $5, {x} $NAME ${ } ${1} ${user.name} $ {x} }"
    written(folder, f"store: '{text}' # ${{OPEN\n# ${{OPEN:-x\n")
    assert load().store == text


def test_a_variable_in_a_key_is_refused(folder: Path) -> None:
    written(folder, "collections: {a${NAME}: {}}\n")
    with pytest.raises(ConfigError, match="not in keys"):
        load()


def test_a_collection_has_its_own_settings(folder: Path) -> None:
    written(folder, "keep_versions: 2\ncollections: {a: {sources: [z], embed: {model: none}}}\n")
    found = load().of("a")
    assert (found.embed.model, found.keep_versions, found.sources[0].path) == ("none", 2, "z")
    assert load().of("b").embed.model == "minilm"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serch: {}", "unknown key serch; did you mean search"),
        ("search: {topk: 3}", r"unknown key search\.topk; did you mean top_k"),
        ("search: {top_k: abc}", r"invalid search\.top_k 'abc': expected a whole number$"),
        ("search: {mode: fuzzy}", r"unknown search\.mode 'fuzzy': expected one of hybrid, semantic, keyword"),
        ("answer: {abstain: [x]}", r"unknown answer\.abstain \['x'\]: expected one of fitted, thresholds, never"),
        ("search: 3", "invalid search: expected a mapping"),
        ("collections: {a: {sources: [{pth: x}]}}", r"collections\.a\.sources\[0\]\.pth; did you mean path"),
        ("- a list", "must be a mapping"),
        ("collections: [a]", "invalid collections: expected a mapping of keys"),
        ("collections: {a: 0}", r"invalid collections\.a: expected a mapping of keys"),
        ("sources: docs", "invalid sources: expected a list, with entries such as - path: …"),
        ("sources: {path: docs}", "invalid sources: expected a list"),
        ("sources: [{name: x}]", r"sources\[0\]: path is missing$"),
        ("chunk: {options: {size: many}}", r"invalid chunk\.options: expected a whole number in each entry$"),
        ("embed: {model: 4}", r"invalid embed\.model 4: expected a text"),
        ("search: {fold: often}", r"invalid search\.fold 'often': expected true or false"),
        ("collection: 2024-13-45", "cannot be read"),
        ("a: &a [*a]", "cannot be read"),
        ("limits: {removals: 7}", r"invalid limits\.removals 7\.0: expected a number from 0 to 1"),
        ("limits: {removals: .nan}", r"invalid limits\.removals nan"),
        ("limits: {text_bytes: -1}", r"invalid limits\.text_bytes -1"),
        ("limits: {chunks: 0}", r"invalid limits\.chunks 0: .*, or left out"),
        ("keep_versions: 0", "ragstone.yaml: invalid keep_versions 0: expected a whole number from 1"),
        ("collections: {a: {keep_versions: -1}}", r"invalid collections\.a\.keep_versions -1"),
        ("search: {top_k: 0}", r"invalid search\.top_k 0: expected a whole number from 1 to 1000"),
        ("search: {bm25_weight: -1}", r"invalid search\.bm25_weight -1"),
        ("search: {cosine_weight: .inf}", r"invalid search\.cosine_weight inf"),
        ("search: {min_cosine: 2}", r"invalid search\.min_cosine 2"),
        ("search: {per_document: 0}", r"invalid search\.per_document 0"),
        ("a: [", "ragstone.yaml cannot be read: line 1, column 5: while parsing a flow node"),
        ("[" * 5000, "cannot be read: it nests too deep"),
        ("collection: " + "9" * 5000, "cannot be read: "),
        ("# " + "x" * 1_000_000, "cannot be read: it has more than 1,000,000 bytes"),
        ("store: a\ntenant: b\nstore: c\n", "cannot be read: duplicate key 'store', again in line 3"),
        ("search: {top_k: 3, fold: true, top_k: 4}", "duplicate key 'top_k', again in line 1"),
        ("sources: [{path: a, path: b}]", "duplicate key 'path'"),
        ("sources: [5]", r"invalid sources\[0\]: expected a path, or a mapping of keys"),
        ("store: \ue0007\ue001", "cannot be read: it holds the private characters"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_file(folder: Path, text: str, message: str) -> None:
    file = written(folder, text)
    with pytest.raises(ConfigError, match=message) as raised:
        load()
    assert file.name in str(raised.value)


def test_one_key_in_two_groups_stands_in_each_once(folder: Path) -> None:
    written(folder, "sources: [&a {path: x, name: n}, {path: y, name: m}]\nchunk: {name: bounded}\n")
    assert [source.name for source in load().sources] == ["n", "m"]


@pytest.mark.parametrize(("name", "message"), [("nowhere.yaml", r"nowhere\.yaml does not exist"), ("", "'' does not")])
def test_a_named_file_must_exist(folder: Path, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(name)


def test_a_file_without_text_sets_nothing_wherever_it_lies(folder: Path) -> None:
    assert load(os.devnull) == Settings()


def test_a_folder_in_place_of_the_file_is_named(folder: Path) -> None:
    (folder / "ragstone.yaml").mkdir()
    for name in (None, "ragstone.yaml"):
        with pytest.raises(ConfigError, match=r"ragstone\.yaml is a folder"):
            load(name)


def test_a_link_that_leads_nowhere_is_named(folder: Path) -> None:
    (folder / "ragstone.yaml").symlink_to("gone.yaml")
    with pytest.raises(ConfigError, match=r"ragstone\.yaml cannot be read: No such file"):
        load()


def test_a_folder_that_may_not_be_searched_holds_no_configuration(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(closed / "config"))
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)  # nothing is closed to root
    try:
        with pytest.raises(PermissionError):
            (closed / "config").lstat()
        found = load()
        with pytest.raises(ConfigError, match=r"c\.yaml cannot be reached: Permission denied"):
            load(closed / "c.yaml")
    finally:
        if root:
            os.seteuid(0)
    assert found == Settings()


@pytest.mark.parametrize(
    ("value", "on"), [("1", True), ("yes", True), ("0", False), ("false", False), ("No", False), ("", False)]
)
def test_debugging_is_off_for_a_value_that_says_so(monkeypatch: pytest.MonkeyPatch, value: str, on: bool) -> None:
    monkeypatch.setenv("RAGSTONE_DEBUG", value)
    assert is_debugging() is on


def test_a_setting_below_something_that_is_no_group_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "search:\nsources:\n")
    assert load() == Settings()
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "4")
    assert load().search.top_k == 4
    with pytest.raises(ConfigError, match="store is not a group of settings"):
        load(store="here", store__place="x")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("RAGSTONE_SERACH__TOP_K", "RAGSTONE_SEARCH__TOP_K"),
        ("RAGSTONE_SEARCH__TOPK", "RAGSTONE_SEARCH__TOP_K"),
        ("RAGSTONE_STORE__PLACE", "RAGSTONE_STORE"),
        ("RAGSTONE_SEARCH", "RAGSTONE_SEARCH__"),
    ],
)
def test_a_variable_that_sets_nothing_is_named_with_the_nearest_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, "secret value")
    with pytest.raises(ConfigError, match=f"unknown setting {name}; did you mean {near}") as raised:
        load()
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RAGSTONE_SEARCH_TOP_K", "did you mean RAGSTONE_SEARCH__TOP_K? Ragstone ignores it"),
        ("RAGSTONE_STROE", "did you mean RAGSTONE_STORE? Ragstone ignores it"),
        ("RAGSTONE_WEATHER", "`ragstone config show` prints all settings. Ragstone ignores it"),
        ("RAGSTONE_", "`ragstone config show` prints all settings. Ragstone ignores it"),
    ],
)
def test_a_variable_of_another_program_is_ignored_with_a_warning(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, hint: str
) -> None:
    monkeypatch.setattr(environment, "ignored_variables", [])  # the next command would show what is left there
    environment._log_once.cache_clear()  # another test may have named it
    monkeypatch.setenv(name, "secret value")
    assert load() == load() == Settings()
    [message] = [record.message for record in caplog.records]
    assert message == f"environment: unknown setting {name}; {hint}"
    assert "secret" not in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("search: {profile: zebra}", "unknown profile 'zebra'; expected one of: balanced, decisions_recent"),
        ("preset: zebra", "unknown preset 'zebra'; there are: company, library"),
        ("zebra: 1", "unknown key zebra; known here: "),
        ("search: {zebra: 1}", r"unknown key search\.zebra; known here: "),
    ],
)
def test_a_name_that_is_unlike_all_is_not_taken_for_a_slip(folder: Path, text: str, said: str) -> None:
    written(folder, f"{text}\n")
    with pytest.raises(ConfigError, match=said) as error:
        load()
    assert "did you mean" not in str(error.value)


def test_names_of_others_with_our_prefix_are_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["DEBUG", "TEST_POSTGRES", "SERVICE_HOST", "SERVICE_PORT_HTTP", "PORT", "PORT_6334_TCP_ADDR"]
    for name in names:
        monkeypatch.setenv(f"RAGSTONE_{name}", "1")
    assert load() == Settings()


def test_an_error_names_the_layer_that_it_comes_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "collection: manuals\n")
    with pytest.raises(ConfigError, match=r"^arguments: invalid search\.top_k 0"):
        load(search__top_k=0)
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "0")
    with pytest.raises(ConfigError, match=r"^environment: RAGSTONE_SEARCH__TOP_K: invalid search\.top_k 0"):
        load()
    monkeypatch.setenv("RAGSTONE_LIMITS__SECONDS", "soon")
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "3")
    with pytest.raises(ConfigError, match=r"^environment: RAGSTONE_LIMITS__SECONDS: invalid limits\.seconds 'soon'"):
        load()


OF_ONE = """
embed: {model: none}
keep_versions: 2
tenants:
  acme:
    embed: {model: openai/text-embedding-3-small, api_key: theirs, base_url: "http://127.0.0.1:1", dimensions: 256}
    collections:
      own: {embed: {precision: fp32}, keep_versions: 3}
collections:
  kept: {keep_versions: 4}
pipelines:
  - {name: both, collections: [kept], embed: {precision: fp32}}
"""


def test_what_stands_above_the_file_holds_for_every_tenant_and_collection(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder, OF_ONE)
    assert load(tenant="acme").of("default").embed.model == "openai/text-embedding-3-small"
    for argument in ({"embed__model": "fastembed/x"}, {"embed": {"model": "fastembed/x"}}):
        named = load(tenant="acme", **argument)
        assert [named.of(name).embed.model for name in ("default", "own", "kept")] == ["fastembed/x"] * 3
        assert named.pipelines[0].embed == EmbedSettings(precision="fp32")
    monkeypatch.setenv("RAGSTONE_KEEP_VERSIONS", "9")
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "minilm")
    found = load(tenant="acme")
    assert [found.of(name).keep_versions for name in ("default", "own", "kept")] == [9, 9, 9]
    assert found.of("own").embed == EmbedSettings(precision="fp32")
    monkeypatch.setenv("RAGSTONE_TENANTS__ACME__EMBED__MODEL", "none")
    assert [load(tenant=name).of("default").embed.model for name in ("acme", "rival")] == ["none", "minilm"]
    assert load(tenant="acme", embed__model="minilm").of("default").embed.model == "minilm"


def test_a_model_that_is_named_above_the_file_gets_nothing_of_another_vendors(folder: Path) -> None:
    written(folder, OF_ONE)
    other = load(tenant="acme", embed__model="voyage/voyage-3.5").of("default").embed
    assert other == EmbedSettings("voyage/voyage-3.5")
    same_vendor = load(tenant="acme", embed__model="openai/text-embedding-3-large").of("default").embed
    assert (same_vendor.api_key, same_vendor.base_url, same_vendor.dimensions) == ("theirs", "http://127.0.0.1:1", None)
    as_it_is = load(tenant="acme", embed__model="openai/text-embedding-3-small").of("default").embed
    assert (as_it_is.api_key, as_it_is.dimensions) == ("theirs", 256)


def test_a_language_model_that_is_named_above_the_file_gets_nothing_of_another_vendors(folder: Path) -> None:
    """Neither that at the top nor that of a tenant, which it outranks as well."""
    said = '{model: openai/gpt-x, api_key: theirs, base_url: "http://127.0.0.1:1", context: 4096, max_tokens: 99}'
    written(folder, f"llm: {said}\ntenants: {{acme: {{llm: {said}}}}}")
    for tenant in ("acme", "rival"):
        other = load(tenant=tenant, llm__model="anthropic/x").of("default").llm
        assert other == LlmSettings("anthropic/x", max_tokens=99)
        same_vendor = load(tenant=tenant, llm__model="openai/other").of("default").llm
        assert (same_vendor.api_key, same_vendor.context) == ("theirs", None)
        assert load(tenant=tenant, llm__model="none").of("default").llm.model == "none"


def test_former_names_still_name_what_they_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text("answer: {abstain: company}")
    assert load(tmp_path / "own.yaml").answer.abstain == "thresholds"
    monkeypatch.setenv("RAGSTONE_ANSWER__ABSTAIN", "company")
    assert load().answer.abstain == load(answer__abstain="company").answer.abstain == "thresholds"
