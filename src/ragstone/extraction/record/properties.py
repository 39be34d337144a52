"""Properties of a note, key and value: those about its subject are text, those for programs are not."""

import re

# Values of one word that name nothing to a reader: truth values, addresses, names of files and modules, identifiers.
NO_WORD = re.compile(r"true|false|null|~|[^\s@]*(?:://|[^\W\d][./\\][^\W\d])[^\s@]*|[\w-]{24,}", re.IGNORECASE)
KEY_WORD = re.compile(r"[A-Z]?[^\W_A-Z-]+|[A-Z]+")
# Words of keys that are read by programs: classification, and what Jekyll, Hugo, Docusaurus, MkDocs, Microsoft Learn,
# Obsidian, Org and their themes document. `title`, `tags` and `aliases` are found by other ways.
FOR_PROGRAMS = frozenset(
    "title tags tag aliases alias categories category keywords confidentiality doc type created updated modified "
    "lastmod layout template theme schema weight rank slug permalink draft publish published hide hidden locale lang "
    "language id uid uuid sidebar toc nav menu position pagination image cover banner icon thumbnail css cssclass "
    "cssclasses color colour js script url urls link redirect canonical format math comments robots seo "
    "roam archive logging columns visibility header export".split()
)


def is_about_subject(key: str, value: str) -> bool:
    """Whether people wrote a property for people; `value` is empty where a list follows.

    >>> is_about_subject("birthday", "1979-08-23"), is_about_subject("navOrder", "3"), is_about_subject("done", "true")
    (True, False, False)
    """
    names = (word.lower() for word in KEY_WORD.findall(key))
    return FOR_PROGRAMS.isdisjoint(names) and not NO_WORD.fullmatch(value.strip("\"' \t"))
