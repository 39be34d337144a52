"""Lines of front matter that say something about a note's subject: text, as the body is."""

import re

PROPERTY = re.compile(
    r"^(?P<key>[^\W\d_][\w -]{0,38}\w):"
    r"(?:[ \t]+(?P<value>[^\s&*|>!{#][^\n]{0,500})|(?:\n[ \t]*-[ \t]+[^\n:]{1,200}){1,50}(?=\n))$",
    re.MULTILINE,
)
# Values of one word that name nothing to a reader: truth values, addresses, names of files and modules, identifiers.
NO_WORD = re.compile(r"true|false|null|~|[^\s@]*(?:://|[^\W\d][./\\][^\W\d])[^\s@]*|[\w-]{24,}", re.IGNORECASE)
KEY_WORD = re.compile(r"[A-Z]?[^\W_A-Z-]+|[A-Z]+")
# Words of keys that are read by programs: classification, and what Jekyll, Hugo, Docusaurus, MkDocs, Microsoft Learn,
# Obsidian and their themes document. `title`, `tags` and `aliases` are found by other ways.
FOR_PROGRAMS = frozenset(
    "title tags tag aliases alias categories category keywords confidentiality doc type created updated modified "
    "lastmod layout template theme schema weight rank slug permalink draft publish published hide hidden locale lang "
    "language id uid uuid sidebar toc nav menu position pagination image cover banner icon thumbnail css cssclass "
    "cssclasses color colour js script url urls link redirect canonical format math comments robots seo".split()
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
        if not NO_WORD.fullmatch((line["value"] or "").strip("\"' \t"))
        and FOR_PROGRAMS.isdisjoint(word.lower() for word in KEY_WORD.findall(line["key"]))
    ]
