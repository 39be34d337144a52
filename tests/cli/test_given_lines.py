"""Documents as lines of JSON on stdin."""

import io
import json
import re

import pytest

from ragstone.cli.given_lines import read_lines
from ragstone.core.errors import UsageError
from tests.commands import Run

ZOO = {"path": "a.md", "text": "# Zoo\n\nThe okapi eats löaves.", "meta": {"tags": ["zoo"]}}
WRONG = {
    "{": "stdin, line 1: invalid JSON",
    '{"path": "a.md"}': "stdin, line 1: invalid text: expected text",
    '{"path": "a.md", "txt": "x"}': "stdin, line 1: unknown key 'txt'; did you mean 'text'?",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_named(line: str) -> None:
    with pytest.raises(UsageError, match=re.escape(WRONG[line])):
        list(read_lines([line]))


def test_lines_of_json_are_documents(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def ingest(lines: str, *options: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode()), encoding="ascii"))
        done = run("ingest", "-", "--embedder", "none", *options)
        return done.status, done.out, done.err

    lines = json.dumps(ZOO, ensure_ascii=False) + '\n\n{"path": "b.txt", "text": "Tapirs swim."}\n'
    assert ingest(lines)[1].startswith("2 added")
    assert ingest('{"path": "b.txt", "text": "Tapirs run."}', "--source", "texts")[1].startswith("1 changed")
    assert "löaves" in run("search", "okapi", "--tag", "zoo").out
    status, out, error = ingest("\n[]")
    assert (status, out) == (2, "")
    assert "stdin, line 2: expected an object such as" in error
    assert "stdin is empty: expected a document on each line" in ingest("")[2]
    assert "--refresh is for files" in ingest("{}", "--refresh")[2]
