"""Values of lists and nested structures below the name of a secret: `passwords: [a, b]`, a block of YAML, bullets, XML.

A name opens a structure; each value in it is a candidate, which `listed_judgement` judges. A structure ends with its
bracket, its indent or its element, or where prose or code stands in it. Each character is looked at once.
"""

import re
from bisect import bisect_left
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import ABOUT, NAME, NAME_END
from ragstone.guard.listed_keys import OTHER_KEYS, VALUE_KEYS
from ragstone.guard.password_words import FOR
from ragstone.guard.pipe_table_secrets import find_line_end
from ragstone.guard.plausible import is_password

# What may follow such a name and still call a list of them: `passwords`, `tokens_prod`, `passwordList`.
REST = (
    r"(?P<plural>s(?![a-z])|(?<=ört)ern?(?![a-z])|(?<=[^\x00-\x7f])\w{1,4}|[_-]?(?:list|array|map|set|dict|all)(?![a-z]))?"
    r"(?:[_-](?:list|array|map|set|dict|all|values?|prod\w*|dev\w*|stag\w*|test|old|new|current|default\w*|\d{1,3}))?"
    r"(?![\w-])"
)
# What makes a list of values in code: `new String[] {`, `List.of(`, `@(`. Other calls make something else of them.
MAKER = (
    r"(?:(?:new[ ]|&|@)?(?:[\w.<>]{0,40}\[[\w.]{0,20}\][\w.*]{0,40}|[\w.]{0,40}(?:list|set|tuple|array|vec|map|dict|of)"
    r"(?:<[\w<>, ]{0,40}>)?!?(?:\(\))?)[ ]?|[@&])?"
)
AND = r"and|or|und|oder|et|ou|y|o|e"
HEAD = compile_late(
    rf"(?i){NAME}{ABOUT}{REST}{NAME_END}(?:"
    rf"[ \t]{{0,8}}(?:[:][ ]?[\w.\[\], |&]{{1,40}}=|:=|=>|[:=]|(?<=[\"'])(?=[ ]\{{))[ \t]{{0,8}}(?:\r?\n[ \t]{{0,24}})?"
    rf"(?:(?P<words>%[wiWI]|qw[ ]?|(?<=s=)(?=\(\S))|{MAKER})(?P<open>[\[({{])"
    rf"|(?P<about>[ ](?:{FOR}|are|is)(?:[ ][^\n:=.,;|]{{1,60}}?)?(?=[ ]?[:：\r\n])|[ ]\([^()\n]{{1,40}}\))?[ \t]{{0,4}}"
    r"(?:(?P<colon>[:：])[ \t]{0,4}(?:\*{1,2}|__)?[ \t]{0,4}(?:[|>][+-]?\d?)?)?[ \t]{0,4}(?:[ ]\#[^\n]{0,80})?"
    r"(?P<block>\r?\n(?:[-=~^]{3,}[ \t]*\r?\n)?)"
    r"|[ \t]{0,4}[:：][ \t]{0,4}(?:\*{1,2}|__)?[ \t]{0,4}"
    rf"(?P<line>(?=[^\s,;][^\n,;]{{3,80}}(?:[,;]|[ ](?:{AND})[ ])[ ]?\S))"
    r"|[ \t]{0,4}[:：]?[ ]?(?:</\w{1,10}>\s{0,40}){1,3}(?P<bullets><[uo]l(?:\s[^<>\n]{0,80})?>)"
    r"|(?P<element>(?:\s[^<>\n]{0,80})?>))"
)
KEY_NAME = compile_late(rf"(?i){NAME}{ABOUT}{REST}")
KEY_BEFORE = re.compile(r"[\ufeff \t>]*(?:[-*+][ \t]+)?[\"'`*]{0,2}[\w.-]*\Z")
SECTION = re.compile(r"[ \t]*\[{1,2}[\"']?[\w.-]*\Z")  # of TOML and its kin

WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
WORDS_OF_KEY = 6
BEFORE, APART = 80, 400  # characters of a line before a name, and between two tags
ITEM = re.compile(
    rf"[ ]?[\"'`]?(?P<value>[^\s,;\"'`]{{5,128}})[\"'`]?[.]?(?:[,;]|[ ](?:{AND})(?=[ ])|[ ]?(?=\r?\n|\Z))"
)
LEAVES = 4  # so many words of prose or code in a row end a structure

QUOTED = (
    r"\\\"(?P<escaped>[^\"\\\n]{0,512})\\\""
    r"|[bru@$]?(?P<mark>[\"'`])(?P<quoted>(?:(?!(?P=mark))[^\n\\]|\\.){0,512})(?P=mark)"
)
CUT = re.compile(r"[\"'](?P<cut>[^\"'\s]{1,512})\Z")  # where a text ends within quotes
BETWEEN = re.compile(r"(?:[\s,;]|(?:\#|//)[^\n]*)*+")
ATOM = re.compile(rf"(?P<open>[\[({{])|(?P<close>[\])}}])|{QUOTED}|(?P<bare>[^\s,;\[\](){{}}\"'`=]{{1,512}})")
JOINER = re.compile(r"[ \t]*+(?:=>|:=|[:=](?!=))[ \t]*+")
ENDS = re.compile(r"[ \t]*+(?:[,;\])}\r\n]|\\n|\Z|(?<=[ \t])(?:[\"'\#]|/[/*]))")  # shells put blanks between
BARE_ENDS = re.compile(r"[ \t]*+(?:[,;\]}\r\n]|(?<=[ \t])\#|\Z)")
STANDS = "[{,\n:"  # what stands before a value without quotes
WORD_ENDS = re.compile(r"[\s\])}]")  # in lists of words: `%w[a b]`, `(a b)`

LIST_BEGINS = re.compile(r"[\[({]\\?[\"']|&\[")
LINE = re.compile(r"(?P<indent>[ \t>]*+)(?P<bullet>(?:(?:[-*+•–]|\d{1,3}[.)])[ \t]++){0,3})")
KEYED = re.compile(
    r"(?P<key>[\"'`*]{0,2}[^\s:\"'`=|\[{][^:\"'`=|\n]{0,60}[\"'`*]{0,2})(?::|[ ]*=|[ ](?:/|[–—-]>?|→))(?:[*]{2})?"
    r"(?:[ \t]++|\Z)"
)
SCALAR = re.compile(
    rf"[*_]{{0,2}}(?:{QUOTED}|(?P<bare>[^\s\"'`*\[{{<|>&][^\s]{{0,511}}?))[*_]{{0,2}},?"
    r"[ \t]*+(?:(?<=[ \t])\#[^\n]*)?\Z"
)
OPENING = re.compile(r"<[\w.:-]{0,40}\Z")
TAG = re.compile(r"<(?P<close>/)?(?P<tag>[A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,400}?)?(?P<empty>/)?>|<!\[CDATA\[|\]\]>")
TEXT = re.compile(r"\s*+(?P<value>[^\s<>]{1,512})\s*+(?=<|\]\]>)")


class Listed(NamedTuple):
    """Place of a value below a name; `strict` where its place says that it is what the name says."""

    start: int
    end: int
    password: bool
    strict: bool


class Context(NamedTuple):
    """The kind of the values in a structure: passwords or other secrets, of one name or of many."""

    password: bool
    plural: bool
    strict: bool


def opens_list(match: re.Match[str]) -> bool:
    """Whether an assignment's value is the beginning of a list in quotes: nothing that goes on to the next blank."""
    return match["bare"] is not None and LIST_BEGINS.match(match["bare"]) is not None and _is_head(match)


def _is_head(match: re.Match[str]) -> bool:
    head = HEAD.match(match.string, match.start())
    return head is not None and head["open"] is not None


