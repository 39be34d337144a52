"""No command shows a part of a secret, however the document was cut."""

import base64
import random
from pathlib import Path

import pytest

import ragstone
from ragstone import guard
from tests.commands import Run
from tests.extraction.spreadsheet.books import grid

CHANCE = random.Random(1)
BODY = [base64.b64encode(CHANCE.randbytes(48)).decode() for _ in range(60)]
WORDS = ["Corr3ct!", "Horse9", "staple7", "Bold5ecret", "Next1ine", "9xLion", "Gir4ffe", "Fr0nt!"]
DOCUMENTS = {
    "key.md": "# Lion deploy key\n\nAbout the lion key.\n\n-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(BODY)
    + "\n-----END RSA PRIVATE KEY-----\n\nBehind the lion key.\n",
    "cite.md": '# Zebra\n\nThe zebra server has password: "Corr3ct! Horse9 battery staple7" for admins.\n',
    "many.md": """---
password: Fr0nt!matter9
---
# Giraffes

- **password**: `Bold5ecret77`

```yaml
password:
  Next1ine!Secret
```

| host | password |
|---|---|
| lion | S3cr3t-9xLion |

passphrase: "Gir4ffe tall? Yes it Is9 long"
""",
    "hosts.csv": "host,password,note\n"
    + "".join(f"host{i},Bold5ecret{i},a note about the okapi number {i}\n" for i in range(60)),
}
BOOK = [
    ["Hosts of the tapirs"],
    ["host", "API key", "DB password"],
    *([f"tapir{i}", f"k{i}q7Rz2LmX9vTb4NcW", f"9xLion-{i}x!"] for i in range(60)),
]


@pytest.fixture
def secret(tmp_path: Path, run: Run) -> Path:
    folder = tmp_path / "secret"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "hosts.xlsx").write_bytes(grid(BOOK))
    assert run("ingest", folder, "--store", "store", "--embedder", "none").status == 0
    return folder


def leaks(text: str) -> list[str]:
    """Parts of secrets; of the key any twelve characters."""
    pieces = [line[i : i + 12] for line in BODY for i in range(0, 64, 12) if len(line[i : i + 12]) == 12]
    return [part for part in (*pieces, *WORDS, "q7Rz2LmX") if part in text]


def test_the_documents_would_leak(secret: Path) -> None:
    assert all(leaks((secret / name).read_text("utf-8")) for name in DOCUMENTS)


@pytest.mark.parametrize("form", ["text", "xml", "json", "evidence", "evidence-llm"])
def test_search_shows_no_part_in_any_format(run: Run, secret: Path, form: str) -> None:
    for question in ("lion key", "zebra password admins", "giraffes password host passphrase", "okapi", "tapirs"):
        shown = run("search", question, "--store", "store", "--mode", "keyword", "--format", form, "--top-k", 50)
        assert "[masked:" in shown.out
        assert leaks(shown.out) == []


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_chunks_previews_extracts_and_records_show_no_part(run: Run, secret: Path, flags: list[str]) -> None:
    with ragstone.open("store", embed={"model": "none"}) as kb:
        chunks = kb.info().chunks
    calls: list[tuple[object, ...]] = [("chunk", "key.md", n, "--store", "store") for n in range(chunks - 2)]
    calls += [("chunk", "many.md", 0, "--store", "store"), ("show", "many.md", "--store", "store")]
    calls += [("chunk", "--preview", secret / name) for name in DOCUMENTS]
    calls += [("extract", secret / name) for name in (*DOCUMENTS, "hosts.xlsx")]
    calls += [(*way, name, "--store", "store") for name in ("hosts.csv", "hosts.xlsx") for way in (["show"], ["chunk"])]
    for call in calls:
        shown = run(*call, *flags)
        assert shown.status in ((0, 2) if call[:2] == ("chunk", "key.md") else (0,))
        assert leaks(shown.out + shown.err) == [], call


def test_a_password_with_a_sentence_end_in_it_is_masked_whole_and_stays_verified(run: Run, secret: Path) -> None:
    question = "Which password does the zebra server have for admins?"
    answer = run("ask", question, "--store", "store", "--mode", "keyword", "--json").json
    assert answer["answer"] == 'The zebra server has password: "[masked:password]" for admins. [1]'
    [citation] = answer["citations"]
    assert (citation["status"], citation["masked"]) == ("verified", True)
    span = citation["spans"][0]
    assert "Corr3ct!" in (secret / "cite.md").read_text("utf-8")[span["char_start"] : span["char_end"]]


def test_every_chunk_knows_its_secrets_and_what_describes_it_holds_none(secret: Path) -> None:
    with ragstone.open("store", embed={"model": "none"}) as kb:
        inside = [kb.chunk("key.md", n) for n in range(1, 4)]
        [(start, end, kind)] = inside[0].secrets
        record = kb.record("key.md")[1]
        assert leaks(kb.context("lion key", top_k=50)) == []
    assert kind == "private_key"
    assert record[start:end].startswith("-----BEGIN")
    assert record[start:end].endswith("KEY-----")
    assert all(chunk.secrets == ((start, end, kind),) for chunk in inside)
    assert leaks(str([dict(chunk.metadata) for chunk in inside])) == []


@pytest.mark.parametrize("name", ["hosts.csv", "hosts.xlsx"])
def test_columns_of_secrets_in_sheets_are_masked_in_every_chunk_of_them(secret: Path, name: str) -> None:
    with ragstone.open("store", embed={"model": "none"}) as kb:
        record = kb.record(name)[1]
        chunks = [kb.chunk(name, n) for n in range(3)]
    assert leaks(record) != []
    values = 1 if name == "hosts.csv" else 2  # a row
    assert sum(len(chunk.secrets) for chunk in chunks) > 12 * values
    for chunk in chunks:
        assert {record[start:end] for start, end, _ in chunk.secrets} <= set(record.replace(",", " ").split())
        table = chunk.metadata["table"]["csv"].splitlines()
        assert leaks(str(dict(chunk.metadata))) == []
        assert table[-1].count("[masked:") == values
        assert table[-1].startswith(("host", "tapir"))


def test_cells_that_a_secret_cannot_be_told_in_are_left_out() -> None:
    text, found = 'lion,"Bold""5ecret"', [(6, 18, "password")]
    spans = [ragstone.Span(0, len(text), 1, 1)]
    assert guard.mask_cells([("lion", 'Bold"5ecret')], text, spans, found) == ()
