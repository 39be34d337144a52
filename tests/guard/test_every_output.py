"""Thirteen secrets in documents, and every command in every format: none of them comes out."""

import io
import json
import logging
import sys
from pathlib import Path

import pytest

from tests.commands import Run

SECRETS = {
    "password with signs": ("DB_PASSWORD=kR9&w(Tz2,p;Vq\n", "kR9&w(Tz2,p;Vq"),
    "password that begins with a sign": ("Password: $yQ4!mZr8Lk\n", "$yQ4!mZr8Lk"),
    "password in prose": ("The password for the okapi server is Tg7#xLq2Wn.\n", "Tg7#xLq2Wn"),
    "another language": ("Contraseña: Hy5%vBn3Kd\n", "Hy5%vBn3Kd"),
    "mysql": ("Run `mysql -uroot -pJw8xNf2Qs okapi` there.\n", "Jw8xNf2Qs"),
    "sshpass": ("Run `sshpass -p 'Zc6 vMt4)Rb' ssh okapi` there.\n", "Zc6 vMt4)Rb"),
    "pgpass": ("```\nokapi.example.org:5432:zoo:keeper:Lp3kXd9Gh\n```\n", "Lp3kXd9Gh"),
    "htpasswd": ("```\nkeeper:$apr1$q7Rz2LmX$9vTb4NcW8yKdq7Rz2LmX91\n```\n", "9vTb4NcW8yKd"),
    "PuTTY": (
        "```\nPuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: okapi\nPublic-Lines: 1\n"
        "AAAAB3NzaC1yc2EAAAADAQAB\nPrivate-Lines: 1\nVmYw7Qk2Tz9xRb4LpNc6HsGd\nPrivate-MAC: " + "4d" * 32 + "\n```\n",
        "VmYw7Qk2Tz9xRb4LpNc6HsGd",
    ),
    "Fernet": ('FERNET_KEY = "Vx3Kd9_pLq2Rz7TmW4bN8yHc5GfJ1sAe6UoQiXwYvZ0="\n', "Vx3Kd9_pLq2Rz7TmW4bN"),
    "Terraform": (
        '```\nvariable "db_password" {\n  type    = string\n  default = "Nq4zKw8Ls"\n}\n```\n',
        "Nq4zKw8Ls",
    ),
    "cookie": ("```\nCookie: theme=dark; PHPSESSID=q7rz2lmx9vtb4ncw8ykd5hgf\n```\n", "q7rz2lmx9vtb4ncw8ykd"),
    "token": ("token ghp_" + "q7Rz2LmX9vTb4NcW8yKd" * 2 + "\n", "q7Rz2LmX9vTb4NcW8yKd"),
}
PROSE = "# Okapis\n\nThe okapi server answers questions about okapis.\n\n"
MARKDOWN = PROSE + "\n".join(f"## Part {n} of the okapis\n\n{text}" for n, (text, _) in enumerate(SECRETS.values()))
ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
QUESTIONS = ("okapi server password", "contraseña mysql sshpass okapi", "keeper variable cookie theme token okapis")


def page() -> str:
    """The same as a web page."""
    parts = [text.replace("```\n", "").replace("`", "") for text, _ in SECRETS.values()]
    shown = ("".join(ESCAPED.get(c, c) for c in part) for part in parts)
    body = "".join(f"<h2>Part {n} of the okapis</h2>\n<pre>{part}</pre>\n" for n, part in enumerate(shown))
    return f"<!doctype html><html><head><title>Okapis</title></head><body><h1>Okapis</h1>\n{body}</body></html>"


