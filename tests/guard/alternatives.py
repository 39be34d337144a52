"""Texts that a regular expression matches, so that each of its alternatives stands in one of them."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

_constants: Any = import_module("re._constants")  # type checkers differ in whether they know these two
_parser: Any = import_module("re._parser")

Place = tuple[int, ...]
Choices = dict[Place, int]
FEW = 6  # letters of a set, each of which is an alternative
GAP = 10  # repeats of what may be any letter: one is written
REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
LOOKS = {_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT}  # they take no letter
OF_CATEGORY = {
    _constants.CATEGORY_DIGIT: "7",
    _constants.CATEGORY_NOT_DIGIT: "x",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_NOT_SPACE: "x",
    _constants.CATEGORY_WORD: "x",
    _constants.CATEGORY_NOT_WORD: " ",
}


def list_texts(pattern: str, flags: int) -> Iterator[str]:
    """One text for each alternative, optional part and repeat, all others as short, then as long as they may be.

    What looks ahead or behind is left out: a text need not match.
    """
    tree = _parser.parse(pattern, flags)
    for longest in (False, True):
        waiting: list[Choices] = [{}]
        seen: set[Place] = set()
        while waiting:
            chosen = waiting.pop()
            met: dict[Place, int] = {}
            yield _write(tree, (), chosen, met, longest)
            for place, options in met.items():
                if place not in seen:
                    seen.add(place)
                    waiting += [{**chosen, place: option} for option in range(options)]


def _write(items: Any, at: Place, chosen: Mapping[Place, int], met: dict[Place, int], longest: bool) -> str:
    return "".join(_write_item(item, (*at, n), chosen, met, longest) for n, item in enumerate(items))


def _write_item(item: Any, at: Place, chosen: Mapping[Place, int], met: dict[Place, int], longest: bool) -> str:
    kind, value = item

    def choose(options: int, otherwise: int) -> int:
        met[at] = options
        return chosen.get(at, otherwise)

    def write(items: Any, *below: int) -> str:
        return _write(items, (*at, *below), chosen, met, longest)

    if kind in LOOKS:
        return ""
    if kind is _constants.LITERAL:
        return chr(value)
    if kind in (_constants.NOT_LITERAL, _constants.ANY):
        return " "
    if kind is _constants.IN:
        letters = _list_letters(value)
        return letters[choose(len(letters), 0)]
    if kind is _constants.BRANCH:
        option = choose(len(value[1]), 0)
        return write(value[1][option], option)
    if kind is _constants.SUBPATTERN:
        return write(value[3])
    if kind is _constants.ATOMIC_GROUP:
        return write(value)
    if kind in REPEATS:
        least, most, inner = value
        if most - least >= GAP:
            return "".join(write(inner, number) for number in range(max(1, least)))
        most = min(most, least + 1)
        times = least + choose(1 + most - least, int(longest) * (most - least))
        return "".join(write(inner, number) for number in range(times))
    raise NotImplementedError(kind)


def _list_letters(items: Any) -> list[str]:
    """The letters of a set, as far as they are few; one where it is negated."""
    if items[0][0] is _constants.NEGATE:
        pattern = {value for kind, value in items if kind is _constants.LITERAL}
        return [next(letter for letter in " x,-7" if ord(letter) not in pattern)]
    letters: list[str] = []
    for kind, value in items:
        if kind is _constants.LITERAL:
            letters.append(chr(value))
        elif kind is _constants.RANGE:
            letters.append(chr(value[0]))
        else:
            letters.append(OF_CATEGORY[value])
    return letters[:FEW]
