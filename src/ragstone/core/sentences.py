"""Where sentences begin and end: for chunking, for windows, for answers."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ragstone.core.abbreviations import is_inside_sentence
from ragstone.core.newlines import unify_newlines

# A run of stops is looked at once, from its beginning: a million dots must not take a million squared.
END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]*_`]*+(?=\s|$)|[。！？]++[」』”]?")
# The last: objects of JSON, and entries of a log or chat, that begin a line.
BREAK = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t>]*(?:[-*+•▪‣◦●]|\d+[.)])[ \t])|\n(?=[ \t>]*[|#])|(?<=\|)[ \t]*\n"
    r"|\n(?=[ \t]*\{\s*\")|\n(?=[\u200e\u200f]?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[,T]?[ \t]{0,2}\d{1,2}:\d\d)"
)
# A heading on a line of its own: Markdown (in a quote or list item too), AsciiDoc and MediaWiki.
MARKED = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:#{1,6}|={2,6})[ \t]+[^\s=#][^\n]*$", re.MULTILINE)
# A line in bold type. It heads what follows where nothing runs on into it or out of it.
BOLD = re.compile(r"^[ \t>]*(\*\*|__)(?=\w)[^*_\n]+\1:?[ \t]*$(?!\n[ \t>]*[a-z])", re.MULTILINE)
RUNS_ON = re.compile(r"[^\s>.!?:;*_=#-][ \t]*\Z")
# A line of one sign: below a title (Markdown, reStructuredText, plain text), or between two parts.
RULE = re.compile(r"^[ \t>]*([-=~^\"'*+#_:.])(?:[ \t]*\1)+[ \t]*$", re.MULTILINE)
# The line below the header of a table that has no outer bars, and its further rows.
ROWS = re.compile(r"^[ \t>]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+(?:\n[^|\n]+\|[^\n]*)*", re.MULTILINE)
# A numbered line of a few words above a paragraph, as contracts and standards in plain text have: "3 Rent", "§ 5 Use".
NUMBERED_HEADING = re.compile(
    r"(?:(?<=\n\n)|(?<=\n \n)|\A)[ \t]{0,8}(?:§ ?\d{1,4}[a-z]?|\d{1,3}(?:\.\d{1,3}){0,4}"
    r"|(?:Section|Article|Clause|Artikel|Abschnitt|Ziffer|Artículo|Articolo) \d{1,4})[.)]?[ \t]{1,4}"
    r"[^\W\d_a-z][^\n.!?:;|,]{0,56}[\w)”\"](?=[ \t]*\n(?:[ \t]*\n)?[ \t]*"
    r"(?:\d{1,3}(?:\.\d{1,3}){1,4}[.)]?[ \t]{1,4})?[\"“(]?[^\W\d_a-z])"
)
NEWLINE, SAID = re.compile(r"\n"), re.compile(r"\w")
# What a line begins with that is numbered: the number of an item or a heading, or below a blank line a word with one
# ("Figure 2.1.").
NUMBERED = re.compile(
    r"(?:(?:^|\n)[ \t>]*|(?:^|\n[ \t>]*\n)[ \t>]*[^\W\d_a-z]\w{2,14}[ \u00a0])\d{1,9}(?:\.\d{1,9}){0,5}$"
)
LONGEST_NUMBER = 60
LINE_END = re.compile(r"[ \t]*+\n")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of a text as (start, end) in characters: trimmed, in order, never overlapping.

    A blank line, a list item and a table row end a sentence as well. A heading with its underline is one by itself,
    blank line or not, even with stops in it.

    >>> text = "See Fig. 2 of v1.2. It works! - one\\n- two"
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['See Fig. 2 of v1.2.', 'It works!', '- one', '- two']
    """
    text = unify_newlines(text).replace("\r\n", " \n")  # places stay
    out: list[tuple[int, int]] = []
    start = 0
    breaks = (m.start() for m in BREAK.finditer(text))
    headings = sorted(_find_headings(text))
    edges = (edge for heading in headings for edge in heading)
    stops = _leave_out_inner(_find_stops(text), headings)
    for cut in sorted({*stops, *breaks, *edges, *_find_row_edges(text), len(text)}):
        left = start + len(text[start:cut]) - len(text[start:cut].lstrip())
        right = left + len(text[left:cut].rstrip())
        if right > left:
            out.append((left, right))
        start = cut
    return out


