"""Sentences of comments in code, each with the declaration that it is about."""

from pathlib import Path

import pytest

import ragstone
from ragstone.answering.extractive.code_comments import find_comment_sentences
from ragstone.answering.extractive.passages import split_passages
from ragstone.core.types import join_slices
from ragstone.testing import BagOfWords
from tests.answering.made import hit

SOURCES = {
    "python": '''def fetch(address, patience=5):
    """Ask the register for an address.

    By default the register is asked once; it is never asked again after a refusal.

    :param patience: seconds to wait for the first byte
    """
    # A slow register is no error: callers decide.
    return ask(address)
''',
    "go": """// Run starts the daemon.
// It stops after five idle minutes.
func (d *Daemon) Run() error {
\treturn d.loop() // forever
}
""",
    "javascript": """/**
 * Narrows a range to the versions that exist.
 * @param {string} range as a person writes it
 */
function narrow (range) {
  return range
}
""",
    "sql": """-- Samples older than a year are archived by the nightly job.
CREATE TABLE samples (id integer, taken date);
""",
    "shell": """#!/bin/sh
# Copies the archive to the second site.
rsync -a archive/ second:/archive
""",
}
SAID = {
    "python": [
        ("Ask the register for an address.", "def fetch(address, patience=5):"),
        (
            "By default the register is asked once; it is never asked again after a refusal.",
            "def fetch(address, patience=5):",
        ),
        (":param patience: seconds to wait for the first byte", "def fetch(address, patience=5):"),
        ("A slow register is no error: callers decide.", "def fetch(address, patience=5):"),
    ],
    "go": [
        ("Run starts the daemon.", "func (d *Daemon) Run() error {"),
        ("It stops after five idle minutes.", "func (d *Daemon) Run() error {"),
    ],
    "javascript": [
        ("Narrows a range to the versions that exist.", "function narrow (range) {"),
        ("@param {string} range as a person writes it", "function narrow (range) {"),
    ],
    "sql": [
        (
            "Samples older than a year are archived by the nightly job.",
            "CREATE TABLE samples (id integer, taken date);",
        )
    ],
    "shell": [("Copies the archive to the second site.", "rsync -a archive/ second:/archive")],
}


CUT_CODE = """\
    elif not (
        isinstance(wait, Unset)
        or isinstance(pool, Unset)
    ):
        self.wait = wait
    else:
        raise ValueError(
            "The line must have a limit, or "
            "all four must."
        )
"""


@pytest.mark.parametrize("language", SOURCES)
def test_the_sentences_of_comments_are_found_with_their_declarations(language: str) -> None:
    text = SOURCES[language]
    found = [
        (text[one.start : one.end], text[slice(*one.declaration)] if one.declaration else None)
        for one in find_comment_sentences(text)
    ]
    assert found == SAID[language]


@pytest.mark.parametrize(
    "text",
    [
        '    The register is asked once.\n    It is never asked again.\n    """\n    return ask(address)\n',
        " * The register is asked once.\n * It is never asked again.\n */\nfunction fetch () {}\n",
        "    The register is asked once.\n    It is never asked again.\n",
    ],
)
def test_a_chunk_may_begin_within_a_comment(text: str) -> None:
    found = [text[one.start : one.end] for one in find_comment_sentences(text)]
    assert found == ["The register is asked once.", "It is never asked again."]


@pytest.mark.parametrize(
    "text",
    [
        "#include <stdio.h>\n#define LIMIT 4\n",
        "    return os.path.join(folder, app_name)\n    if force_posix:\n        return None\n",
        'x = """a b c d"""\n',
        CUT_CODE,
        "",
    ],
)
def test_code_has_no_sentences(text: str) -> None:
    assert find_comment_sentences(text) == []


def test_the_time_grows_with_the_length_alone() -> None:
    for unit in ("# a b c d\n", "\n", '"""\n', "f(\n", "/* a b c\n", ":param x: y z\n"):
        assert len(find_comment_sentences(unit * 20_000)) <= 20_000


def test_a_line_without_words_is_no_sentence() -> None:
    [pieces] = split_passages([hit("It is kept by hash.\n\ntool/run.py,sha256=Kd83k2,4417\n\nThe tool runs at night.")])
    assert [piece.form for piece in pieces] == ["sentence", "noise", "sentence"]


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "register.py").write_text(SOURCES["python"], encoding="utf-8")
    (folder / "daemon.go").write_text(SOURCES["go"], encoding="utf-8")
    return folder


def test_an_answer_from_code_is_its_comment_below_the_declaration(code: Path, tmp_path: Path) -> None:
    with ragstone.open(tmp_path / "store", embedder=BagOfWords(), answer__abstain="never") as kb:
        kb.ingest(code)
        asked = kb.ask("Is the register asked again after a refusal?")
        [first, *_] = asked.sentences
        assert first.text.splitlines() == [
            "def fetch(address, patience=5):",
            "By default the register is asked once; it is never asked again after a refusal.",
        ]
        [cited, *_] = asked.citations
        assert cited.status == "verified"
        assert join_slices(SOURCES["python"], cited.spans) == cited.quote
        assert [span.line_start for span in cited.spans] == [1, 4]
        asked = kb.ask("After how many idle minutes does the daemon stop?")
        assert "func (d *Daemon) Run() error {" in asked.text
        assert "It stops after five idle minutes." in asked.text
        assert "//" not in asked.text
