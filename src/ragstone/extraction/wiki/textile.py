"""Textile (https://textile-lang.com), as Redmine and older blogs keep their pages."""

import re

from ragstone.extraction.wiki.dialect import Dialect, Held, Item, WikiCell, emphasis

# Classes, styles, languages and padding behind the name of a block.
LOOKS = r"(?:\([^()\n]{0,200}\)|\{[^{}\n]{0,300}\}|\[[\w-]{1,20}\]|[<>=()]){0,6}"
# Code ends where the next one begins: an element that is never closed is looked at once.
PRE = re.compile(
    r"<pre\b[^>\n]{0,200}>\s*(?:<code\b([^>\n]{0,200})>)?+((?:[^<]|<(?!/?pre\b))*+)</pre>"
    r"|<code\b([^>\n]{0,200})>((?:[^<]|<(?!/?code\b))*+)</code>"
    r"|<notextile>((?:[^<]|<(?!/?notextile\b))*+)</notextile>",
    re.IGNORECASE,
)
BLOCK = re.compile(rf"^(bc|pre|notextile)({LOOKS})\.(\.?)[ \t]+", re.MULTILINE)
NEXT = re.compile(rf"\n[ \t]*\n(?=(?:h[1-6]|p|bq|bc|pre|notextile|fn\d+|table|ul|ol){LOOKS}\.{{1,2}}[ \t])")
BLANK = re.compile(r"\n[ \t]*\n")
LANGUAGE = re.compile(r"(?:class=[\"']?|\()(?:language-)?([\w+#-]{1,30})")
HEADING = re.compile(rf"h([1-6]){LOOKS}\.[ \t]+(\S.*)")
ITEM = re.compile(rf"([*#]{{1,9}}){LOOKS}[ \t]+(\S.*)")
DEFINED = re.compile(r"-[ \t]+(\S.{0,200}?)[ \t]*:=[ \t]*(.*?)(?:=:)?")
CELL = re.compile(rf"(_?)(?:[\\/]\d{{1,3}})?(?:{LOOKS}|[~^-])*\.[ \t]+")
LINK = re.compile(
    r"\"(?:\([^()\n]{0,100}\))?([^\"\n]{1,500}?)(?:\([^()\n]{0,200}\))?\":(?=[/#.\w])"
    r"[^\s\"]{0,1000}[^\s\".,;:!?)]"
)
BRACKETED = re.compile(r"\[(\"[^\"\n]{1,500}\":[^\s\]]{1,1000})\]")
IMAGE = re.compile(r"!(?:[<>=(){}\w.:;-]{0,100})?([^\s!()]{1,500}\.\w{2,5})(?:\(([^()\n]{0,200})\))?!(?::\S{1,500})?")


def _hold(text: str, held: Held) -> str:
    def hold_element(found: re.Match[str]) -> str:
        if found[5] is not None:
            return held.hold(found[5], code=False)
        looks, body = (found[1], found[2]) if found[2] is not None else (found[3], found[4])
        language = LANGUAGE.search(looks or "")
        is_block = found[2] is not None or "\n" in body
        return held.hold(
            _unescape(body.removesuffix("</code>")), code=is_block, language=language[1] if language else None
        )

    return _hold_blocks(PRE.sub(hold_element, text), held)


def _hold_blocks(text: str, held: Held) -> str:
    """`bc.` up to a blank line, `bc..` up to the next block that says what it is."""
    out: list[str] = []
    at = 0
    while found := BLOCK.search(text, at):
        end = (NEXT if found[3] else BLANK).search(text, found.end())
        stop = end.start() if end else len(text)
        language = LANGUAGE.search(found[2])
        body = text[found.end() : stop]
        out += (
            text[at : found.start()],
            held.hold(body, code=found[1] != "notextile", language=language[1] if language else None),
        )
        at = stop
    return "".join((*out, text[at:]))


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def _read_heading(line: str) -> tuple[int, str] | None:
    found = HEADING.fullmatch(line)
    return (int(found[1]), found[2]) if found else None


def _read_item(line: str) -> Item | None:
    if defined := DEFINED.fullmatch(line):
        return Item(1, False, f"{defined[1]}: {defined[2]}")
    found = ITEM.fullmatch(line)
    return Item(len(found[1]), found[1].endswith("#"), found[2]) if found else None


def _read_row(line: str) -> list[WikiCell] | None:
    text = re.sub(rf"^{LOOKS}\.[ \t]+(?=\|)", "", line.strip())
    if not text.startswith("|") or not text.endswith("|") or len(text) < 2 or text.startswith(("|=.", "|^.", "|-.")):
        return None
    cells: list[WikiCell] = []
    for part in text[1:-1].split("|"):
        looks = CELL.match(part)
        cells.append(WikiCell(part[looks.end() :] if looks else part, bool(looks and looks[1])))
    return cells


TEXTILE = Dialect(
    hold=_hold,
    heading=_read_heading,
    item=_read_item,
    row=_read_row,
    inline=(
        (IMAGE, lambda found: found[2] or ""),
        (BRACKETED, r"\1"),
        (LINK, lambda found: found[0].partition(":")[2] if found[1] == "$" else found[1]),
        (re.compile(r"(?<!\w)@(?!\s)([^@\n]{1,500}?)(?<!\s)@(?!\w)"), r"\1"),
        (re.compile(r"==([^=\n]{1,500})=="), r"\1"),
        *((emphasis(mark), r"\1") for mark in ("**", "*", "__", "_", "??", "+", "%", "^", "~")),
        (re.compile(r"\[(\d{1,3})!?\](?=\W|$)"), r"[\1]"),
        (re.compile(rf"^(?:p|fn\d{{1,3}}){LOOKS}\.[ \t]+", re.MULTILINE), ""),
    ),
    skipped=re.compile(rf"table{LOOKS}\.(?:[ \t].*)?|###\.[ \t].*|\|[\^~-]\.|-{{3,}}|\{{\{{>?toc\}}\}}", re.IGNORECASE),
    quote=re.compile(rf"bq{LOOKS}\.(?:\.)?(?::\S+)?[ \t]+|\|=\.[ \t]+"),
)
