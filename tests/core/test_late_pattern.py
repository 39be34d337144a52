"""Patterns that are compiled at their first use."""

import re
from copy import copy

import pytest

from ragstone.core.late_pattern import compile_late


def test_a_late_pattern_does_what_a_compiled_one_does() -> None:
    late, now = compile_late("(?P<word>b+)", re.IGNORECASE), re.compile("(?P<word>b+)", re.IGNORECASE)
    found = late.match("BBa")
    assert found is not None
    assert found["word"] == "BB"
    assert late.sub("-", "abBc") == now.sub("-", "abBc")
    assert [one.span() for one in late.finditer("bab", 1)] == [one.span() for one in now.finditer("bab", 1)]
    assert (late.pattern, late.flags) == (now.pattern, now.flags)
    assert copy(late).fullmatch("bb")


def test_nothing_is_compiled_before_the_first_use() -> None:
    wrong = compile_late("(")
    with pytest.raises(re.error):
        wrong.search("")
