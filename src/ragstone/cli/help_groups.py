"""Help in groups: options under the panel that they name, commands under what they are for."""

from collections import defaultdict
from typing import Any

from typer.core import TyperCommand, TyperGroup

OWN = "Options"
COMMANDS = "Commands"


class GroupedCommand(TyperCommand):
    """A command whose help lists arguments, its own options, then each group (`rich_help_panel`)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options in groups, each group in the order of its options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], OWN: []}
        for param in self.get_params(ctx):
            told = param.get_help_record(ctx)
            if told is not None:
                own = "Arguments" if param.param_type_name == "argument" else OWN
                groups.setdefault(getattr(param, "rich_help_panel", None) or own, []).append(told)
        _write_groups(formatter, groups)


class GroupedCommands(TyperGroup):
    """A group whose help lists its commands under their `rich_help_panel`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in groups, each with the first sentence of its help."""
        groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names), default=0)
        for name in names:
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                group = panel if isinstance(panel, str) else COMMANDS
                groups[group].append((name, command.get_short_help_str(room)))
        _write_groups(formatter, groups)


def _write_groups(formatter: Any, groups: dict[str, list[tuple[str, str]]]) -> None:
    for title, rows in groups.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)
