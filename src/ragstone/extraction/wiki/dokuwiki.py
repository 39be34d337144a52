"""DokuWiki's markup (https://www.dokuwiki.org/wiki:syntax)."""

import re

from ragstone.extraction.wiki.dialect import Dialect, Held, Item, WikiCell, emphasis, take_last

CODE = re.compile(r"<(code|file)\b([^>\n]{0,200})>((?:[^<]|<(?!/?\1\b))*+)</\1>", re.IGNORECASE)
VERBATIM = re.compile(r"%%((?:[^%]|%(?!%))*+)%%|<nowiki>((?:[^<]|<(?!/?nowiki>))*+)</nowiki>", re.IGNORECASE)
INDENTED = re.compile(r"(?:^(?:[ ]{2,}|\t)(?![ \t]*[*-] ?\S)[^\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
HEADING = re.compile(r"[ \t]?(={2,6})[ \t]*([^=\s](?:.{0,300}?))[ \t]*={2,6}[ \t]*")
ITEM = re.compile(r"((?:  |\t)+) ?([*-])[ \t]*(\S.*)")
PARTED = re.compile(r"\[\[(?:[^\]\n]|\](?!\])){0,1000}+\]\]|\{\{[^}\n]{0,1000}+\}\}|[|^]")
LINK = re.compile(r"\[\[[ \t]*([^\]|\n]{1,1000}?)[ \t]*(?:\|((?:[^\]\n]|\](?!\])){0,1000}))?\]\]")
MEDIA = re.compile(r"\{\{[ \t]*([^}|\n]{1,1000}?)[ \t]*(?:\|([^}\n]{0,1000}))?\}\}")
PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)(?:\?.*)?$", re.IGNORECASE)


def _hold(text: str, held: Held) -> str:
    def hold_code(found: re.Match[str]) -> str:
        language = found[2].split()[0] if found[2].split() else ""
        return held.hold(found[3], code=True, language=language if language.isalnum() else None)

    text = CODE.sub(hold_code, text)
    text = INDENTED.sub(lambda found: held.hold(_dedent(found[0]), code=True), text)
    return VERBATIM.sub(lambda found: held.hold(found[1] or found[2] or "", code=False), text)


def _dedent(text: str) -> str:
    lines = text.split("\n")
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[least:] for line in lines)


def _read_heading(line: str) -> tuple[int, str] | None:
    found = HEADING.fullmatch(line)
    return (7 - len(found[1]), found[2]) if found else None


def _read_item(line: str) -> Item | None:
    found = ITEM.fullmatch(line)
    if found is None:
        return None
    return Item(max(1, len(found[1].replace("\t", "  ")) // 2), found[2] == "-", found[3])


def _read_row(line: str) -> list[WikiCell] | None:
    """The cells of a row, `^` before a header; what another covers (`:::`) is empty."""
    text = line.strip()
    if not text.startswith(("|", "^")) or text[-1] not in "|^" or len(text) < 2:
        return None
    cells: list[WikiCell] = []
    at, mark = 1, text[0]
    for part in PARTED.finditer(text, 1):
        if part[0] in ("|", "^"):
            said = text[at : part.start()].strip()
            cells.append(WikiCell("" if said == ":::" else said, mark == "^"))
            at, mark = part.end(), part[0]
    return cells


def _show_media(found: re.Match[str]) -> str:
    """The words of a file; of a picture without any, and of a plugin's mark, nothing."""
    if found[2]:
        return found[2].strip()
    return "" if PICTURE.search(found[1]) or ">" in found[1] else take_last(found[1].partition("?")[0])


DOKUWIKI = Dialect(
    hold=_hold,
    heading=_read_heading,
    item=_read_item,
    row=_read_row,
    inline=(
        (MEDIA, _show_media),
        (LINK, lambda found: (found[2] or "").strip() or take_last(found[1])),
        (re.compile(r"\\\\(?=\s|$)"), "\n"),
        (re.compile(r"\(\(([^()\n]{1,2000})\)\)"), r" (\1)"),
        (re.compile(r"''([^'\n]{1,500})''"), r"\1"),
        (emphasis("**"), r"\1"),
        (emphasis("__"), r"\1"),
        (re.compile(r"(?<![\w:])//(?!\s)([^\n]{1,800}?)(?<![\s:])//(?!\w)"), r"\1"),
    ),
    skipped=re.compile(r"~~[A-Z]{3,30}(?::[^~\n]{0,100})?~~|-{4,}|\{\{(?:tag|rss)>[^}]*\}\}|</?(?:html|php)>", re.I),
    quote=re.compile(r">+[ \t]*"),
    continues=False,
)
