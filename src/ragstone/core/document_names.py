"""Names of files as people say them: without the ids that exports of wikis put into names of files and folders."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote

# 32 hexadecimal digits, also in groups (UUID): Notion, ownCloud, Google. At least one is a digit and one a letter.
HEX = r"(?=[0-9a-f-]*[0-9])(?=[0-9-]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
ID = re.compile(rf"(?:^|[ _-]){HEX}(?:_all)?(?=[ _.-]|$)", re.IGNORECASE)
MAIL_SUBJECT = "mail_subject"  # in the metadata of an attachment
LONGEST = 200  # characters of a name; more are no name that anybody gave
WORD = re.compile(r"[^\W\d_]{2}")
WORDS = re.compile(r"[^\W_]+")
COUNT = re.compile(r"\d{1,3}")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
NAMED_DAY = re.compile(r"(?<!\d)((?:19|20|21)\d\d)([-_.])(\d\d)\2(\d\d)(?!\d)")
UNSAID = frozenset("readme index untitled document page new-page home main default".split())  # say nothing of the text


def readable_name(path: str) -> str:
    """The name of a file without ending and ids; "" where it tells nothing.

    >>> readable_name("Wiki 0a1b2c3d4e5f60718293a4b5c6d7e8f9/Vendors 7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29_all.csv")
    'Vendors'
    >>> readable_name("HR/Team-Handbook.md"), readable_name("daily/2024-03-04.md"), readable_name("a/README.md")
    ('Team Handbook', '2024-03-04', '')
    """
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    bare = stem if dot and stem and " " not in ending else name
    said = _leave_out_ids(bare)
    if DAY.fullmatch(said):
        return said
    if not WORD.search(said) or len(said) > LONGEST or said.lower().strip("_") in UNSAID:
        return ""
    return " ".join((said if " " in said else re.sub("[_-]", " ", said)).split())


def date_in_name(path: str) -> str | None:
    """The day that the name of a file holds, as those of daily notes do; None where it holds none, or several.

    >>> date_in_name("daily/2024-03-04.md"), date_in_name("Minutes 2024_03_04.docx"), date_in_name("2024-13-04.md")
    ('2024-03-04', '2024-03-04', None)
    """
    found = {f"{match[1]}-{match[3]}-{match[4]}" for match in NAMED_DAY.finditer(path.rpartition("/")[2])}
    try:
        return date.fromisoformat(found.pop()).isoformat() if len(found) == 1 else None
    except ValueError:
        return None


def readable_path(path: str) -> str:
    """A path whose names are without ids; one that is nothing else stays.

    >>> readable_path("Wiki 0a1b2c3d4e5f60718293a4b5c6d7e8f9/plans/roof.pdf"), readable_path("invoice_123456.html")
    ('Wiki/plans/roof.pdf', 'invoice_123456.html')
    """
    return "/".join(map(_readable_part, path.split("/")))


def list_name_words(path: str, title: str | None, meta: Mapping[str, Any]) -> list[str]:
    """The words of `list_path_words`, and of an attachment those of its mail's subject.

    >>> list_name_words("mails/17.eml/prices.csv", None, {"mail_subject": "Offer for the prices of roofs"})
    ['mails', 'eml', 'prices', 'Offer', 'for', 'the', 'of', 'roofs']
    """
    words = list_path_words(path, title)
    if not (subject := str(meta.get(MAIL_SUBJECT) or "")[:LONGEST]):
        return words
    said = {word.casefold() for word in (*words, *WORDS.findall(title or ""))}
    return [*words, *(one for one in WORDS.findall(subject) if one.casefold() not in said and not COUNT.fullmatch(one))]


def list_path_words(path: str, title: str | None) -> list[str]:
    """The words of a document's folders and file name that its title lacks: "2023 Q1 AAPL.pdf" says of a report what
    its title may not. Left out are names that tell nothing, endings, ids, numbers of fewer than four digits, which
    count files, and what lies before the last 200 characters.

    >>> list_path_words("contracts/ACME%20GmbH/03_2023_Q1-terms.pdf", "Terms of service")
    ['contracts', 'ACME', 'GmbH', '2023', 'Q1']
    >>> list_path_words("guide/install.md", "Install"), list_path_words("a7/readme.md", None)
    (['guide'], ['a7'])
    """
    end = path[-LONGEST:]
    whole = end if end == path else end.partition("/")[2] or end  # no part of a name, nor of an escape
    folder, slash, file = unquote(whole).rpartition("/")
    names = f"{readable_path(folder)}{slash}{readable_name(file)}"
    said = set(WORDS.findall((title or "").casefold()))
    return [one for one in WORDS.findall(names) if one.casefold() not in said and not COUNT.fullmatch(one)]


def _readable_part(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or " " in ending:
        return _leave_out_ids(name) or name
    said = _leave_out_ids(stem)
    return f"{said}{dot}{ending}" if said else name


def _leave_out_ids(stem: str) -> str:
    return ID.sub("", stem).strip(" _-")