def is_heading_line(text: str) -> bool:
    """Whether a sentence is a heading by its marks, or by the line below it.

    >>> is_heading_line("# Tax"), is_heading_line("Tax\\n==="), is_heading_line("Tax")
    (True, True, False)
    """
    title, _, rule = text.rpartition("\n")
    return MARKED.fullmatch(text) is not None or (
        RULE.fullmatch(rule) is not None and "\n" not in title and SAID.search(title) is not None
    )


def is_numbered_heading(text: str, start: int, end: int) -> bool:
    """Whether a range of a text is a numbered line that heads the paragraph below it.

    >>> is_numbered_heading("3 Rent\\nThe rent is low.", 0, 6), is_numbered_heading("3 Rent", 0, 6)
    (True, False)
    """
    line = text.rfind("\n", 0, start) + 1
    found = None if text[line:start].strip() else NUMBERED_HEADING.match(text, line)
    return found is not None and found.end() == end


def _find_stops(text: str) -> list[int]:
    return [m.end() for m in END.finditer(text) if not is_abbreviation(text, m)]


def _leave_out_inner(stops: Sequence[int], headings: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The stops that stand in no heading: `3. Scope` is one line."""
    starts = [start for start, _ in headings]
    for stop in stops:
        last = bisect_left(starts, stop) - 1
        if last < 0 or stop >= headings[last][1]:
            yield stop


def _find_headings(text: str) -> Iterator[tuple[int, int]]:
    """Where headings begin and end, with the line of signs below them, and such lines by themselves."""
    for heading in MARKED.finditer(text):
        yield heading.span()
    for numbered in NUMBERED_HEADING.finditer(text):
        yield numbered.span()
    for bold in BOLD.finditer(text):
        if not RUNS_ON.search(_line_before(text, bold.start())):
            yield bold.span()
    for rule in RULE.finditer(text):
        title = _line_before(text, rule.start())
        start = max(0, rule.start() - len(title) - 1) if len(rule[0].rstrip()) >= len(title) else rule.end()
        if title.rstrip().endswith("."):  # the end of a paragraph above a rule between two parts
            yield start, start
            start = rule.end()
        yield start, rule.end()


def _find_row_edges(text: str) -> Iterator[int]:
    """Where rows of tables without outer bars begin and end."""
    for rows in ROWS.finditer(text):
        yield max(0, rows.start() - 1)
        yield from (m.start() for m in NEWLINE.finditer(text, *rows.span()))
        yield rows.end()


def _line_before(text: str, start: int) -> str:
    """The line above the one that begins at `start`, without its break."""
    return text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]


def is_abbreviation(text: str, stop: re.Match[str]) -> bool:
    """Whether this full stop belongs to an abbreviation, an initial or the number of an item, heading or figure."""
    if stop[0] != ".":
        return False
    return is_inside_sentence(text, stop.start()) or (
        text[stop.start() - 1 : stop.start()].isdigit() and _ends_line_number(text, stop)
    )


def _ends_line_number(text: str, stop: re.Match[str]) -> bool:
    """Whether a full stop ends the number of an item, which may stand alone on its line, or that of a heading or
    figure, which may not: `Area 30.` above `Depth 5.` is a sentence."""
    number = NUMBERED.search(text, max(0, stop.start() - LONGEST_NUMBER), stop.start())
    return number is not None and (number[0].strip("\n\t >").isdigit() or not LINE_END.match(text, stop.end()))
