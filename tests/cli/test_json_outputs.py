"""With `--json` each command prints one value on one line, or a line for each of several where its help says so."""

import json
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.commands import Run
from tests.docs.blocks import DOCS

CONFIG = """
embed: {model: none}
sources: [docs]
pipelines: [{name: one, collections: [default]}, {name: two, collections: [default]}]
"""
GOLDEN = '{"query": "How long are samples kept?", "expected_files": ["a.md"]}\n'
# They go on until they are stopped, or need stdin, a server, jobs, a master key or a second model: tested elsewhere.
ELSEWHERE = set(
    "serve|mcp|watch|chat|migrate|jobs retry|jobs drop|tenants rotate|tenants encrypt|reembed start|reembed fill|"
    "reembed compare|reembed switch|reembed back|reembed drop|keys revoke".split("|")
)
# In this order: the last ones erase.
COMMANDS: Mapping[str, str] = {
    "ingest": "ingest docs",
    "runs": "runs",
    "collections create": "collections create --collection more",
    "collections list": "collections list",
    "collections info": "collections info",
    "collections documents": "collections documents",
    "search": "search samples",
    "ask": "ask samples",
    "ask --stream": "ask samples --stream",
    "explain": "explain samples --doc a.md",
    "show": "show a.md",
    "chunk": "chunk a.md 0",
    "chunk --preview": "chunk --preview docs/a.md",
    "extract": "extract docs/a.md",
    "convert": "convert docs out",
    "guard": "guard docs/a.md",
    "guard --lines": "guard docs/a.md --lines",
    "pipelines": "pipelines",
    "doctor": "doctor",
    "config show": "config show",
    "config check": "config check",
    "config init": "config init new.yaml",
    "eval": "eval --golden golden.jsonl",
    "eval --generate": "eval --generate 2",
    "keys create": "keys create --name first",
    "keys list": "keys list",
    "jobs list": "jobs list",
    "reembed status": "reembed status",
    "backup": "backup copied",
    "copy": "copy --to embedded:moved",
    "redteam": "redteam --probe injection",
    "tenants list": "tenants list",
    "collections delete": "collections delete more --yes",
    "tenants erase": "tenants erase default --yes",
}
# Those that print a line for each of several.
LINES = set(
    "ingest|runs|collections list|collections documents|ask --stream|chunk --preview|guard --lines|pipelines|keys list|"
    "eval --generate|backup|copy|tenants list".split("|")
)


def test_each_command_prints_what_its_help_says(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    sections = [
        f"# Part {n}\n\nSamples of part {n} are kept for {n} days.\n{'Alerts are sent. ' * 99}" for n in range(9)
    ]
    for name in ("a.md", "b.md"):
        (tmp_path / "docs" / name).write_text(f"About {name}\n\n" + "\n".join(sections), encoding="utf-8")
    Path("ragstone.yaml").write_text(CONFIG, encoding="utf-8")
    Path("golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    for more in (("keys", "create", "--name", "before"), ("ingest", "docs"), ("ingest", "docs", "--tenant", "acme")):
        assert run(*more).status == 0
    (tmp_path / "docs" / "a.md").write_text("\n".join(sections), encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("\n".join(sections[1:]), encoding="utf-8")
    helps = {name: command.__doc__ or "" for name, command in read_commands()}
    assert {name.partition(" --")[0] for name in COMMANDS} == helps.keys() - ELSEWHERE
    for name, command in COMMANDS.items():
        done = run(*command.split(), "--json")
        assert done.status == 0, (command, done)
        values = [json.loads(line) for line in done.out.splitlines()]
        assert (len(values) > 1) == (name in LINES), (command, len(values))
        schemas = {value.get("schema") for value in values}
        assert schemas == {None if name == "eval --generate" else 1}, command  # a golden file has none
    said = {name for name, text in helps.items() if "a line " in text}
    assert said - ELSEWHERE == {name.partition(" --")[0] for name in LINES}
    for name in LINES:
        command, _, option = name.partition(" ")
        assert not option.startswith("--") or f"With {option}" in helps[command]


def read_commands() -> Iterator[tuple[str, Any]]:
    found: Iterator[tuple[str, Any]] = runpy.run_path(str(DOCS / "reference" / "generate.py"))["commands"]()
    return found
