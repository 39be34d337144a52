"""The options that every command has, and what they open."""

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import typer

from ragstone.cli.signals import interrupts
from ragstone.config.environment import ignored_variables, is_color_wanted, use_preset
from ragstone.config.load import load
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.escaping import render_marks

PLACE = "Store and output"  # their heading in the help
StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="Store URL or folder [default: embedded:.ragstone].", rich_help_panel=PLACE),
]
CollectionOption = Annotated[
    str | None, typer.Option("--collection", help="Collection [default: default].", rich_help_panel=PLACE)
]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Tenant [default: default].", rich_help_panel=PLACE)]
ConfigOption = Annotated[
    str | None, typer.Option("--config", help="Configuration file [default: ragstone.yaml].", rich_help_panel=PLACE)
]
ServerOption = Annotated[
    str | None, typer.Option("--server", help="Ask a server, http://HOST:PORT or unix:PATH, in place of a store.")
]
PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help="Settings of a known system: company, library, notes, research or tables.",
        rich_help_panel=PLACE,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.", rich_help_panel=PLACE)]


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """The shared options of one call."""

    store: str | None
    collection: str | None
    tenant: str | None
    config: str | None
    json: bool

    def settings(self, **arguments: Any) -> Settings:
        """The settings with the command line on top."""
        return load(self.config, store=self.store, collection=self.collection, tenant=self.tenant, **arguments)


# What JSON lets stand and others obey: ends of lines, commands of terminals, turns of the direction of writing.
CONTROL_CODES = (*range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
CONTROL_ESCAPES = {code: f"\\u{code:04x}" for code in CONTROL_CODES}
SECRET = ("password",)  # options whose values are never shown
OPTIONS = {
    "store": StoreOption,
    "collection": CollectionOption,
    "tenant": TenantOption,
    "config": ConfigOption,
    "preset": PresetOption,
    "json_": JsonOption,
}


def add_shared_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command whose first parameter is a `SharedOptions` the shared options in its place."""
    return _wrap_command(command, OPTIONS)


def add_shared_except(*names: str) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Give a command the shared options except `names`, which are None in its `SharedOptions`."""
    kinds = {name: kind for name, kind in OPTIONS.items() if name not in names}
    return lambda command: _wrap_command(command, kinds)


READ_ONLY_COMMANDS = ("ask", "chat", "explain", "guard", "search")  # commands that leave everything as it was


def _wrap_command(command: Callable[..., int | None], kinds: Mapping[str, Any]) -> Callable[..., int | None]:
    @wraps(command)
    def run(*args: Any, **given: Any) -> int | None:
        if command.__name__ in READ_ONLY_COMMANDS:
            interrupts.sentence = "interrupted: nothing was changed"
        taken = {name: given.pop(name) for name in kinds}
        store, collection, tenant, config = (taken.get(name) for name in ("store", "collection", "tenant", "config"))
        options = SharedOptions(store, collection, tenant, config, taken.get("json_", False))
        check_texts({"store": options.store, "collection": options.collection, "tenant": options.tenant, **given})
        try:
            with use_preset(taken.get("preset")):
                status = command(options, *args, **given)
            while ignored_variables:
                print_message(f"warning: {ignored_variables.pop(0)}")
            return status
        except KeyboardInterrupt:  # here, because typer would end the process without a word
            return interrupts.tell()

    own = list(inspect.signature(command).parameters.values())[1:]
    extra = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=False if name == "json_" else None, annotation=kind
        )
        for name, kind in kinds.items()
    ]
    run.__signature__ = inspect.Signature([*own, *extra])  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *extra]}
    return run


def check_texts(given: Mapping[str, Any]) -> None:
    """Refuse arguments that are not UTF-8: they come from the shell as lone surrogates, which cannot be stored or
    shown."""
    for name, value in given.items():
        for text in value if isinstance(value, list | tuple) else [value]:
            if isinstance(text, str) and not text.isprintable() and any("\ud800" <= c <= "\udfff" for c in text):
                shown = "" if name in SECRET else f" {text!r}"
                raise UsageError(f"{name.strip('_').replace('_', '-')}{shown} is not valid UTF-8")


def print_json(data: Any) -> None:
    """One JSON value on a line of its own, its secrets masked."""
    sys.stdout.write(dump_json(data) + "\n")


def dump_json(data: Any) -> str:
    """A value as JSON for the terminal, its secrets masked."""
    from ragstone.cli.masking import mask_data

    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return json.dumps(mask_data(data), ensure_ascii=not unicode, default=str).translate(CONTROL_ESCAPES)


def print_text(text: str) -> None:
    """Text for people on stdout, a newline at its end."""
    from ragstone.cli.masking import escape_text

    sys.stdout.write(render_marks(escape_text(text), bold=is_styled()).rstrip("\n") + "\n")


def is_styled() -> bool:
    """Whether stdout is a terminal that shows bold words."""
    return sys.stdout.isatty() and is_color_wanted()


def print_result(options: SharedOptions, data: Any, text: str) -> None:
    """A result: as data with --json, else as text for people."""
    if options.json:
        print_json(data)
    else:
        print_text(text)


def confirm(options: SharedOptions, question: str) -> bool:
    """Ask a person, on stderr; raises `UsageError` with --json, where a program would wait."""
    if options.json:
        raise UsageError("with --json nothing is asked: add --yes to confirm")
    return typer.confirm(question, err=True)


def print_piece(text: str) -> str:
    """A piece of a text for people on stdout, at once; the same piece."""
    from ragstone.cli.masking import escape_text

    sys.stdout.write(render_marks(escape_text(text), bold=is_styled()))
    sys.stdout.flush()
    return text


def print_message(message: str) -> None:
    """A line for people, on stderr."""
    from ragstone.cli.masking import escape_line

    print(escape_line(message), file=sys.stderr)


def print_notes(notes: Iterable[str]) -> None:
    """Notes for people, on stderr."""
    for note in notes:
        print_message(f"note: {note}")
