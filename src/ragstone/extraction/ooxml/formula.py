"""Office formulas as LaTeX: structure as commands, symbols as the characters that they are."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ragstone.extraction.ooxml.ooxml import Element, M, W, switch, value

SLANTED = re.compile("[\U0001d400-\U0001d7ff]+")  # letters of mathematics, which are plain letters to a reader
FUNCTIONS = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp min max sup inf lim det dim gcd "
    "arg deg hom ker Pr".split()
)
ACCENTS = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline",
    "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u030c": "check", "\u20d7": "vec", "^": "hat", "~": "tilde",
    "¯": "bar", "→": "vec", "˙": "dot", "¨": "ddot", "ˇ": "check", "˘": "breve",
}  # fmt: skip
LEFT_OUT = frozenset((W + "del", W + "moveFrom", M + "rPr", W + "rPr", M + "ctrlPr", M + "argPr"))


@dataclass(slots=True)
class _Open:
    """An element that is being read: what its children came to, by their names."""

    element: Element
    children: Iterator[Element]
    parts: list[tuple[str, str]] = field(default_factory=list)

    def get(self, name: str) -> str:
        return "".join(text for tag, text in self.parts if tag == M + name)

    def all(self, name: str) -> list[str]:
        return [text for tag, text in self.parts if tag == M + name]

    def whole(self) -> str:
        return "".join(text for _, text in self.parts)

    def set(self, properties: str, name: str) -> str | None:
        """The value of a property of this element."""
        return value(self.element.find(M + properties), M + name, M + "val")


def latex(root: Element) -> str:
    """The LaTeX of an `m:oMath`, without the dollar signs; the depth of a formula costs no stack."""
    stack = [_Open(root, iter(root))]
    while True:
        now = stack[-1]
        child = next(now.children, None)
        if child is None:
            stack.pop()
            text = _written(now)
            if not stack:
                return " ".join(text.split())
            stack[-1].parts.append((str(now.element.tag), text))
        elif child.tag in (M + "t", W + "t"):
            now.parts.append((str(child.tag), _plain(child.text or "")))
        elif child.tag not in LEFT_OUT:
            stack.append(_Open(child, iter(child)))


def _plain(text: str) -> str:
    text = SLANTED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return text.replace("\u2061", "").replace("\u200b", "").replace("–", "-").replace("\u2212", "-")


def _written(at: _Open) -> str:
    render = RENDERED.get(str(at.element.tag))
    return render(at) if render is not None else at.whole()


def _run(at: _Open) -> str:
    text = at.whole()
    properties = at.element.find(M + "rPr")
    if switch(properties, M + "nor") and any(c.isalpha() for c in text):
        return f"\\text{{{text}}}"
    return text


def _grouped(base: str) -> str:
    """A base that a script is put on: in braces where it is more than one thing."""
    base = base.strip()
    enclosed = base.startswith("\\left") and base.count("\\left") == 1
    return base if len(base) <= 1 or base.isalnum() or enclosed else f"{{{base}}}"


def _fraction(at: _Open) -> str:
    if at.set("fPr", "type") in ("lin", "skw"):
        return f"{at.get('num')}/{at.get('den')}"
    command = "\\binom" if at.set("fPr", "type") == "noBar" else "\\frac"
    return f"{command}{{{at.get('num')}}}{{{at.get('den')}}}"


def _scripts(at: _Open) -> str:
    sub, sup = at.get("sub"), at.get("sup")
    return _grouped(at.get("e")) + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")


def _before(at: _Open) -> str:
    return f"{{}}_{{{at.get('sub')}}}^{{{at.get('sup')}}}{_grouped(at.get('e'))}"


def _nary(at: _Open) -> str:
    sign = at.set("naryPr", "chr")
    sub, sup = at.get("sub"), at.get("sup")
    sign = "∫" if sign is None else sign
    return sign + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "") + " " + at.get("e")


def _radical(at: _Open) -> str:
    degree = at.get("deg").strip()
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{at.get('e')}}}"


def _delimited(at: _Open) -> str:
    signs = [at.set("dPr", name) for name in ("begChr", "sepChr", "endChr")]
    left, between, right = (given if given is not None else usual for given, usual in zip(signs, "(|)", strict=True))
    # A brace or an empty side must be escaped to stand in LaTeX.
    left, right = ({"{": "\\{", "}": "\\}", "": "."}.get(sign, sign) for sign in (left, right))
    inner = f" {between} ".join(at.all("e"))
    if (left, right) == ("(", ")") and "\\" not in inner:
        return f"({inner})"
    return f"\\left{left}{inner}\\right{right}"


def _function(at: _Open) -> str:
    name, argument = at.get("fName").strip(), at.get("e").strip()
    return f"{name}{argument}" if argument.startswith(("(", "\\left")) else f"{name} {argument}"


def _function_name(at: _Open) -> str:
    text = at.whole().strip()
    return f"\\{text}" if text in FUNCTIONS else text


def _limit(mark: str) -> Callable[[_Open], str]:
    return lambda at: f"{_named(at.get('e'))}{mark}{{{at.get('lim')}}}"


def _named(text: str) -> str:
    text = text.strip()
    return f"\\{text}" if text in FUNCTIONS else _grouped(text) if not text.startswith("\\") else text


def _accent(at: _Open) -> str:
    sign = at.set("accPr", "chr")
    command = ACCENTS.get("\u0302" if sign is None else sign)
    return f"\\{command}{{{at.get('e')}}}" if command else f"{at.get('e')}{sign}"


def _bar(at: _Open) -> str:
    return f"\\{'overline' if at.set('barPr', 'pos') == 'top' else 'underline'}{{{at.get('e')}}}"


def _group(at: _Open) -> str:
    sign, top = at.set("groupChrPr", "chr"), at.set("groupChrPr", "pos") == "top"
    if sign in (None, "⏟", "⏞"):
        return f"\\{'over' if top else 'under'}brace{{{at.get('e')}}}"
    return f"\\overset{{{sign}}}{{{at.get('e')}}}" if top else f"\\underset{{{sign}}}{{{at.get('e')}}}"


def _rows(at: _Open) -> str:
    return " \\\\ ".join(at.all("e"))


def _matrix(at: _Open) -> str:
    return "\\begin{matrix}" + " \\\\ ".join(at.all("mr")) + "\\end{matrix}"


def _matrix_row(at: _Open) -> str:
    return " & ".join(at.all("e"))


def _break(at: _Open) -> str:
    return " " if at.element.tag == W + "br" else "\t"


RENDERED: Mapping[str, Callable[[_Open], str]] = {
    **{W + name: _break for name in ("br", "tab")},
    M + "r": _run,
    M + "f": _fraction,
    **{M + name: _scripts for name in ("sSub", "sSup", "sSubSup")},
    M + "sPre": _before,
    M + "nary": _nary,
    M + "rad": _radical,
    M + "d": _delimited,
    M + "func": _function,
    M + "fName": _function_name,
    M + "limLow": _limit("_"),
    M + "limUpp": _limit("^"),
    M + "acc": _accent,
    M + "bar": _bar,
    M + "groupChr": _group,
    M + "eqArr": _rows,
    M + "m": _matrix,
    M + "mr": _matrix_row,
}
