"""Marks of Obsidian in Markdown that no reader sees: comments, and the names of embedded pictures."""

import re
from bisect import bisect_left
from collections.abc import Sequence

FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
# `%% … %%` of several words on one line, behind a blank; or from the start of a line to the end of a later one.
INLINE = re.compile(r"(?<!\S)%%(?=[^%`\n]*[^\s%`][ \t]+[^\s%`])[^%`\n]{3,2000}%%(?![\w%])")
OPENING = re.compile(r"%%(?!%)[^%\n]*\n?")
PICTURE = re.compile(
    r"!\[\[[^\[\]\n]{1,300}\.(?:png|jpe?g|gif|webp|svg|bmp|avif)(?:[|#][^\[\]\n]{0,300})?\]\]", re.IGNORECASE
)
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
    ends = [number for number, line in enumerate(lines) if line.rstrip().endswith("%%")]
    fences = [number for number, line in enumerate(lines) if FENCE.match(line)]
    fence, at = "", 0
    while at < len(lines):
        line = lines[at]
        if opening := FENCE.match(line):
            mark = opening[1]
            fence = mark if not fence else "" if mark[0] == fence[0] and len(mark) >= len(fence) else fence
        elif not fence:
            if OPENING.fullmatch(line) and (end := _find_end(ends, fences, at + 1)):
                lines[at:end] = [SHOWN.sub(" ", one) for one in lines[at:end]]
                at = end
                continue
            if "%%" in line or "![[" in line:
                lines[at] = PICTURE.sub(_hide, INLINE.sub(_hide, line))
        at += 1
    return "".join(lines)


def _find_end(ends: Sequence[int], fences: Sequence[int], start: int) -> int:
    """The line behind the comment that is open before `start`; 0 where it never ends, or not before code."""
    end, fence = (_find_next(places, start) for places in (ends, fences))
    return 0 if end is None or (fence is not None and fence < end) else end + 1


def _find_next(places: Sequence[int], start: int) -> int | None:
    at = bisect_left(places, start)
    return places[at] if at < len(places) else None


def _hide(found: re.Match[str]) -> str:
    return f"<!--{' ' * (len(found[0]) - 7)}-->"
