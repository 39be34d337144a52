"""Fields of forms: lines with a name and a value, one below the other."""

import re
from collections.abc import Iterator, Set

# "Status: Open", "**Due date:** Monday", "due:: Monday" (Dataview), ":OWNER: Bo" (Org); nothing set in, and no talk
# ("Q: …?", "A: Yes. It …").
NAME = r":?(?:\*\*|__)?(?:[^\W\d_a-zß-ÿ][\w \t()/.&'’-]{1,48}|[^\W\d_][\w-]{1,24}(?: [\w-]{1,24})?)(?:\*\*|__)?"
MARK = r"[ \t\u00a0]?::?(?:\*\*|__)?"
VALUE = r"(?=\S)(?:(?!(?:[!?]|(?<!\d)\.)[ \t])[^\n]){1,100}"  # "12. Mai 1966" is one
FIELD = re.compile(rf"{NAME}{MARK}[ \t\u00a0]+{VALUE}(?<!\?)")
ALONE = re.compile(NAME + MARK)  # its values are the items below it
ITEM = re.compile(rf"[ \t]*[-*+•][ \t]+{VALUE}")
PARAGRAPH = re.compile(r"(?:^(?!#{1,6}[ \t]|#\+)[^\n]*\S[^\n]*\n?)+", re.MULTILINE)
LINE = re.compile(r"[^\n]+")
FEWEST = 2  # one alone may be a sentence ("Note: …")


def find_fields(text: str, start: int, end: int, joins: Set[int] = frozenset()) -> list[tuple[int, int]]:
    """The fields in a range of a text, as (start, end): of paragraphs that are nothing else, between headings too.

    A name alone takes along the list below it, where another field has its value beside its name. `joins` are the ends
    of the parts that a text is put together of: a form may end there, as the properties above a note's first sentence.

    >>> text = "Status: Open\\nguests:\\n  - Bo\\n  - Ann\\n# Plan\\nNote: mind the gap."
    >>> [text[slice(*field)] for field in find_fields(text, 0, len(text))]
    ['Status: Open', 'guests:\\n  - Bo\\n  - Ann']
    """
    paragraphs = PARAGRAPH.finditer(text, start, end)
    return [field for found in paragraphs for field in _read_form(text, found.start(), found.end(), joins)]


def begins_with_field(text: str) -> bool:
    """Whether the first of several lines is a field.

    >>> begins_with_field("owner: Bo Reed\\nShe sails."), begins_with_field("owner: Bo Reed")
    (True, False)
    """
    first, _, rest = text.partition("\n")
    return bool(rest) and FIELD.fullmatch(first.rstrip()) is not None


def _read_form(text: str, start: int, end: int, joins: Set[int]) -> list[tuple[int, int]]:
    """The fields of a paragraph, or of its beginning up to a join; none where a line is no part of one."""
    fields: list[tuple[int, int]] = []
    alone = listed = valued = False  # a name alone came last; an item below it
    for first, last in _find_lines(text, start, end):
        if alone and ITEM.fullmatch(text, first, last):
            fields[-1] = (fields[-1][0], last)
            listed = True
        elif alone and not listed:
            return []
        elif FIELD.fullmatch(text, first, last):
            fields.append((first, last))
            alone, valued = False, True
        elif ALONE.fullmatch(text, first, last):
            fields.append((first, last))
            alone, listed = True, False
        elif fields and fields[-1][1] in joins:
            break
        else:
            return []
    return fields if valued and (listed or not alone) and len(fields) >= FEWEST else []


def _find_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return ((line.start(), line.start() + len(line[0].rstrip())) for line in LINE.finditer(text, start, end))
