"""What a question asks of the order of its hits is done, each in its turn."""

from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import RISK_SHARE, apply_options
from tests.retrieval.made import hit


def paths(question: Question, *hits: object) -> list[str]:
    return [one.chunk.document.path for one in apply_options(list(hits), question)]  # type: ignore[arg-type]  # hits


def test_a_risky_passage_falls_behind_a_slightly_worse_one() -> None:
    risky, plain = hit("one", path="risky.md", score=1.0, risk=1.0), hit("two", path="plain.md", score=0.9)
    assert paths(Question("x"), risky, plain) == ["plain.md", "risky.md"]
    assert [h.score for h in apply_options([risky], Question("x"))] == [1 - RISK_SHARE]


def test_keywords_raise_what_the_threshold_let_through_and_nothing_else() -> None:
    below = hit("alert alert rules", path="below.md", score=1.0, cosine=0.2)
    without, with_ = (
        hit("nothing", path="without.md", score=1.0, cosine=0.6),
        hit("alert rules", path="with.md", score=0.9, cosine=0.5),
    )
    question = Question("alert rules", keyword_boost=True, min_cosine=0.4)
    assert paths(question, below, without, with_) == ["with.md", "without.md"]
    assert paths(Question("alert rules", min_cosine=0.4), below, without, with_) == ["without.md", "with.md"]
