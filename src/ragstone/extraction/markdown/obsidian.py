"""Marks of Obsidian in Markdown: comments and the names of embedded pictures, which no reader sees, and tags."""

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice

FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})([^\r\n]*)")
# What stays on a line: code, and HTML comments, which are hidden as they are.
KEPT = re.compile(r"(?<!`)(`++).*?(?<!`)\1(?!`)|<!--(?:(?!<!--).)*?-->")
# `%% … %%` of several words on one line, behind a blank; or from the start of a line to the end of a later one.
INLINE = re.compile(r"(?<!\S)%%(?=[^%`\n]*[^\s%`][ \t]+[^\s%`])[^%`\n]{3,2000}%%(?![\w%])")
OPENING = re.compile(r"%%(?!%)[^%\r\n]*[\r\n]*")
CLOSING = re.compile(r"[^%]*(?<!\d)%%\s*")
PICTURE = re.compile(
    r"!\[\[[^\[\]\n]{1,300}\.(?:png|jpe?g|gif|webp|svg|bmp|avif)(?:[|#][^\[\]\n]{0,300})?\]\]", re.IGNORECASE
)
# `#garden/irrigation` behind a blank: with a letter, and no colour (`#e3f2f0`).
TAG = re.compile(
    r"(?<!\S)#(?!(?=[a-f]*\d)[\da-f]{3,8}(?![\w/-]))(?=[\d_/-]*[^\W\d_])([\w-]+(?:/[\w-]+){0,8})(?![\w/#])",
    re.IGNORECASE,
)
LONGEST_LINE = 10_000  # characters; nobody wrote a longer one with tags
MOST_TAGS, DEEPEST_TAG = 500, 9
SHOWN = re.compile(r"[^\r\n]")


def hide_comments(text: str) -> str:
    r"""The text with comments as spaces, on one line as HTML comments: characters and lines stay where they are.

    Code stays.

    >>> hide_comments("Ship it. %% ask Bo %%\n%%\nold\n%%\n")
    'Ship it. <!--     -->\n  \n   \n  \n'
    """
    if "%%" not in text and "![[" not in text:
        return text
    lines = text.splitlines(keepends=True)
    # Where a comment over several lines ends: at the next sign, and before code; beside words also at a blank line.
    signs = [number for number, line in enumerate(lines) if "%%" in line or FENCE.match(line)]
    blanks = [number for number, line in enumerate(lines) if not line.strip()]
    fence, at = "", 0
    while at < len(lines):
        line = lines[at]
        if opening := FENCE.match(line):
            mark = opening[1]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence) and not opening[2].strip():
                fence = ""
        elif not fence:
            if OPENING.fullmatch(line):
                last = _find_next(signs, at + 1)
                blank = _find_next(blanks, at + 1) if line.strip() != "%%" else len(lines)
                if last < min(blank, len(lines)) and CLOSING.fullmatch(lines[last]):
                    lines[at : last + 1] = [SHOWN.sub(" ", one) for one in lines[at : last + 1]]
                    at = last + 1
                    continue
            if "%%" in line or "![[" in line:
                lines[at] = _hide_within(line)
        at += 1
    return "".join(lines)


def find_tags(texts: Iterable[str]) -> list[str]:
    """The tags in texts of Markdown, outside code, each once; a nested one comes with those that it lies below.

    >>> find_tags(["Order a hose #garden/irrigation, `#include`, item #12, [up](#top) #3d"])
    ['garden', 'garden/irrigation', '3d']
    """
    lines = (line for text in texts if "#" in text for line in text.splitlines() if "#" in line)
    found = (match[1] for line in lines if len(line) <= LONGEST_LINE for match in TAG.finditer(KEPT.sub(" ", line)))
    tags = dict.fromkeys(part for tag in found for part in list_nested_tags(tag))
    return list(islice(tags, MOST_TAGS))


def list_nested_tags(tag: str) -> list[str]:
    """A tag behind those that it lies below.

    >>> list_nested_tags("garden/irrigation")
    ['garden', 'garden/irrigation']
    """
    parts = tag.split("/")
    return ["/".join(parts[: n + 1]) for n in range(len(parts))] if len(parts) <= DEEPEST_TAG else [tag]


def _find_next(places: Sequence[int], start: int) -> int:
    at = bisect_left(places, start)
    return places[at] if at < len(places) else sys.maxsize


def _hide_within(line: str) -> str:
    """A line with the comments and pictures outside code hidden."""
    parts: list[str] = []
    at = 0
    for kept in KEPT.finditer(line):
        parts += [PICTURE.sub(_hide, INLINE.sub(_hide, line[at : kept.start()])), kept[0]]
        at = kept.end()
    return "".join((*parts, PICTURE.sub(_hide, INLINE.sub(_hide, line[at:]))))


def _hide(found: re.Match[str]) -> str:
    return f"<!--{' ' * (len(found[0]) - 7)}-->"
