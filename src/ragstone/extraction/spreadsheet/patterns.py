"""Patterns for rows of a worksheet's XML, with its prefixes and numbers of styles."""

import re
from functools import cache
from typing import NamedTuple

PLACED = rb"c r=[\"']([A-Z]{1,3})\d[^>]*?"  # as all writers begin a cell


class Patterns(NamedTuple):
    """Texts and expressions for one worksheet; the last three are None where no style asks for them."""

    row: bytes
    cell: bytes
    formula: bytes
    formulas: tuple[bytes, bytes]
    ends: tuple[bytes, bytes]
    value: bytes
    computed: bytes
    empty: bytes
    styled: re.Pattern[bytes] | None
    placed: re.Pattern[bytes] | None
    dated: re.Pattern[bytes] | None


@cache
def compile_patterns(prefix: bytes, codes: frozenset[int], dates: frozenset[int]) -> Patterns:
    """For names with this prefix ("x:" or ""), styles with a code, and styles of dates."""
    style = rb"s=(?<=\bs=)[\"'](" + _join_indexes(codes) + rb")[\"']"
    below = rb"s=(?<=\bs=)[\"'](?:" + _join_indexes(dates) + rb")[\"'][^>]{0,200}>(?:<[^<]*</[^<]*f>)?<[^<]*v>-"
    return Patterns(
        row=b"<" + prefix + b"row",
        cell=b"<" + prefix + b"c ",
        formula=b"<" + prefix + b"f",
        formulas=(b"<" + prefix + b"f>", b"<" + prefix + b"f "),
        ends=(b"</" + prefix + b"v>", b"</" + prefix + b"is>"),
        value=b"<" + prefix + b"v",
        computed=b"</" + prefix + b"f><" + prefix + b"v>",
        empty=b"<" + prefix + b"v></" + prefix + b"v>",
        styled=re.compile(style) if codes else None,
        placed=re.compile(b"<" + re.escape(prefix) + PLACED + style) if codes else None,
        dated=re.compile(below) if dates else None,
    )


def _join_indexes(indexes: frozenset[int]) -> bytes:
    return b"|".join(b"%d" % index for index in sorted(indexes))
