"""Thirteen secrets in documents, and every command in every format: none of them comes out."""

import json
import logging
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


def test_what_is_written_beside_still_has_the_text(run: Run, docs: Path, tmp_path: Path) -> None:
    run("convert", docs, tmp_path / "out", "--artifacts")
    text = (tmp_path / "out" / "okapi.md.md").read_text("utf-8")
    data = json.loads((tmp_path / "out" / "okapi.md.json").read_text("utf-8"))
    assert "The okapi server answers questions about okapis." in text
    assert text.count("[masked:") >= 13
    assert any("okapi server answers" in block["text"] for block in data["blocks"])