def find_list_end(text: str, at: int) -> int:
    """Where the structure ends that the name at a place opens; the place itself if it opens none."""
    found = _open_structure(text, at, ())
    try:
        while found is not None:
            next(found)
    except StopIteration as end:
        return int(end.value)
    return at


def find_listed(text: str, names: Sequence[int]) -> Iterator[Listed]:
    """Each value below a name; `names` are places of suspicious words, in order."""
    done = 0
    for at in names:
        if at >= done and (structure := _open_structure(text, at, names)) is not None:
            done = yield from structure


def _open_structure(text: str, at: int, names: Sequence[int]) -> Generator[Listed, None, int] | None:
    match = HEAD.match(text, at)
    if match is None:
        return None
    context = _make_context(match, strict=True)
    if match["open"]:
        return _walk_brackets(text, match.end() - 1, context, names, words=match["words"] is not None)
    if match["block"]:
        start = text.rfind("\n", 0, at) + 1
        before = text[max(start, at - BEFORE) : at]
        plain = match["colon"] is not None and match["about"] is None and KEY_BEFORE.match(before) is not None
        base = -1 if SECTION.match(before) and "]" in match[0] else _indent(text, start)
        return _walk_block(text, match.end(), base, context._replace(strict=plain), names)
    if match["line"] is not None:
        return _walk_line(text, match.end(), context) if context.plural else None
    if match["bullets"]:
        return _walk_elements(text, match.start("bullets"), context, names)
    opening = OPENING.search(text[max(0, at - 48) : at])
    return _walk_elements(text, at - len(opening[0]), context, names) if opening else None


def _make_context(match: re.Match[str], *, strict: bool) -> Context:
    plural = match["plural"] is not None or match[0].lower().startswith("credentials")
    return Context(match["password"] is not None, plural, strict)


def _enter(
    text: str, start: int, end: int, context: Context | None, names: Sequence[int]
) -> tuple[Context | None, bool]:
    """What stands below a key, and whether it is for this pass to judge a value right beside it."""
    for place in names[bisect_left(names, start) : bisect_left(names, end)]:
        match = KEY_NAME.match(text, place, end)
        if match and match.end() >= end - 2:
            return _make_context(match, strict=True), False
    if context is None:
        return None, False
    words = [word.lower() for word in WORDS.findall(text[start:end])[-WORDS_OF_KEY:]]
    if words and words[-1] in VALUE_KEYS:
        return context, True
    if not context.plural or OTHER_KEYS.intersection(words):
        return None, False
    return context._replace(strict=False), True


