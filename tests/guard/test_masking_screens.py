"""What is looked at before the slow patterns of secrets changes nothing of what these find."""

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.guard import find_secrets
from ragstone.guard.assignments import ABOUT, NAME, STARTS
from ragstone.guard.lead_words import LEADS, find_places
from ragstone.guard.password_words import OTHER_PATTERN, OTHER_WORDS, find_other_words
from ragstone.guard.pipe_table_secrets import match_heading
from ragstone.guard.secret_places import MASK_MARK, WordFinder, fold_case

# A heading as one pattern, which tries each way to take its words apart.
HEADING = re.compile(rf"(?i)[^\w]*(?:[\w-]+ ?){{0,3}}?{NAME}{ABOUT}[\w-]{{0,20}}(?: ?\([^()]*\))?[^\w]*")
PIECES = ["password", "Client ", "API ", "key", "secret", "token", " (hex)", "**", " ", "-", "_", "id", "file", "db"]
FORMS = (str, str.upper, str.title, str.casefold)


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
@settings(max_examples=300, deadline=None)
def test_a_heading_names_a_secret_where_one_pattern_says_so(cell: str) -> None:
    names = find_places(cell).find(STARTS)
    found, wanted = match_heading(cell, (0, len(cell)), names), HEADING.fullmatch(cell)
    assert (found is None) == (wanted is None)


@given(st.lists(st.sampled_from([*LEADS, "=", " ", "é", "K"]), max_size=12).map("".join))
@settings(max_examples=100, deadline=None)
def test_one_pass_finds_each_word_wherever_it_stands(text: str) -> None:
    lower = fold_case(text)
    found = find_places(text).starts
    for word in set(LEADS):
        assert list(found.get(word, [])) == [m.start() for m in re.finditer(f"(?={re.escape(word)})", lower)]


def test_the_words_of_a_mask_are_not_found() -> None:
    finder = WordFinder(["pass", "password", "word"])
    assert finder.find(f"{MASK_MARK}password] password").find(["password", "word"]) == [18, 22]


@pytest.mark.parametrize("word", [*OTHER_WORDS, "ŞİFRE", "ΚΩΔΙΚΌΣ"])
@pytest.mark.parametrize("form", FORMS)
def test_words_of_other_languages_are_found_in_any_case(word: str, form: Callable[[str], str]) -> None:
    text = f"é {form(word)}: kR9&wTz2Vq"
    assert list(find_other_words(text)) == [match.start() for match in OTHER_PATTERN.finditer(text)]


def test_a_line_of_pgpass_is_found_among_lines_with_few_colons() -> None:
    lines = ["Note: the time is 12:30.", "a: b", "okapi.example.org:5432:zoo:keeper:Lp3kXd9Gh", "c:d:e"]
    random.Random(1).shuffle(lines)
    text = "\n".join(lines)
    assert [text[found.start : found.end] for found in find_secrets(text)] == ["Lp3kXd9Gh"]
    assert find_secrets(text.replace(":zoo:", " zoo ")) == []
