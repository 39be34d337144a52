"""What a question asks of the order of its hits is done, each in its turn."""

from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import apply_options
from tests.retrieval.made import hit


def paths(question: Question, *hits: object) -> list[str]:
    return [one.chunk.document.path for one in apply_options(list(hits), question)]  # type: ignore[arg-type]  # hits


def test_a_risky_passage_keeps_its_rank_unless_a_penalty_is_asked_for() -> None:
    risky, plain = hit("one", path="risky.md", score=1.0, risk=1.0), hit("two", path="plain.md", score=0.9)
    assert paths(Question("x"), risky, plain) == ["risky.md", "plain.md"]
    asked = Question("x", risk_penalty=0.2)
    assert paths(asked, risky, plain) == ["plain.md", "risky.md"]
    assert [h.score for h in apply_options([risky], asked)] == [0.8]


def test_keywords_raise_what_the_threshold_let_through_and_nothing_else() -> None:
    below = hit("alert alert rules", path="below.md", score=1.0, cosine=0.2)
    without, with_ = (
        hit("nothing", path="without.md", score=1.0, cosine=0.6),
        hit("alert rules", path="with.md", score=0.9, cosine=0.5),
    )
    question = Question("alert rules", keyword_boost=True, min_cosine=0.4)
    assert paths(question, below, without, with_) == ["with.md", "without.md"]
    assert paths(Question("alert rules", min_cosine=0.4), below, without, with_) == ["without.md", "with.md"]
