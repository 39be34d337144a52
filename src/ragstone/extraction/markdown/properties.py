"""Lines of front matter that say something about a note's subject: text, as the body is."""

import re

from ragstone.extraction.record.properties import is_about_subject

PROPERTY = re.compile(
    r"^(?P<key>[^\W\d_][\w -]{0,38}\w):"
    r"(?:[ \t]+(?P<value>[^\s&*|>!{#][^\n]{0,500})|[ \t\r]*+(?:\n[ \t]*-[ \t]+[^\n:]{1,200}$)++)"
    r"$(?!(?:\n[ \t\r]*+)++(?:-[ \t]|(?<=[ \t])\S))",  # no part of a value that goes on
    re.MULTILINE,
)


def find_properties(source: str, end: int) -> list[tuple[int, int]]:
    """The places of what people wrote for people in front matter, which ends at `end`: lines, or a key with its list.

    >>> text = "---\\ntitle: A\\nbirthday: 1979-08-23\\nnavOrder: 3\\nguests:\\n  - Bo\\n  - Ann\\n---\\n"
    >>> [text[a:b] for a, b in find_properties(text, len(text))]
    ['birthday: 1979-08-23', 'guests:\\n  - Bo\\n  - Ann']
    """
    return [
        (line.start(), line.start() + len(line[0].rstrip()))
        for line in PROPERTY.finditer(source, 0, end)
        if is_about_subject(line["key"], line["value"] or "")
    ]
