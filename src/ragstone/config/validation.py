"""Bounds of options and settings: one table for checking both."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers from `low` to `high`, both included; whole ones only where `whole`, or nothing where `unset`."""

    low: float
    high: float
    whole: bool = False
    unset: bool = False

    def holds(self, value: Any) -> bool:
        """Whether this value is one of them; truth values and NaN are none."""
        if value is None or isinstance(value, bool):
            return value is None and self.unset
        number: Any = value if isinstance(value, Integral if self.whole else Real) else float("nan")
        return bool(self.low <= number <= self.high)

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none of them."""
        what = "a whole number" if self.whole else "a number"
        end = ", or left out" if self.unset else ""
        return f"invalid {name} {value!r:.60}: expected {what} from {self.low} to {self.high}{end}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: tuple[str | bool, ...]
    unset: bool = False

    def holds(self, value: Any) -> bool:
        """Whether this value is one of them, or None where `unset`; 1 is not true."""
        return (value is None and self.unset) or any(type(value) is type(one) and value == one for one in self.values)

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none of them."""
        *most, last = (str(one).lower() if isinstance(one, bool) else one for one in self.values)
        return f"unknown {name} {value!r:.60}: expected {', '.join(most)} or {last}"


@dataclass(frozen=True, slots=True)
class NonBlankText:
    """A text that is not blank."""

    def holds(self, value: Any) -> bool:
        """Whether this value is one."""
        return isinstance(value, str) and bool(value.strip())

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none."""
        return f"invalid {name} {value!r:.60}: expected a text that is not blank"


@dataclass(frozen=True, slots=True)
class SwitchOrName:
    """A truth value, or the name of one to use; or nothing where `unset`."""

    unset: bool = False

    def holds(self, value: Any) -> bool:
        """Whether this value is one of them."""
        return (value is None and self.unset) or isinstance(value, bool) or (isinstance(value, str) and bool(value))

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none of them."""
        return f"invalid {name} {value!r:.60}: expected true, false or a name"


@dataclass(frozen=True, slots=True)
class UniqueNames:
    """Things with a `name` each, no two alike."""

    def holds(self, value: Any) -> bool:
        """Whether these are some."""
        names = [one.name for one in value]
        return len(names) == len(set(names))

    def describe_error(self, name: str, value: Any) -> str:
        """A sentence for two with one name."""
        names = [one.name for one in value]
        again = next(one for one in names if names.count(one) > 1)
        return f"duplicate name {again!r} in {name}"


Allowed = Numbers | Choice | NonBlankText | SwitchOrName | UniqueNames
Bounds = Mapping[str, Allowed]

FLAG = Choice((True, False))
# As much as any store or source can count with; nobody means more.
MANY = 1_000_000
BYTES = 1_000_000_000_000


@dataclass(frozen=True, slots=True)
class Option:
    """The annotation of a setting: a sentence of help and the allowed values.

    Numbers lie from `low` to `high`, both included; a text is not blank where `not_blank`; entries with names have no
    two alike where `unique_names`. A `Literal` and a `bool` say themselves which values they have.
    """

    help: str
    low: float | None = None
    high: float | None = None
    not_blank: bool = False
    unique_names: bool = False


def read_options(kind: type[Any]) -> dict[str, Option]:
    """The options of a dataclass by name, as its annotations say."""
    hints = get_type_hints(kind, include_extras=True)
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: mark for name, own in marks.items() for mark in own if isinstance(mark, Option)}


@cache
def read_bounds(kind: type[Any]) -> Bounds:
    """The bounds of each field of a dataclass, from its annotation; fields without a bound are left out."""
    options = read_options(kind)
    found = ((name, _find_bound(hint, options.get(name))) for name, hint in get_type_hints(kind).items())
    return {name: bound for name, bound in found if bound is not None}


def _find_bound(hint: Any, option: Option | None) -> Allowed | None:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    unset, kinds = type(None) in parts, [part for part in parts if part is not type(None)]
    if set(kinds) == {bool, str}:
        return SwitchOrName(unset)
    if len(kinds) != 1:
        return None
    [kind] = kinds
    if kind is bool:
        return Choice((True, False), unset)
    if get_origin(kind) is Literal:
        return Choice(get_args(kind), unset)
    if option is None:
        return None
    if option.unique_names:
        return UniqueNames()
    if option.not_blank:
        return NonBlankText()
    if option.low is None or option.high is None:
        return None
    return Numbers(option.low, option.high, whole=kind is int, unset=unset)


def find_violation(owner: object, bounds: Bounds | None = None) -> str | None:
    """A sentence for the first attribute that is not what `bounds`, else its annotation, says; None when all are.

    >>> from typing import Annotated
    >>> class Search:
    ...     top_k: Annotated[int, Option("How many.", 1, 1000)] = 0
    >>> find_violation(Search())
    'invalid top_k 0: expected a whole number from 1 to 1000'
    """
    kind: Any = type(owner)
    allowed_values = read_bounds(kind) if bounds is None else bounds
    values = ((name, allowed, getattr(owner, name)) for name, allowed in allowed_values.items())
    return next(
        (allowed.describe_error(name, value) for name, allowed, value in values if not allowed.holds(value)), None
    )