def leaks(text: str) -> list[str]:
    """The names of the secrets of which six characters or more stand in a text, as they are or escaped."""
    forms = [text, text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"), text.replace('\\"', '"')]
    return [
        name
        for name, (_, secret) in SECRETS.items()
        if any(secret[i : i + 6] in form for form in forms for i in range(max(1, len(secret) - 5)))
    ]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "okapi"
    folder.mkdir()
    (folder / "okapi.md").write_text(MARKDOWN, encoding="utf-8")
    (folder / "page.html").write_text(page(), encoding="utf-8")
    (folder / "plain.txt").write_text(MARKDOWN, encoding="utf-8")
    return folder


def test_the_documents_hold_them_all(docs: Path) -> None:
    assert len(SECRETS) == 13
    assert all(len(leaks(file.read_text("utf-8"))) == 13 for file in docs.iterdir())


def commands(docs: Path) -> list[tuple[object, ...]]:
    """Each command that shows documents, in each of its formats; `OUT` is a folder that is written to."""
    names = [path.name for path in sorted(docs.iterdir())]
    shows: list[tuple[object, ...]] = [
        ("search", question, "--mode", "keyword", "--top-k", 50, "--format", form)
        for question in QUESTIONS
        for form in ("text", "xml", "json", "evidence", "evidence-llm")
    ]
    shows += [
        ("ask", f"What is the {question}?", "--mode", "keyword", *more)
        for question in QUESTIONS
        for more in ((), ("--json",))
    ]
    shows += [(verb, name, *more) for verb in ("show",) for name in names for more in ((), ("--json",))]
    shows += [("chunk", name, n, *more) for name in names for n in range(3) for more in ((), ("--json",))]
    shows += [
        ("explain", QUESTIONS[0], "--doc", name, "--mode", "keyword", *more)
        for name in names
        for more in ((), ("--json",))
    ]
    shows += [("chunk", "--preview", docs / name, *more) for name in names for more in ((), ("--json",))]
    shows += [("extract", docs / name, *more) for name in names for more in ((), ("--json",), ("--html",))]
    shows += [("guard", docs / name, *more) for name in names for more in ((), ("--json",))]
    shows += [("convert", docs, "OUT", *more) for more in ((), ("--artifacts",), ("--artifacts", "--json"))]
    shows += [
        (*verb, *more)
        for verb in (("runs",), ("doctor",), ("collections", "documents"), ("collections", "info"))
        for more in ((), ("--json",))
    ]
    return shows


def test_no_command_shows_one_in_any_format(
    run: Run, docs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with caplog.at_level(logging.DEBUG, logger="ragstone"):
        told = run("ingest", docs, "--embedder", "none")
        assert told.status == 0, told
        assert leaks(told.out + told.err) == []
        masked = 0
        for command in commands(docs):
            shown = run(*command)
            assert leaks(shown.out + shown.err) == [], command
            assert shown.status in (0, 2), (command, shown)
            masked += "[masked:" in shown.out
        assert masked > 40
        written = [file for file in (tmp_path / "OUT").rglob("*") if file.is_file()]
        assert len(written) == 6
        assert [(file.name, leaks(file.read_text("utf-8"))) for file in written if leaks(file.read_text("utf-8"))] == []
    assert leaks(caplog.text) == []


def administration(docs: Path) -> list[tuple[object, ...]]:
    """Each command that reports on stores, models, keys and questions, in its order, after an ingestion."""
    both: tuple[tuple[object, ...], ...] = ((), ("--json",))
    shows: list[tuple[object, ...]] = [("pipelines", *more) for more in both]
    shows += [("pipelines", "--check", *more) for more in both]
    shows += [
        ("eval", "--golden", "golden.jsonl", "--mode", "keyword", *kind, *more)
        for kind in ((), ("--answers",), ("--csv", "OUT/rows.csv"))
        for more in both
    ]
    shows += [("reembed", step, *more) for step in ("status", "start", "fill", "switch", "back") for more in both]
    shows += [("reembed", "compare", "golden.jsonl", *more) for more in both]
    shows += [("reembed", "drop", "--yes", *more) for more in both]
    shows += [("migrate", *more) for more in both]
    shows += [("tenants", step, *more) for step in ("list", "encrypt", "rotate") for more in both]
    shows += [("tenants", "erase", SECRETS["token"][0].strip(), "--yes", *more) for more in both]
    shows += [("keys", "create", "--name", SECRETS["mysql"][0].strip(), "--role", "read", *more) for more in both]
    shows += [("keys", "list", *more) for more in both]
    shows += [("keys", "revoke", SECRETS["token"][0].strip(), *more) for more in both]
    shows += [("copy", "--to", f"copied{n}", *more) for n, more in enumerate(both)]
    return shows


def write_golden(path: Path) -> None:
    """Questions that hold secrets themselves, and one that has no answer."""
    cases = [{"query": f"{text.strip()} of the okapi?", "expected_files": ["okapi.md"]} for text, _ in SECRETS.values()]
    cases.append({"query": "Who paints the zebras?", "expected_files": ["nosuch.md"]})
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")


def test_no_report_on_stores_models_keys_or_questions_shows_one(
    run: Run, docs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    described = SECRETS["password that begins with a sign"][0].strip()
    (tmp_path / "OUT").mkdir()
    (tmp_path / "ragstone.yaml").write_text(
        json.dumps({"pipelines": [{"name": "zoo", "description": described, "collections": ["default"]}]}), "utf-8"
    )
    write_golden(tmp_path / "golden.jsonl")
    with caplog.at_level(logging.DEBUG, logger="ragstone"):
        assert run("ingest", docs, "--embedder", "none").status == 0
        worked = set()
        for command in administration(docs):
            shown = run(*command)
            assert leaks(shown.out + shown.err) == [], command
            if shown.status == 0:
                worked.add(command[0])
            print(command, shown)
    assert worked == {"pipelines", "eval", "reembed", "migrate", "tenants", "keys", "copy"}
    assert leaks((tmp_path / "OUT" / "rows.csv").read_text("utf-8")) == []
    assert leaks(caplog.text) == []


@pytest.mark.parametrize("more", [(), ("--json",), ("--pipeline", "zoo")])
def test_no_chat_shows_one(
    run: Run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    settings = {"pipelines": [{"name": "zoo", "collections": ["default"]}]}
    (tmp_path / "ragstone.yaml").write_text(json.dumps(settings), "utf-8")
    assert run("ingest", docs, "--embedder", "none").status == 0
    turns = [f"What is the {question}?" for question in QUESTIONS]
    turns += [f"/{' '.join(text.split())}" for name, (text, _) in SECRETS.items() if name != "Terraform"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*turns, "And which one is it?", "/quit"]) + "\n"))
    shown = run("chat", "--mode", "keyword", *more)
    assert [(line, leaks(line)) for line in (shown.out + shown.err).splitlines() if leaks(line)] == []
    assert "[masked:" in shown.out


def test_what_is_written_beside_still_has_the_text(run: Run, docs: Path, tmp_path: Path) -> None:
    run("convert", docs, tmp_path / "out", "--artifacts")
    text = (tmp_path / "out" / "okapi.md.md").read_text("utf-8")
    data = json.loads((tmp_path / "out" / "okapi.md.json").read_text("utf-8"))
    assert "The okapi server answers questions about okapis." in text
    assert text.count("[masked:") >= 13
    assert any("okapi server answers" in block["text"] for block in data["blocks"])
