import asyncio
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.providers.minilm import wordpiece
from ragstone.providers.minilm.wordpiece import FIRST, LAST, WordPiece

tokenizer = WordPiece()
nasty = st.one_of(
    st.sampled_from(" \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u2028[]SEPCLS#中é\u0301\u200b\xadﬁ한-'a"),
    st.characters(exclude_categories=[]),
)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=nasty))
def test_the_quick_count_is_the_number_of_tokens(text: str) -> None:
    assert tokenizer.count([text]) == [len(tokenizer.cut(text))]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=nasty), st.text(alphabet=nasty))
def test_counts_add_up_over_a_line_end(one: str, other: str) -> None:
    assert sum(tokenizer.count([one, other])) == tokenizer.count([f"{one}\n{other}"])[0]


def test_words_are_cut_into_known_pieces() -> None:
    # By hand from the vocabulary: em ##bed ##ding ##s, and each punctuation mark by itself.
    assert tokenizer.count(["hello world", "embeddings", "a-b.", ""]) == [2, 4, 4, 0]


def test_ids_stand_between_the_special_ones_and_stop_at_the_limit() -> None:
    assert tokenizer.ids("hello world", limit=254) == [FIRST, 7592, 2088, LAST]
    assert tokenizer.ids("hello world", limit=1) == [FIRST, 7592, LAST]
    assert len(tokenizer.ids("word " * 1000, limit=254)) == 256


def test_special_tokens_written_in_a_text_are_just_text() -> None:
    assert FIRST not in tokenizer.cut("[CLS] [SEP]")
    assert tokenizer.count(["[SEP]"])[0] > 1


def test_a_full_memory_changes_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "REMEMBERED", 3)
    texts = ["one two three four five six", "six five four three two one"]
    assert WordPiece().count(texts) == tokenizer.count(texts)


async def test_threads_may_share_it() -> None:
    fresh, texts = WordPiece(), [f"word{n} and more words {n * n}" for n in range(200)]
    together = await asyncio.gather(*(asyncio.to_thread(fresh.count, texts) for _ in range(4)))
    assert all(counts == tokenizer.count(texts) for counts in together)


def test_it_can_be_sent_to_another_process_after_it_was_used() -> None:
    tokenizer.count(["embeddings"])
    assert pickle.loads(pickle.dumps(tokenizer)).count(["embeddings"]) == [4]
