"""Documents as lines of JSON on stdin."""

import io
import json

import pytest

from ragstone.cli.given_lines import WrongLines, read_lines
from tests.commands import Run

ZOO = {"path": "a.md", "text": "# Zoo\n\nThe okapi eats löaves.", "meta": {"tags": ["zoo"]}}
WRONG = {
    "{": "invalid JSON",
    '{"path": "a.md"}': "invalid text: expected text",
    '{"path": "a.md", "txt": "x"}': "unknown key 'txt'; did you mean 'text'?",
    '{"path": "../a.md", "text": "x"}': "invalid path '../a.md': expected a relative path",
    '{"path": "\\ud800.md", "text": "x"}': "invalid path",
    '{"path": "a.md", "text": "\\ud800"}': "invalid document 'a.md': expected a text that UTF-8 can hold",
    '{"path": "a.txt", "text": "x", "meta": {"tags": ["x"]}}': "document 'a.txt' cannot have `meta`",
    '{"path": "a.md", "text": "x", "meta": "x"}': "invalid document 'a.md': expected",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_named_and_those_after_it_are_read(line: str) -> None:
    wrong = WrongLines()
    assert list(read_lines([line, json.dumps({"path": "b.txt", "text": "x"})], wrong)) == [("b.txt", b"x")]
    assert wrong.describe_first().startswith(f"stdin, line 1: {WRONG[line]}")


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
    status, out, error = ingest('[]\n{"path": "c.md", "text": "Gnus graze."}\n{')
    assert (status, out.split(";")[0]) == (1, "1 added, 2 skipped")
    assert "skipped stdin, line 1 (invalid): expected an object such as" in error
    assert "skipped stdin, line 3 (invalid): invalid JSON" in error
    done = json.loads(ingest('[]\n{"path": "c.md", "text": "Gnus graze."}', "--json")[1].splitlines()[-1])
    assert (done["wrong_lines"], done["skipped"][0]["path"], done["documents"]["unchanged"]) == (1, "stdin, line 1", 1)
    assert (
        'stdin, line 1: expected an object such as {"path": "a.md", "text": "…"} (and 299 more lines'
        in (ingest("[]\n" * 300)[2])
    )
    assert "and 200 more wrong lines" in ingest("[]\n" * 300 + '{"path": "c.md", "text": "Gnus graze."}')[2]
    assert "stdin is empty: expected a document on each line" in ingest("")[2]
    assert "--refresh is for files" in ingest("{}", "--refresh")[2]
