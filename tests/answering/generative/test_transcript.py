"""A streamed answer: what may be shown at once, and which sentence cites what."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragstone.answering.generative.transcript import CitedSentence, Transcript

LABELS = {"1": 0, "2": 1, "3": 2}


def told(text: str, size: int = 1) -> tuple[str, Transcript]:
    """All that is shown of a text that comes in pieces of a size, and the transcript of it."""
    transcript = Transcript(LABELS)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    shown = [said.text for piece in pieces for said in transcript.feed(piece)]
    return "".join([*shown, *(said.text for said in transcript.end())]), transcript


def test_passages_are_numbered_by_first_use() -> None:
    shown, transcript = told("Kept 15 days [3]. Deleted then [1][3].")
    assert shown == "Kept 15 days [1]. Deleted then [2][1]."
    assert [transcript.number_passage(passage) for passage in (0, 1, 2)] == [2, 3, 1]


def test_a_marker_belongs_to_the_sentence_before_it() -> None:
    _, transcript = told("Kept 15 days [3]. Deleted then. [1] Good.\n\n- an item [2]\n- another")
    assert transcript.sentences() == [
        CitedSentence("Kept 15 days.", (2,)),
        CitedSentence("Deleted then.", (0,)),
        CitedSentence("Good.", ()),
        CitedSentence("- an item", (1,)),
        CitedSentence("- another", ()),
    ]


def test_a_marker_that_opens_a_line_belongs_to_the_sentence_behind_it() -> None:
    _, transcript = told("[1] One thing.\n[2] Another.")
    assert transcript.sentences() == [CitedSentence("One thing.", (0,)), CitedSentence("Another.", (1,))]


def test_words_on_both_sides_of_a_marker_stay_apart() -> None:
    _, transcript = told("A [1] and B[2], then C [3].")
    assert transcript.sentences() == [CitedSentence("A and B, then C.", (0, 1, 2))]


def test_unknown_markers_are_left_out_and_remembered() -> None:
    shown, transcript = told("It is so [7].")
    assert shown == "It is so."
    assert transcript.unknown == ["7"]
    assert transcript.sentences() == [CitedSentence("It is so.", ())]


@given(st.text("ab. [1]2\n", max_size=60), st.integers(1, 5))
@example("[1] .", 1)
@settings(max_examples=200, deadline=None)
def test_the_size_of_the_pieces_changes_nothing(text: str, size: int) -> None:
    (shown, one), (again, other) = told(text, size), told(text, max(1, len(text)))
    assert (shown, one.sentences(), one.number_passage(2)) == (again, other.sentences(), other.number_passage(2))