def _walk_brackets(
    text: str, at: int, context: Context | None, names: Sequence[int], *, words: bool = False
) -> Generator[Listed, None, int]:
    """The values between brackets, from the opening one on; gives where they end. Only blanks part `words`."""
    stack: list[Context | None] = []
    below, own, strange = context, True, 0
    while strange < LEAVES and (atom := ATOM.match(text, at)):
        at = atom.end()
        if atom["open"]:
            stack.append(below)
        elif atom["close"]:
            stack.pop()
            if not stack:
                return at
        else:
            group = next(name for name in ("escaped", "quoted", "bare") if atom[name] is not None)
            start, end = atom.span(group)
            joiner = JOINER.match(text, at)
            if group == "bare" and text[end - 1] == ":":
                end, joined = end - 1, True
            else:
                joined = joiner is not None
            if joined:
                at = joiner.end() if joiner else at
                below, own = _enter(text, start, end, stack[-1], names)
                at = BETWEEN.match(text, at).end()  # type: ignore[union-attr]
                continue
            alone = WORD_ENDS.match(text, end) is not None if words else _stands_alone(text, start, end)
            fits = alone if group == "bare" else ENDS.match(text, at) is not None
            strange = 0 if fits or group != "bare" else strange + 1
            if below is not None and own and fits:
                yield Listed(
                    start,
                    end,
                    below.password,
                    below.strict and not words and (group != "bare" or text[start - 1] != "("),
                )
        below, own = stack[-1], True
        at = BETWEEN.match(text, at).end()  # type: ignore[union-attr]
    if stack and below is not None and own and (cut := CUT.match(text, at)):
        yield Listed(*cut.span("cut"), below.password, below.strict)
    return at


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a value without quotes is all there is between two marks."""
    before = text[max(0, start - 24) : start].rstrip(" \t")
    return before[-1:] in STANDS and BARE_ENDS.match(text, end) is not None


def _walk_block(text: str, at: int, base: int, context: Context, names: Sequence[int]) -> Generator[Listed, None, int]:
    """The values in the lines below a name: bullets, and lines with a deeper indent than `base`; gives where they end.
    A base below zero is that of a section, which goes on to the next one."""
    stack: list[tuple[int, Context | None]] = [(base, context)]
    blank, strange = 0, 0
    while at < len(text) and strange < LEAVES:
        below_line = find_line_end(text, at) + 1
        end = below_line - 1 - text.endswith("\r", at, below_line - 1)
        line = LINE.match(text, at, end)
        assert line is not None
        start, indent = line.end(), len(line["indent"])
        if not text[start:end].strip():
            at, blank = below_line, blank + 1
            if blank > 1:
                break
            continue
        alone = context.plural and context.strict and SCALAR.match(text, start, end) and text[end - 1] != ":"
        if indent < base or (indent == base and not line["bullet"] and not alone):
            break
        if not (line["bullet"] or context.strict or base < 0) or (base < 0 and text[start] == "["):
            break
        blank, at = 0, below_line
        while len(stack) > 1 and (indent < stack[-1][0] or (indent == stack[-1][0] and not line["bullet"])):
            stack.pop()
        below, own = stack[-1][1], True
        if keyed := KEYED.match(text, start, end):
            first = start + len(keyed["key"]) - len(keyed["key"].lstrip("\"'`*"))
            below, own = _enter(text, first, start + len(keyed["key"].rstrip("\"'`*")), below, names)
            start = keyed.end()
        if not text[start:end].strip() or text[start] in "|>&!#":
            stack.append((len(line[0]), below))
        elif text[start] in "[{":
            at = max(at, (yield from _walk_brackets(text, start, below, names)))
        elif (scalar := SCALAR.match(text, start, end)) and below is not None and own:
            group = next(name for name in ("escaped", "quoted", "bare") if scalar[name] is not None)
            yield Listed(*scalar.span(group), below.password, below.strict)
            strange = 0
        else:
            strange += scalar is None
    return at


def _walk_line(text: str, at: int, context: Context) -> Generator[Listed, None, int]:
    """The values behind a name on its line, with commas or "and" between them; words of prose are none."""
    items = []
    while item := ITEM.match(text, at):
        items.append(item.span("value"))
        at = item.end()
    meant = all(is_password(text[slice(*place)]) for place in items)
    for place in items:
        yield Listed(*place, context.password, meant)
    return at


def _indent(text: str, line_start: int) -> int:
    line = LINE.match(text, line_start)
    return len(line[0]) if line and line["bullet"] else len(line["indent"]) if line else 0


def _walk_elements(text: str, at: int, context: Context, names: Sequence[int]) -> Generator[Listed, None, int]:
    """The values in the elements of markup, from the opening one on; gives where they end."""
    stack: list[tuple[str, Context | None, bool]] = []
    tag = TAG.match(text, at)  # none where quotes or too long a name spoil it
    while tag:
        at = tag.end()
        if tag["close"]:
            if tag["tag"] != stack.pop()[0]:
                break
        elif tag["tag"] and not tag["empty"]:
            below, own = _enter(text, *tag.span("tag"), stack[-1][1], names) if stack else (context, False)
            stack.append((tag["tag"], below, own))
        if not stack:
            break
        _, below, own = stack[-1]
        if below is not None and own and not tag["close"] and (value := TEXT.match(text, at)):
            yield Listed(*value.span("value"), below.password, below.strict)
        tag = TAG.match(text, at) or TAG.search(text, at, at + APART)
    return at
