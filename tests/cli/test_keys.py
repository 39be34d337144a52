"""`ragstone keys`: a key is shown once, and what it opens ends when it is revoked."""

import json
import os
from pathlib import Path

import pytest

from ragstone.access.keys import KEY_PATTERN
from tests.commands import Run


def made(run: Run, *options: str) -> str:
    done = run("keys", "create", "--name", "alice", *options)
    assert done.status == 0
    return done.out.removesuffix("\n")


def test_a_key_is_printed_once_on_stdout_alone(run: Run) -> None:
    done = run("keys", "create", "--name", "alice", "--role", "read", "--tenant", "acme", "--expires", "90d")
    text = done.out.removesuffix("\n")
    shape = KEY_PATTERN.fullmatch(text)
    assert shape
    assert done.err.startswith(f"made {shape['id']} for tenant 'acme': read, until ")
    assert shape["secret"] not in done.err
    for options in ((), ("--json",)):
        listed = run("keys", "list", "--tenant", "acme", *options)
        assert shape["id"] in listed.out
        assert shape["secret"] not in listed.out + listed.err
    stored = b"".join(path.read_bytes() for path in Path(".ragstone").glob("keys.db*"))
    assert shape["id"].encode() in stored
    assert shape["secret"].encode() not in stored


def test_programs_get_the_key_as_json(run: Run) -> None:
    done = run("keys", "create", "--name", "x", "--role", "write", "--role", "read-restricted", "--json")
    data = done.json
    assert KEY_PATTERN.fullmatch(data["key"])
    assert data["roles"] == ["read-restricted", "write"]
    assert (data["state"], data["expires"], data["revoked"]) == ("valid", None, None)
    listed = run("keys", "list", "--json").json
    assert listed == {name: value for name, value in data.items() if name != "key"}


def test_a_key_opens_its_tenant_until_it_is_revoked(run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ingest", docs, "--tenant", "acme", "--embedder", "none")
    key = made(run, "--tenant", "acme")
    monkeypatch.setenv("RAGSTONE_KEY", key)
    assert "15 days" in run("search", "samples", "--mode", "keyword").out
    for command in (
        ("ingest", docs),
        ("explain", "samples", "--doc", "storage.md"),
        ("keys", "list"),
        ("search", "x", "--allow-restricted"),
        ("search", "x", "--tenant", "rival"),
    ):
        refused = run(*command)
        assert (refused.status, refused.out) == (2, ""), command
        assert refused.err.count("\n") == 1
        assert key not in refused.err
    monkeypatch.delenv("RAGSTONE_KEY")
    assert run("keys", "revoke", key, "--tenant", "acme").out == f"revoked {key[4:20]}\n"
    assert run("keys", "list", "--tenant", "acme", "--json").json["state"] == "revoked"
    monkeypatch.setenv("RAGSTONE_KEY", key)
    refused = run("search", "samples")
    assert (refused.status, "was revoked at" in refused.err) == (2, True)


def test_what_is_no_key_is_named(run: Run) -> None:
    for command, said in (
        (("keys", "revoke", "x"), "tenant 'default' has no key with this id"),
        (("keys", "revoke", "'; DROP TABLE keys; --"), "has no key with this id"),
        (("keys", "create", "--name", ""), "invalid name of a key: expected 1 to 120"),
        (("keys", "create", "--name", "x", "--role", "boss"), "unknown role 'boss': expected one of: read"),
        (("keys", "create", "--name", "x", "--expires", "never"), "invalid expires 'never': expected"),
        (("keys", "create", "--name", "x", "--expires", "2020-01-01"), "expected a time in the future"),
        (("keys", "create"), "Missing option '--name'"),
        (("keys", "create", "--name", "x", "--store", "json:s.json"), "a json store keeps no keys"),
    ):
        refused = run(*command)
        assert (refused.status, refused.out) == (2, ""), command
        assert said in refused.err
        assert refused.err.count("\n") == 1
    assert "tenant 'default' has no keys" in run("keys", "list").err
    assert os.listdir() == []


def test_a_key_in_a_document_is_masked(run: Run) -> None:
    key = made(run)
    Path("a.md").write_text(f"# Access\n\nThe key of the export is {key} until May.\n")
    run("ingest", "a.md", "--embedder", "none")
    for command in (("search", "key export"), ("show", "a.md"), ("chunk", "a.md", "0"), ("ask", "key of the export")):
        for options in ((), ("--json",)):
            shown = run(*command, *options)
            assert key not in shown.out + shown.err
    assert "[masked:api_key]" in json.dumps(run("show", "a.md", "--json").json)
