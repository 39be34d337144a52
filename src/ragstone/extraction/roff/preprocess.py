"""The lines of a manual page with conditions, strings and macros of its own resolved."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragstone.extraction.roff.escapes import drop_comment, show_escapes

CONTROL = re.compile(r"[.'][ \t]*([^\s\\]*)[ \t]*(.*)")
ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\[ ]|[^ \t])+)')
PARAMETER = re.compile(r"\\{1,2}\$([1-9])|\\{1,2}\$[*@]")
COMPARED = re.compile(r"\(?(-?\d{1,18})\s{0,9}([=<>]=?)\s{0,9}(-?\d{1,18})\)?")
NUMBER = re.compile(r"\s{0,9}([+-]?)(\d{1,18})")
BRACED = re.compile(r"\\\{|\\\}")
ROOM = 1_000_000  # characters that macros and strings of a page's own may add, and twice the page
LINE = 10  # of them for a line, however short
LONGEST = 4000  # characters of a line that is a condition


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
        self._longest = 0  # characters of a string
        self._numbers: dict[str, int] = {".g": 1}
        self._macros: dict[str, list[str]] = {}
        self._else: list[bool] = []
        self._room = ROOM + 2 * len(text)
        self._never_ends: set[str] = set()  # ends that no later line has

    @property
    def is_cut(self) -> bool:
        """Whether macros or strings of the page's own were left out, as they grow without end."""
        return self._room < 0

    def lines(self) -> Iterator[RoffLine]:
        """The lines that print something or say how."""
        while self._lines:
            line = drop_comment(self._lines.popleft())
            control = CONTROL.fullmatch(line) if line[:1] in (".", "'") else None
            if control is None:
                shown = line.replace("\\}", "")
                if shown.strip() or shown == line:
                    yield RoffLine("", (self._show(shown),))
            elif (name := control[1]) and not self._obey(name, control[2]):
                words = tuple(map(self._show, split_arguments(control[2])))
                body = self._macros.get(name, []) if name not in self._known else []
                if body and self._has_room(body, words):
                    self._lines.extendleft(reversed([_fill(one, words) for one in body]))
                elif name not in self._macros or body or name in self._known:
                    yield RoffLine(name, words)

    def _show(self, text: str) -> str:
        strings = self._strings
        if strings and "\\*" in text:
            self._room -= text.count("\\*") * self._longest
            strings = strings if self._room >= 0 else {}
        return show_escapes(text, strings, self._numbers)

    def _has_room(self, body: Sequence[str], words: Sequence[str]) -> bool:
        given = sum(map(len, words)) + len(words)
        self._room -= LINE + sum(LINE + len(line) + line.count("$") * given for line in body)
        return self._room >= 0

    def _obey(self, name: str, rest: str) -> bool:
        """Whether a line defines or decides something, which is done here."""
        if name in ("de", "de1", "am", "ig"):
            defined, end = (*rest.split(), "", "")[:2] if name != "ig" else ("", (*rest.split(), "")[0])
            body = self._take_until("." + (end or "."))
            if name == "am" and body is not None and defined in self._macros:
                self._macros[defined] = [*self._macros[defined], *body]
            elif defined and body is not None and name != "am":
                self._macros[defined] = body
        elif name == "als":
            new, old = (*rest.split(), "", "")[:2]
            if old in self._macros:
                self._macros[new] = self._macros[old]
        elif name in ("ds", "as"):
            key, _, value = rest.partition(" ")
            before = self._strings.get(key, "") if name == "as" else ""
            self._strings[key] = before + value.lstrip().removeprefix('"')
            self._longest = max(self._longest, len(self._strings[key]))
        elif name == "nr":
            key, _, value = rest.partition(" ")
            number = NUMBER.match(self._show(value))
            counted = self._numbers.get(key, 0) if number and number[1] else 0
            self._numbers[key] = counted + int(number[1] + number[2]) if number else 0
        elif name in ("if", "ie", "el", "while"):
            self._decide(name, rest)
        else:
            return False
        return True

    def _decide(self, name: str, rest: str) -> None:
        """Take a condition: where it holds, what follows is read on; the brace at the end of a block is dropped."""
        if len(rest) > LONGEST:  # no page has such a condition: it is shown as text
            self._lines.appendleft("\\&" + rest)
            return
        holds, rest = (bool(self._else) and self._else.pop(), rest) if name == "el" else self._evaluate(rest)
        if name == "ie":
            self._else.append(not holds)
        rest = rest.lstrip()
        is_block, rest = rest.startswith("\\{"), rest.removeprefix("\\{").lstrip()
        if (not holds or name == "while") and (not is_block or self._skip_block(rest)):
            return
        if rest.strip():
            self._lines.appendleft(rest)

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

    def _take_until(self, end: str) -> list[str] | None:
        """The lines before an end; None, and none is taken, where there is none."""
        body: list[str] = []
        while self._lines and end not in self._never_ends:
            line = self._lines.popleft()
            if line.rstrip().replace(" ", "").startswith(end):
                return body
            body.append(line)
        self._never_ends.add(end)
        self._lines.extendleft(reversed(body))
        return None

    def _skip_block(self, first: str) -> bool:
        """Leave out the lines of a block in braces; False, and none is left out, where it has no end."""
        skipped, depth, line = list[str](), 1, first
        while "\\}" not in self._never_ends:
            depth += sum(1 if brace == "\\{" else -1 for brace in BRACED.findall(line))
            if depth <= 0:
                return True
            if not self._lines:
                self._never_ends.add("\\}")
                break
            line = self._lines.popleft()
            skipped.append(line)
        self._lines.extendleft(reversed(skipped))
        return False


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
        return said.isascii() and said.isdigit() and said.strip("0") != ""
    a, b = int(match[1]), int(match[3])
    return {"=": a == b, "<": a < b, ">": a > b}[match[2][0]] or (match[2][1:] == "=" and a == b)
