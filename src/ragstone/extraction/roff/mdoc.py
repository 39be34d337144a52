"""Lines of mdoc, the macros of BSD's manual pages: words and the macros among them to text."""

import re
from collections.abc import Callable, Mapping, Sequence

# Macros that enclose the rest of a line.
AROUND = {
    "Op": "[]",
    "Bq": "[]",
    "Pq": "()",
    "Aq": "<>",
    "Brq": "{}",
    "Sq": "‘’",
    "Ql": "‘’",
    "Dq": "“”",
    "Qq": '""',
}
OPENING = {"Oo": "[", "Bo": "[", "Po": "(", "Ao": "<", "Bro": "{", "So": "‘", "Do": "“", "Qo": '"', "Xo": "", "Fo": ""}
CLOSING = {"Oc": "]", "Bc": "]", "Pc": ")", "Ac": ">", "Brc": "}", "Sc": "’", "Dc": "”", "Qc": '"', "Xc": "", "Fc": ")"}
PLAIN = frozenset(
    "Ar Cm Ic Pa Ev Va Vt Dv Er Li Em Sy Tn Ad An Fa Ft Cd Mt Lk Sx Ms No Nd St Lb In Hf Sh Ss Dl D1 Pf Ux".split()
)
BY_NAME = {
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Ox": "OpenBSD",
    "Nx": "NetBSD",
    "Dx": "DragonFly",
    "Ux": "UNIX",
    "At": "AT&T UNIX",
}
MACROS = frozenset((*AROUND, *OPENING, *CLOSING, *PLAIN, *BY_NAME, "Fl", "Nm", "Ns", "Ap", "Xr", "Fn", "Ta"))
LEFT = re.compile(r"[.,;:?!)\]]+")  # stands at the word before
RIGHT = frozenset("([")


def is_mdoc(name: str) -> bool:
    """Whether a macro stands for text in a line."""
    return name in MACROS


def format_line(name: str, words: Sequence[str], page: str) -> str:
    """The text of a macro and its words; `page` is the name of what the page is about."""
    writer = _Writer(page)
    writer.put_all([name, *words])
    return "".join(writer.parts).strip()


class _Writer:
    def __init__(self, page: str) -> None:
        self.parts: list[str] = []
        self._page = page
        self._closing: list[str] = []
        self._tight = False

    def put_all(self, words: Sequence[str]) -> None:
        """Write words in turn."""
        at = 0
        while at < len(words):
            word = words[at]
            at = self._put_macro(word, words, at + 1) if word in MACROS else self._put_word(words, at)
        self.parts += reversed(self._closing)
        self._closing.clear()

    def _put_macro(self, name: str, words: Sequence[str], at: int) -> int:
        """Write a macro; returns where the words go on that it did not take."""
        if name in AROUND or name in OPENING:
            self._put(AROUND[name][0] if name in AROUND else OPENING[name])
            self._tight = True
            self._closing += AROUND[name][1] if name in AROUND else ""
        elif name in CLOSING:
            while self.parts and not self.parts[-1].strip():
                self.parts.pop()
            self.parts.append(CLOSING[name])
        elif taking := TAKING.get(name):
            return taking(self, words, at)
        elif name in BY_NAME or name == "Nd":
            self._put(BY_NAME.get(name, "-"))
        return at

    def _put_word(self, words: Sequence[str], at: int) -> int:
        word = words[at]
        while at == len(words) - 1 and self._closing and LEFT.fullmatch(word):  # it stands outside
            self.parts.append(self._closing.pop())
        self._put(word)
        return at + 1

    def _put(self, word: str) -> None:
        if self.parts and not self._tight and not LEFT.fullmatch(word):
            self.parts.append(" ")
        self.parts.append(word)
        self._tight = word in RIGHT

    def _join(self, _: Sequence[str], at: int) -> int:
        self._tight = True
        return at

    def _put_apostrophe(self, words: Sequence[str], at: int) -> int:
        self.parts.append("'")
        return self._join(words, at)

    def _put_prefix(self, words: Sequence[str], at: int) -> int:
        if at < len(words):
            self._put(words[at])
        return self._join(words, at + 1)

    def _put_cell(self, words: Sequence[str], at: int) -> int:
        self.parts.append("\t")
        return self._join(words, at)

    def _put_name(self, words: Sequence[str], at: int) -> int:
        if at == len(words) or words[at] in MACROS or LEFT.fullmatch(words[at]):
            self._put(self._page)
        return at

    def _put_file(self, words: Sequence[str], at: int) -> int:
        if at == len(words) or words[at] in MACROS:
            self._put("file ...")
        return at

    def _put_call(self, words: Sequence[str], at: int) -> int:
        """A function with its arguments."""
        arguments = [one for one in words[at + 1 :] if not LEFT.fullmatch(one)]
        if at < len(words):
            self._put(f"{words[at]}({', '.join(arguments)})")
        return at + 1 + len(arguments)

    def _put_flags(self, words: Sequence[str], at: int) -> int:
        """Options, each with its dash."""
        if at == len(words) or words[at] in MACROS:
            self._put("-")
            self._tight = at < len(words) and words[at] == "Ns"
            return at
        while at < len(words) and words[at] not in MACROS:
            self._put(words[at] if LEFT.fullmatch(words[at]) or words[at] == "|" else f"-{words[at]}")
            at += 1
        return at

    def _put_reference(self, words: Sequence[str], at: int) -> int:
        if at < len(words):
            section = words[at + 1] if at + 1 < len(words) and words[at + 1][:1].isdigit() else ""
            self._put(f"{words[at]}({section})" if section else words[at])
            at += 1 + bool(section)
        return at


TAKING: Mapping[str, Callable[[_Writer, Sequence[str], int], int]] = {
    "Ns": _Writer._join,
    "Ap": _Writer._put_apostrophe,
    "Pf": _Writer._put_prefix,
    "Fl": _Writer._put_flags,
    "Xr": _Writer._put_reference,
    "Fn": _Writer._put_call,
    "Nm": _Writer._put_name,
    "Ar": _Writer._put_file,
    "Ta": _Writer._put_cell,
}
