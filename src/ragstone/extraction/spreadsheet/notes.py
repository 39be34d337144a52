"""What of a workbook was left out, as warnings."""

from collections.abc import Iterator
from dataclasses import dataclass, field

NAMED = 5  # sheets in one warning


@dataclass(slots=True)
class SheetNotes:
    """Names of sheets by what is the matter with them; `others` are whole warnings."""

    hidden: list[str] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        if self.hidden:
            yield f"{_format_names(self.hidden, 'hidden sheet')} left out; unhide what should be found"
        if self.charts:
            yield f"{_format_names(self.charts, 'sheet')} left out that hold a chart or a macro, not cells"
        if self.broken:
            yield f"{_format_names(self.broken, 'sheet')} left out that could not be read; save the workbook anew"
        yield from self.others


def _format_names(names: list[str], what: str) -> str:
    shown_names = ", ".join(repr(name) for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{len(names)} {what}{'s' * (len(names) > 1)} ({shown_names}{more})"
