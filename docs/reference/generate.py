"""Writes cli.md from the commands' own help texts: `python docs/reference/generate.py`."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from typer.models import ArgumentInfo

from ragstone.cli.app import make_app
from ragstone.cli.search_options import FILTER_OPTIONS
from ragstone.cli.shared_options import OPTIONS

HEAD = """# Commands

Made from the commands' own help texts by `docs/reference/generate.py`; do not edit.

Data goes to stdout, everything else to stderr. A failure is one sentence; the exit codes are in
[trouble](../how-to/trouble.md#exit-codes). `ragstone COMMAND --help` says the same as this page.

`--json` prints one JSON value, on one line. Commands that print a line for each of several say so: their output is
JSON Lines, and empty if there is nothing to list.
"""
KINDS = {int: " N", float: " X", bool: ""}


@dataclass(frozen=True)
class Option:
    """An option or argument as a command declares it."""

    name: str
    kind: Any
    about: Any
    default: Any

    @property
    def is_argument(self) -> bool:
        return isinstance(self.about, ArgumentInfo)

    @property
    def many(self) -> bool:
        return "list" in str(self.kind)

    @property
    def shown(self) -> str:
        """`--top-k`, `-k` N, or the argument in capitals."""
        if self.is_argument:
            return f"`{self.name.upper()}`"
        # Inside Annotated the first name stands where a default would.
        first = [self.about.default] if isinstance(self.about.default, str) else []
        names = [*first, *(self.about.param_decls or ())] or [f"--{self.name.replace('_', '-')}"]
        own = next((part for part in (self.kind, *get_args(self.kind)) if part in KINDS), str)
        return ", ".join(f"`{name}`" for name in names) + KINDS.get(own, " TEXT") + " …" * self.many

    @property
    def says(self) -> str:
        """The help, with the default where the help does not name it."""
        text = str(self.about.help).replace("|", "\\|").replace("*", "\\*")
        given = self.default not in (None, False, inspect.Parameter.empty) and not self.is_argument
        return f"{text} Default: `{self.default}`." if given and "default" not in text else text

    @property
    def usage(self) -> str:
        name = self.name.upper() + " …" * self.many
        return name if self.default is inspect.Parameter.empty else f"[{name}]"


def options(command: Callable[..., Any]) -> list[Option]:
    """What a command takes, in its order."""
    found = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind, about = get_args(parameter.annotation)[:2]
        found.append(Option(name, kind, about, parameter.default))
    return found


def commands() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command as it is typed, in the order of `ragstone --help`."""
    app = make_app()
    groups = [("", app), *((f"{group.name} ", group.typer_instance) for group in app.registered_groups)]
    for before, group in groups:
        for command in group.registered_commands if group else ():
            if command.callback is not None:
                yield before + (command.name or command.callback.__name__), command.callback


def text() -> str:
    """The whole page."""
    every = {option.name: option for _, command in commands() for option in options(command)}
    parts = [
        HEAD,
        _section("Options of every command", "", [every[name] for name in OPTIONS]),
        _section("Filters", "See [search](../how-to/search.md#filters).", [every[name] for name in FILTER_OPTIONS]),
    ]
    for name, command in commands():
        known = {option.name for option in options(command)}
        filtered = known >= set(FILTER_OPTIONS)
        own = [o for o in options(command) if o.name not in OPTIONS and not (filtered and o.name in FILTER_OPTIONS)]
        usage = " ".join(["ragstone", name, *(option.usage for option in own if option.is_argument)])
        about = [inspect.getdoc(command) or "", f"`{usage}`", "Takes the [filters](#filters) too." * filtered]
        parts.append(_section(f"ragstone {name}", "\n\n".join(filter(None, about)), own))
    return "\n".join(parts)


def _section(title: str, about: str, known: list[Option]) -> str:
    rows = [f"| {option.shown} | {option.says} |" for option in known]
    table = "\n".join(("| | |", "|---|---|", *rows)) if rows else ""
    return "\n\n".join(part for part in (f"## {title}", about, table) if part) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(text(), encoding="utf-8")
