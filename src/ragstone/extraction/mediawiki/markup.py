"""Wiki markup to blocks: headings, paragraphs, lists, tables and code, links and emphasis as a reader sees them.

A small reading of our own: mwparserfromhell parses templates and links, but leaves headings, lists and tables as text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape

from ragstone.core.types import Cell
from ragstone.extraction.record.builder import BlockDraft

NOTE = re.compile(r"<ref\b[^<>]{0,500}/>|<ref\b[^<>]{0,500}>(?:[^<]|<(?!/?ref\b))*+</ref>", re.IGNORECASE)
VERBATIM = re.compile(
    r"<(nowiki|pre|syntaxhighlight|source|math)\b([^<>]{0,300})(?<!/)>((?:[^<]|<(?!/?\1\b))*+)</\1\s*>", re.IGNORECASE
)
LANGUAGE = re.compile(r"lang\s*=\s*[\"']?([\w+#-]{1,30})")
HELD = re.compile("\0(\\d+)\0")  # in place of what is no markup
BRACES = re.compile(r"\{\{|\}\}")
NAMED = re.compile(r"\s*([^|={}\[\]\n]{1,60}?)[ \t]*=")
MARKS, BELOW = "*#:;{", "\n"  # what begins a line of its own
PICTURE = re.compile(r"[^\n]{1,300}\.(?:jpe?g|png|svg|gif|webp|tiff?)\s*", re.IGNORECASE)
LINK = re.compile(r"\[\[([^\[\]|\n]{1,500})((?:\|[^\[\]|]{0,5000}){0,20})\]\]")
NESTED = 3  # links within the captions of pictures
OUTER_LINK = re.compile(r"\[(?:https?:|ftp:|mailto:)?//[^\s\[\]]{1,2000}(?:[ \t]+([^\[\]\n]{0,2000}))?\]")
# How a picture is set, in any language: `thumb`, `mini`, `200px`, `alt=…`.
OPTION = re.compile(r"[a-zà-ÿ]{2,15}|upright.*|\d*x?\d+px|\w+=.*", re.DOTALL)
LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})?:")
QUOTES = re.compile(r"'{2,5}")
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# Elements of pages and of MediaWiki; anything else between angle brackets (`List<String>`) is shown as it stands.
TAG = re.compile(
    r"</?(?:abbr|b|bd[io]|big|blockquote|br|caption|categorytree|center|chem|cite|code|data|dd|del|dfn|div|dl|dt"
    r"|em|font|gallery|h[1-6]|hiero|hr|i|imagemap|includeonly|indicator|inputbox|ins|kbd|li|link|mapframe|maplink|mark"
    r"|math|meta|noinclude|nowiki|ol|onlyinclude|p|poem|pre|q|r[bpt]|references?|ref|rtc|ruby|s|samp|score|section"
    r"|small|source|span|strike|strong|su[bp]|syntaxhighlight|t[dhrt]|table|templatestyles|time|timeline|translate"
    r"|tvar|u|ul|var|wbr)(?![\w-])[^<>]{0,500}>",
    re.IGNORECASE,
)
SWITCH = re.compile(
    r"__(?:NO[A-Z]{2,30}|(?:FORCE)?TOC|NEWSECTIONLINK|HIDDENCAT|INDEX|STATICREDIRECT|EXPECT[A-Z]{2,30}|DISAMBIG)__"
)
ITEM = re.compile(r"([*#:;]{1,20})\s*(.*)")
# A page that leads to another holds nothing else but categories and templates.
REDIRECT = re.compile(
    r"#\w{5,20}\s*:?\s*\[\[([^\[\]|]{1,500})[^\[\]]{0,500}\]\]"
    r"(?>\s+|\[\[[^\[\]]{1,500}\]\]|\{\{[^{}]{1,500}\}\}|__[A-Z]{3,30}__)*\Z"
)
ATTRIBUTES = re.compile(r"[^|=\[\]{}]{0,500}=[^|\[\]{}]{0,500}\|(?!\|)")
CODE = ("pre", "syntaxhighlight", "source")


@dataclass(slots=True)
class WikiNames:
    """How a wiki calls its files and categories."""

    files: set[str] = field(default_factory=lambda: {"file", "image", "media"})
    categories: set[str] = field(default_factory=lambda: {"category"})


@dataclass(slots=True)
class _Page:
    """A page while it is read: its categories, and what stands in it that is no markup."""

    names: WikiNames
    categories: list[str] = field(default_factory=list)
    held: list[BlockDraft] = field(default_factory=list)

    def hold(self, draft: BlockDraft) -> str:
        self.held.append(draft)
        return f"\0{len(self.held) - 1}\0"

    def release(self, text: str) -> str:
        return HELD.sub(lambda mark: self.held[int(mark[1])].text, text)


def read_markup(text: str, names: WikiNames, *, level: int = 1) -> Iterator[BlockDraft]:
    """The blocks of a page below a heading of this level. Notes and templates are left out but for those of several
    lines, as boxes and quotes, whose values and texts are read; categories come last."""
    if redirect := REDIRECT.match(_drop_comments(text).lstrip()):
        yield BlockDraft("paragraph", f"Redirect to {redirect[1].strip()}")
        return
    page = _Page(names)
    text = _drop_comments(text.replace("\0", "").replace("\r\n", "\n"))
    text = VERBATIM.sub(lambda found: _hold_verbatim(found, page), NOTE.sub("", text))
    text = _show_links(_replace_templates(text, lambda inner: _show_template(inner, page)), page)
    yield from _read_lines(text.split("\n"), page, level)
    if page.categories:
        yield BlockDraft("paragraph", f"Categories: {', '.join(dict.fromkeys(page.categories))}")


def _drop_comments(text: str) -> str:
    out: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        out.append(text[at:start])
        at = end + 3
    return "".join((*out, text[at:]))


def _hold_verbatim(found: re.Match[str], page: _Page) -> str:
    if found[1].lower() not in CODE:
        return page.hold(BlockDraft("paragraph", found[3]))
    language = LANGUAGE.search(found[2])
    mark = page.hold(BlockDraft("code", found[3].strip("\n"), language=language[1] if language else None))
    return f"\n{mark}\n" if "\n" in found[3] or found[1].lower() == "pre" else mark


def _replace_templates(text: str, show: Callable[[str], str]) -> str:
    """The text with something else in place of each template that stands in no other; braces without another stay."""
    opened: list[int] = []
    found: list[tuple[int, int]] = []
    for brace in BRACES.finditer(text):
        if brace[0] == "{{":
            opened.append(brace.start())
        elif opened:
            start = opened.pop()
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, brace.end()))
    out, at = list[str](), 0
    for start, end in found:
        out += (text[at:start], show(text[start + 2 : end - 2]))
        at = end
    return "".join((*out, text[at:]))


def _show_template(inner: str, page: _Page) -> str:
    """What a box says: its values, a line each, and its texts. Nothing of a template within a sentence."""
    if "\n" not in inner:
        return ""
    text = LINK.sub(lambda link: "" if _find_prefix(link[1]) in page.names.files else link[0], inner)
    text = _show_links(_replace_templates(text, _show_inner_template), page)
    out: list[str] = []
    for part in text.split("|")[1:]:
        named = NAMED.match(part)
        value = part[named.end() if named else 0 :].strip()
        if not named:
            out.append(f"\n{value}\n")
        elif value and not PICTURE.fullmatch(value):
            out.append(f"{named[1].replace('_', ' ')}: {BELOW if value[0] in MARKS else ''}{value}")
    return "\n\n" + "\n".join(out) + "\n\n" if any(map(str.strip, out)) else ""


def _show_inner_template(inner: str) -> str:
    """The values without a name of a template in a box: `5 m` of `{{convert|5|m}}`."""
    return " ".join(part.strip() for part in inner.split("|")[1:] if "=" not in part)


def _find_prefix(target: str) -> str:
    """The name of a namespace, or of another wiki, before the title of a page."""
    return target.partition(":")[0].strip().lower() if ":" in target else ""


def _show_links(text: str, page: _Page) -> str:
    for _ in range(NESTED):
        text, count = LINK.subn(lambda link: _show_link(link, page), text)
        if not count:
            break
    return OUTER_LINK.sub(lambda link: link[1] or link[0][1:-1].strip(), text)


def _show_link(link: re.Match[str], page: _Page) -> str:
    target, said = link[1].strip(), link[2].split("|")[1:]
    prefix = _find_prefix(target)
    if prefix in page.names.categories:
        page.categories.append(target.partition(":")[2].strip())
        return ""
    if prefix in page.names.files:
        captions = [one.strip() for one in said if not OPTION.fullmatch(one.strip())]
        return f"\n\n{captions[-1]}\n\n" if captions else ""
    if not said and LANGUAGE_LINK.match(target):
        return ""
    return (said[-1] if said else target.removeprefix(":")).strip() or target


def _clean(text: str, page: _Page) -> str:
    """A text on one line, or several where it breaks them, without emphasis and tags."""
    text = TAG.sub("", BREAK.sub("\n", QUOTES.sub("", SWITCH.sub("", text))))
    return page.release("\n".join(" ".join(line.split()) for line in unescape(text).split("\n"))).strip()


def _read_lines(lines: list[str], page: _Page, level: int) -> Iterator[BlockDraft]:
    said: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        held = HELD.fullmatch(line)
        heading, item = _find_heading(line), ITEM.fullmatch(line)
        is_table = line.lstrip(":").startswith("{|")
        if said and (not line or held or heading or item or is_table):
            yield BlockDraft("paragraph", _clean("\n".join(said), page))
            said = []
        if held:
            yield page.held[int(held[1])]
        elif heading:
            yield BlockDraft("heading", _clean(line[heading:-heading], page), level=min(6, level + heading - 1))
        elif is_table:
            end = _find_table_end(lines, at)
            yield from _read_table(lines[at + 1 : end], page)
            at = end
        elif item:
            yield _read_item(item, page)
        elif line:
            said.append(line)
        at += 1
    yield BlockDraft("paragraph", _clean("\n".join(said), page))


def _find_heading(line: str) -> int:
    """The level of a heading, 0 for any other line."""
    level = min(6, len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")))
    return level if level and line[level:-level].strip() else 0


def _read_item(item: re.Match[str], page: _Page) -> BlockDraft:
    text = _clean(item[2], page)
    if item[1][-1] in ":;" or not text:
        return BlockDraft("paragraph", text)
    return BlockDraft("list", f"{'-' if item[1][-1] == '*' else '1.'} {text}", level=len(item[1]))


def _find_table_end(lines: list[str], at: int) -> int:
    """The line that closes the table which this one opens; the end where none does."""
    depth = 0
    for number in range(at, len(lines)):
        line = lines[number].strip().lstrip(":")
        depth += line.startswith("{|")
        depth -= line.startswith("|}")
        if depth == 0:
            return number
    return len(lines)


def _read_table(lines: Iterable[str], page: _Page) -> Iterator[BlockDraft]:
    """A table's caption and cells; a table within it is read as further rows."""
    rows: list[list[tuple[str, bool]]] = [[]]
    caption = ""
    for raw in lines:
        line = raw.strip()
        if line.startswith("|+"):
            caption = _strip_attributes(line[2:])
        elif line.startswith(("|-", "{|", "|}")):
            rows.append([])
        elif line.startswith(("|", "!")):
            is_header = line[0] == "!"
            parts = re.split(r"\|\||!!" if is_header else r"\|\|", line[1:])
            rows[-1] += [(_strip_attributes(part), is_header) for part in parts]
        elif rows[-1] and line:
            rows[-1][-1] = (f"{rows[-1][-1][0]} {line}", rows[-1][-1][1])
    cells = [
        Cell(number, column, " ".join(_clean(text, page).split()), header=is_header)
        for number, row in enumerate(row for row in rows if row)
        for column, (text, is_header) in enumerate(row)
    ]
    yield BlockDraft("paragraph", _clean(caption, page), caption=True)
    yield BlockDraft("table", cells=tuple(cells))


def _strip_attributes(text: str) -> str:
    """A cell without the attributes before its bar."""
    attributes = ATTRIBUTES.match(text)
    return text[attributes.end() :] if attributes else text
