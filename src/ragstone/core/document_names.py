"""Names of files as people say them: without the ids that exports of wikis put into names of files and folders."""

import re

# 32 hexadecimal digits, also in groups (UUID): Notion, ownCloud, Google. At least one is a digit and one a letter.
HEX = r"(?=[0-9a-f-]*[0-9])(?=[0-9-]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
ID = re.compile(rf"(?:^|[ _-]){HEX}(?:_all)?(?=[ _.-]|$)", re.IGNORECASE)
LONGEST = 200  # characters of a name; more are no name that anybody gave
WORD = re.compile(r"[^\W\d_]{2}")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
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


def readable_path(path: str) -> str:
    """A path whose names are without ids; one that is nothing else stays.

    >>> readable_path("Wiki 0a1b2c3d4e5f60718293a4b5c6d7e8f9/plans/roof.pdf"), readable_path("invoice_123456.html")
    ('Wiki/plans/roof.pdf', 'invoice_123456.html')
    """
    return "/".join(map(_readable_part, path.split("/")))


def _readable_part(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or " " in ending:
        return _leave_out_ids(name) or name
    said = _leave_out_ids(stem)
    return f"{said}{dot}{ending}" if said else name


def _leave_out_ids(stem: str) -> str:
    return ID.sub("", stem).strip(" _-")
