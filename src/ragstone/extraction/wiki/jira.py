"""The markup of Jira and, in its older pages, Confluence: `h1.`, `||header||`, `{code}`."""

import re
from functools import partial

from ragstone.extraction.wiki.dialect import Dialect, Held, Item, emphasis, read_row

CODE = re.compile(r"\{(code|noformat)(?::([^{}\n]{0,300}))?\}((?:[^{]|\{(?!\1\}))*+)\{\1\}")
EMPTY = re.compile(r"\{[*_^~+-]?\}")  # what the editor of Jira puts beside marks within a word
MONO = re.compile(r"\{\{((?:[^{}\n]|\{(?!\{)|\}(?!\})){1,1000}?)\}\}")
PANEL = re.compile(r"\{(?:panel|info|note|tip|warning|expand|section|column)(?::([^{}\n]{0,400}))?\}")
MACRO = re.compile(
    r"\{(?:color|anchor|toc|status|quote|expand|children|attachments|gallery|jira|include|excerpt)(?::[^{}\n]{0,400})?\}"
)
HEADING = re.compile(r"[ \t]*h([1-6])\.[ \t]+(\S.*)")
ITEM = re.compile(r"[ \t]*([*#]{1,9}|-)[ \t]+(\S.*)")
PARTED = re.compile(r"\[[^\]\n]{0,1000}+\]|\{[^}\n]{0,1000}+\}|!\S[^!\n]{0,1000}+!|\\\||\|\|?")
LINK = re.compile(r"\[(?:([^\[\]|\n]{1,1000})\|)?([^\[\]|\n]{1,1000})(?:\|[^\[\]\n]{0,300})?\]")
ADDRESS = re.compile(r"(?:https?|ftp|file|mailto):\S+|[#^~][^\]]+")
IMAGE = re.compile(r"!(\S[^!|\n]{0,300}\.\w{2,5})(?:\|[^!\n]{0,200})?!")
SIGNS = re.compile(
    r"^h[1-6]\.[ \t]+\S|\{(?:code|noformat|quote|panel)(?::[^{}\n]{0,300})?\}|^[ \t]*\|\|[^|\n]+\|\|", re.M
)


def has_jira_marks(text: str) -> bool:
    """Whether a text is written in this markup: headings, tables or code of it.

    >>> has_jira_marks("h3. Steps\\n# Open"), has_jira_marks("The h3. is a tag")
    (True, False)
    """
    return SIGNS.search(text) is not None


def _hold(text: str, held: Held) -> str:
    def hold_code(found: re.Match[str]) -> str:
        first = (found[2] or "").split("|")[0]
        language = first if re.fullmatch(r"\w[\w+#-]{0,20}", first) and found[1] == "code" else None
        return held.hold(found[3], code=True, language=language)

    text = EMPTY.sub("", CODE.sub(hold_code, text))
    text = MONO.sub(lambda found: held.hold(found[1], code=False), text)
    text = PANEL.sub(_show_panel, text)
    return _join_rows(MACRO.sub("", text))


def _show_panel(found: re.Match[str]) -> str:
    title = re.search(r"(?:^|\|)title=([^|]{1,200})", found[1] or "")
    return f"\n\n{title[1]}\n\n" if title else "\n\n"


def _join_rows(text: str) -> str:
    """Rows whose cells have several lines on one line."""
    out: list[str] = []
    opened = False
    for line in text.split("\n"):
        if opened and line.strip() and not line.lstrip().startswith("|"):
            out[-1] += f" {line.strip()}"
        else:
            out.append(line)
        opened = out[-1].lstrip().startswith("|") and not out[-1].rstrip().endswith("|")
    return "\n".join(out)


def _read_heading(line: str) -> tuple[int, str] | None:
    found = HEADING.fullmatch(line)
    return (int(found[1]), found[2]) if found else None


def _read_item(line: str) -> Item | None:
    found = ITEM.fullmatch(line)
    return Item(len(found[1]), found[1].endswith("#"), found[2]) if found else None


def _show_link(found: re.Match[str]) -> str:
    """The words of a link, else where it leads; other words in brackets stay as they are."""
    words, target = found[1], found[2].strip()
    if words:
        return words.strip()
    return target.lstrip("^~#").removeprefix("mailto:") if ADDRESS.fullmatch(target) else found[0]


JIRA = Dialect(
    hold=_hold,
    heading=_read_heading,
    item=_read_item,
    row=partial(read_row, parted=PARTED, head="||"),
    inline=(
        (IMAGE, ""),
        (LINK, _show_link),
        (re.compile(r"(?<!\\)\\\\(?!\\)"), "\n"),
        (emphasis("*"), r"\1"),
        (emphasis("_"), r"\1"),
        (emphasis("??"), r"\1"),
        (emphasis("+"), r"\1"),
        (emphasis("^"), r"\1"),
        (re.compile(r"\\([{}()\[\]*_+!|~^-])"), r"\1"),
    ),
    skipped=re.compile(r"-{4,}"),
    quote=re.compile(r"[ \t]*bq\.[ \t]+"),
)
