"""The lines of a manual page with conditions, strings and macros of its own resolved."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragstone.extraction.roff.escapes import drop_comment, show_escapes

CONTROL = re.compile(r"[.'][ \t]*([^\s\\]*)[ \t]*(.*)")
ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\[ ]|[^ \t])+)')
PARAMETER = re.compile(r"\\{1,2}\$([1-9])|\\{1,2}\$[*@]")
COMPARED = re.compile(r"\(?(-?\d+)\s*([=<>]=?)\s*(-?\d+)\)?")
BRACED = re.compile(r"\\\{|\\\}")
MOST = 20_000  # macros of a page's own that are expanded


class RoffLine(NamedTuple):
    """A line: the name of its macro ("" for text) and its arguments, or the text as the only one."""

    macro: str
    words: Sequence[str]

    @property
    def rest(self) -> str:
        return " ".join(self.words)


class Preprocessor:
    """Reads the lines of a page in order; `known` are the macros that its reader knows."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._lines = deque(re.sub(r"\\\n", "", text).split("\n"))
        self._known = known
        self._strings: dict[str, str] = {}
        self._numbers: dict[str, int] = {".g": 1}
        self._macros: dict[str, list[str]] = {}
        self._else = False
        self._expanded = 0

    def lines(self) -> Iterator[RoffLine]:
        """The lines that print something or say how."""
        while self._lines:
            line = drop_comment(self._lines.popleft())
            control = CONTROL.fullmatch(line) if line[:1] in (".", "'") else None
            if control is None:
                yield RoffLine("", (self._show(line.replace("\\}", "")),))
            elif (name := control[1]) and not self._obey(name, control[2]):
                words = tuple(map(self._show, split_arguments(control[2])))
                if name in self._macros and name not in self._known and self._expanded < MOST:
                    self._expanded += 1
                    self._lines.extendleft(reversed([_fill(one, words) for one in self._macros[name]]))
                else:
                    yield RoffLine(name, words)

    def _show(self, text: str) -> str:
        return show_escapes(text, self._strings, self._numbers)

    def _obey(self, name: str, rest: str) -> bool:
        """Whether a line defines or decides something, which is done here."""
        if name in ("de", "de1", "am", "ig"):
            defined, end = (*rest.split(), "", "")[:2] if name != "ig" else ("", (*rest.split(), "")[0])
            body = self._take_until("." + (end or "."))
            if defined and name != "am":
                self._macros[defined] = body
        elif name == "ds":
            key, _, value = rest.partition(" ")
            self._strings[key] = value.lstrip().removeprefix('"')
        elif name == "nr":
            key, _, value = rest.partition(" ")
            number = re.match(r"\s*([+-]?)(\d+)", self._show(value))
            before = self._numbers.get(key, 0) if number and number[1] else 0
            self._numbers[key] = before + int(number[1] + number[2]) if number else 0
        elif name in ("if", "ie", "el", "while"):
            self._decide(name, rest)
        else:
            return False
        return True

    def _decide(self, name: str, rest: str) -> None:
        holds, rest = (self._else, rest) if name == "el" else self._evaluate(rest)
        if name == "ie":
            self._else = not holds
        rest = rest.lstrip()
        body = self._take_block(rest[2:]) if rest.startswith("\\{") else [rest]
        if holds and name != "while":
            self._lines.extendleft(reversed([line for line in body if line.strip()]))

    def _evaluate(self, text: str) -> tuple[bool, str]:
        """Whether a condition holds for a terminal, and what follows it; what is not understood does not hold."""
        text = text.lstrip()
        negative = text.startswith("!")
        text = text.lstrip("! ")
        if text[:1] in ("'", '"'):
            parts = text[1:].split(text[0], 2)
            holds, rest = len(parts) == 3 and self._show(parts[0]) == self._show(parts[1]), parts[-1]
        else:
            said, _, rest = text.partition(" ")
            if said in ("d", "r", "m", "F", "S", "c"):
                name, _, rest = rest.lstrip().partition(" ")
                holds = name in (self._strings if said == "d" else self._numbers)
            elif said[:1] in ("n", "t", "o", "e", "v") and (len(said) == 1 or said[1:].startswith(("\\{", "."))):
                holds, rest = said[0] in "no", f"{said[1:]} {rest}"
            else:
                said, brace, inner = said.partition("\\{")
                holds, rest = _compare(self._show(said)), f"{brace}{inner} {rest}"
        return holds != negative, rest

    def _take_until(self, end: str) -> list[str]:
        body: list[str] = []
        while self._lines:
            line = self._lines.popleft()
            if line.rstrip().replace(" ", "").startswith(end):
                break
            body.append(line)
        return body

    def _take_block(self, first: str) -> list[str]:
        """The lines of a block in braces."""
        body, depth, line = list[str](), 1, first
        while True:
            for brace in BRACED.findall(line):
                depth += 1 if brace == "\\{" else -1
            body.append(line if depth > 0 else line.replace("\\}", ""))
            if depth <= 0 or not self._lines:
                return body
            line = self._lines.popleft()


def split_arguments(text: str) -> list[str]:
    """The arguments of a macro; quotes keep blanks together.

    >>> split_arguments('"a b" c ""')
    ['a b', 'c', '']
    """
    return [one[2] if one[1] is None else one[1].replace('""', '"') for one in ARGUMENT.finditer(text)]


def _fill(line: str, words: Sequence[str]) -> str:
    """A line of a macro with the arguments of its call."""

    def value(match: re.Match[str]) -> str:
        at = int(match[1] or 0)
        return " ".join(words) if not at else words[at - 1] if at <= len(words) else ""

    return PARAMETER.sub(value, line).replace("\\\\", "\\")


def _compare(said: str) -> bool:
    match = COMPARED.fullmatch(said)
    if match is None:
        return said.lstrip("-").isdigit() and int(said) > 0
    a, b = int(match[1]), int(match[3])
    return {"=": a == b, "<": a < b, ">": a > b}[match[2][0]] or (match[2][1:] == "=" and a == b)
