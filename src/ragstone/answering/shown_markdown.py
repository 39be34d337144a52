"""Quoted Markdown as people read it: link texts without targets, no marks of emphasis, no HTML tags."""

import re

CODE = re.compile(r"(```.*?```|~~~.*?~~~|``[^`]{0,500}``|`[^`\n]{0,500}`)", re.DOTALL)
INNER = r"(?:[^\[\]\n]|\n(?!\n)|\[[^\[\]\n]{0,200}\]){0,400}"
TARGET = (
    r"\((?:<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500}){0,3})"
    r"(?:\s{1,3}(?:\"[^\"]{0,300}\"|'[^']{0,300}'))?\)"
)
LINK = re.compile(rf"!?\[(?!\d+\]\[)({INNER})\](?:{TARGET}|\[[^\[\]\n]{{0,100}}\])")
WIKI_LINK = re.compile(r"!?\[\[(?!\s)(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})(?<!\s)\]\](?!\()")
CALLOUT = re.compile(r"^([ \t>]*)\[![\w-]{1,40}\][+-]?[ \t]*", re.MULTILINE)
BLOCK_ID = re.compile(r"[ \t]\^[0-9a-z]{6}$", re.MULTILINE)
HIGHLIGHT = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]{1,300})(?<=[^\s=])==(?![=\w])")
NOTE_MARK = re.compile(r"\[\^[\w-]{1,40}\]")
ADDRESS = re.compile(r"<((?:https?|mailto):[^<>\s]{1,2000})>")
TAG = re.compile(
    r"</?(?:a|abbr|b|br|code|em|font|i|kbd|mark|p|s|small|span|strong|sub|sup|u|var)\b[^<>]{0,500}>", re.IGNORECASE
)
STARS = re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^\n*]{1,500}?)(?<=[^\s*])\1(?![\w*])")
# Underscores stay in names such as `__init__.py`, also within emphasis.
UNDERSCORES = re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])((?:[^\n_]|(?<=\w)_(?=\w)){1,500}?)(?<=[^\s_])\1(?![\w]|\.\w)")
COMMENT = re.compile(r"<!--.{0,500}?-->", re.DOTALL)
BREAK = re.compile(r"\s?<br\s?/?>\s?", re.IGNORECASE)
KEPT = re.compile("\ue000(\\d+)\ue001")  # where code stood: private characters
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


# Documents whose text of record is Markdown or is written like it.
MEDIA_TYPES = frozenset(("text/markdown", "text/html", "multipart/related", "application/xml", "application/epub+zip"))


def strip_markup(text: str) -> str:
    """The text without marks that a page does not show; code stays as it is.

    >>> strip_markup("Data is a [_time series_](https://x.org/T_(1)), **always**.<sup>2</sup> Use `a_b[0](c)`.")
    'Data is a time series, always.2 Use `a_b[0](c)`.'
    >>> strip_markup("See [`lock`][m]<!-- ignore --> in **_hello_cargo_**.")
    'See `lock` in hello_cargo.'
    >>> strip_markup("> [!warning]- Freeze\\n> See [[Plan#Later|the plan]] and [[Rules]]. ^abc123")
    '> Freeze\\n> See the plan and Rules.'
    """
    if "\ue000" in text:  # our mark: a font's own sign is kept, and so is what is around it
        return text
    kept: list[str] = []

    def keep_code(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\ue000{len(kept) - 1}\ue001"

    return KEPT.sub(lambda found: kept[int(found[1])], _strip_prose(CODE.sub(keep_code, text)))


def _strip_prose(text: str) -> str:
    for pattern, shown in (
        (COMMENT, ""),
        (CALLOUT, r"\1"),
        (BLOCK_ID, ""),
        (HIGHLIGHT, r"\1"),
        (WIKI_LINK, r"\1"),
        (NOTE_MARK, ""),
        (LINK, r"\1"),
        (LINK, r"\1"),
        (ADDRESS, r"\1"),
        (BREAK, " "),
        (TAG, ""),
    ):
        text = pattern.sub(shown, text)
    for _ in range(2):  # bold within italics
        text = UNDERSCORES.sub(r"\2", STARS.sub(r"\2", text))
    return ESCAPED.sub(r"\1", text)
