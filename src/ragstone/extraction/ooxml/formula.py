"""Office formulas as LaTeX: structure as commands, symbols as the characters that they are."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ragstone.extraction.ooxml.elements import Element, M, W, child_switch, child_value

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
class _OpenElement:
    """An element that is being read: what its children came to, by their names."""

    element: Element
    children: Iterator[Element]
    parts: list[tuple[str, str]] = field(default_factory=list)

    def get(self, name: str) -> str:
        return "".join(text for tag, text in self.parts if tag == M + name)

    def all(self, name: str) -> list[str]:
        return [text for tag, text in self.parts if tag == M + name]

    def text(self) -> str:
        return "".join(text for _, text in self.parts)

    def property_value(self, properties: str, name: str) -> str | None:
        """The value of a property of this element."""
        return child_value(self.element.find(M + properties), M + name, M + "val")


def to_latex(root: Element) -> str:
    """The LaTeX of an `m:oMath`, without the dollar signs; the depth of a formula costs no stack."""
    stack = [_OpenElement(root, iter(root))]
    while True:
        now = stack[-1]
        child = next(now.children, None)
        if child is None:
            stack.pop()
            text = _render(now)
            if not stack:
                return " ".join(text.split())
            stack[-1].parts.append((str(now.element.tag), text))
        elif child.tag in (M + "t", W + "t"):
            now.parts.append((str(child.tag), _normalize_letters(child.text or "")))
        elif child.tag not in LEFT_OUT:
            stack.append(_OpenElement(child, iter(child)))


def _normalize_letters(text: str) -> str:
    text = SLANTED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return text.replace("\u2061", "").replace("\u200b", "").replace("–", "-").replace("\u2212", "-")


def _render(at: _OpenElement) -> str:
    render = RENDERERS.get(str(at.element.tag))
    return render(at) if render is not None else at.text()


def _render_run(at: _OpenElement) -> str:
    text = at.text()
    properties = at.element.find(M + "rPr")
    if child_switch(properties, M + "nor") and any(c.isalpha() for c in text):
        return f"\\text{{{text}}}"
    return text


def _brace_base(base: str) -> str:
    """A base that a script is put on: in braces where it is more than one thing."""
    base = base.strip()
    enclosed = base.startswith("\\left") and base.count("\\left") == 1
    return base if len(base) <= 1 or base.isalnum() or enclosed else f"{{{base}}}"


def _render_fraction(at: _OpenElement) -> str:
    if at.property_value("fPr", "type") in ("lin", "skw"):
        return f"{at.get('num')}/{at.get('den')}"
    command = "\\binom" if at.property_value("fPr", "type") == "noBar" else "\\frac"
    return f"{command}{{{at.get('num')}}}{{{at.get('den')}}}"


def _render_scripts(at: _OpenElement) -> str:
    sub, sup = at.get("sub"), at.get("sup")
    return _brace_base(at.get("e")) + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")


def _render_prescripts(at: _OpenElement) -> str:
    return f"{{}}_{{{at.get('sub')}}}^{{{at.get('sup')}}}{_brace_base(at.get('e'))}"


def _render_nary(at: _OpenElement) -> str:
    sign = at.property_value("naryPr", "chr")
    sub, sup = at.get("sub"), at.get("sup")
    sign = "∫" if sign is None else sign
    return sign + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "") + " " + at.get("e")


def _render_radical(at: _OpenElement) -> str:
    degree = at.get("deg").strip()
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{at.get('e')}}}"


def _render_delimiters(at: _OpenElement) -> str:
    signs = [at.property_value("dPr", name) for name in ("begChr", "sepChr", "endChr")]
    left, between, right = (given if given is not None else usual for given, usual in zip(signs, "(|)", strict=True))
    # A brace or an empty side must be escaped to stand in LaTeX.
    left, right = ({"{": "\\{", "}": "\\}", "": "."}.get(sign, sign) for sign in (left, right))
    inner = f" {between} ".join(at.all("e"))
    if (left, right) == ("(", ")") and "\\" not in inner:
        return f"({inner})"
    return f"\\left{left}{inner}\\right{right}"


def _render_function(at: _OpenElement) -> str:
    name, argument = at.get("fName").strip(), at.get("e").strip()
    return f"{name}{argument}" if argument.startswith(("(", "\\left")) else f"{name} {argument}"


def _render_function_name(at: _OpenElement) -> str:
    text = at.text().strip()
    return f"\\{text}" if text in FUNCTIONS else text


def _make_limit_renderer(mark: str) -> Callable[[_OpenElement], str]:
    return lambda at: f"{_format_name(at.get('e'))}{mark}{{{at.get('lim')}}}"


def _format_name(text: str) -> str:
    text = text.strip()
    return f"\\{text}" if text in FUNCTIONS else _brace_base(text) if not text.startswith("\\") else text


def _render_accent(at: _OpenElement) -> str:
    sign = at.property_value("accPr", "chr")
    command = ACCENTS.get("\u0302" if sign is None else sign)
    return f"\\{command}{{{at.get('e')}}}" if command else f"{at.get('e')}{sign}"


def _render_bar(at: _OpenElement) -> str:
    return f"\\{'overline' if at.property_value('barPr', 'pos') == 'top' else 'underline'}{{{at.get('e')}}}"


def _render_group_character(at: _OpenElement) -> str:
    sign, top = at.property_value("groupChrPr", "chr"), at.property_value("groupChrPr", "pos") == "top"
    if sign in (None, "⏟", "⏞"):
        return f"\\{'over' if top else 'under'}brace{{{at.get('e')}}}"
    return f"\\overset{{{sign}}}{{{at.get('e')}}}" if top else f"\\underset{{{sign}}}{{{at.get('e')}}}"


def _render_equations(at: _OpenElement) -> str:
    return " \\\\ ".join(at.all("e"))


def _render_matrix(at: _OpenElement) -> str:
    return "\\begin{matrix}" + " \\\\ ".join(at.all("mr")) + "\\end{matrix}"


def _render_matrix_row(at: _OpenElement) -> str:
    return " & ".join(at.all("e"))


def _render_break(at: _OpenElement) -> str:
    return " " if at.element.tag == W + "br" else "\t"


RENDERERS: Mapping[str, Callable[[_OpenElement], str]] = {
    **{W + name: _render_break for name in ("br", "tab")},
    M + "r": _render_run,
    M + "f": _render_fraction,
    **{M + name: _render_scripts for name in ("sSub", "sSup", "sSubSup")},
    M + "sPre": _render_prescripts,
    M + "nary": _render_nary,
    M + "rad": _render_radical,
    M + "d": _render_delimiters,
    M + "func": _render_function,
    M + "fName": _render_function_name,
    M + "limLow": _make_limit_renderer("_"),
    M + "limUpp": _make_limit_renderer("^"),
    M + "acc": _render_accent,
    M + "bar": _render_bar,
    M + "groupChr": _render_group_character,
    M + "eqArr": _render_equations,
    M + "m": _render_matrix,
    M + "mr": _render_matrix_row,
}
