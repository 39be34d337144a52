"""What is counted of rows: every word, repeats included."""

from ragstone.stores.word_counts import WordCounter


def test_the_words_of_all_rows_are_counted_with_their_repeats() -> None:
    counter = WordCounter()
    counter.add_rows([("1", "apple apple pear"), ("2", "plum")])
    counts = counter.finish_counts()
    assert (counts.rows, counts.words, list(counts.lengths)) == (2, 4, [3, 1])
