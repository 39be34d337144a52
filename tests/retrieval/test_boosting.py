"""What moves a hit: keywords, risk, age."""

from datetime import UTC, datetime, timedelta

from ragstone.retrieval.boosting import boost_keywords, penalise_risk, rate_freshness
from tests.retrieval.made import hit

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def test_each_word_of_three_letters_boosts_by_a_tenth() -> None:
    [found] = boost_keywords([hit("Reloading the CONFIG of it")], "reload config of it it config")
    assert found.score == 1.2


def test_a_boost_can_change_the_order() -> None:
    hits = [hit("nothing", path="a.md", score=1.0), hit("alert rules", path="b.md", score=0.95)]
    assert [h.chunk.document.path for h in boost_keywords(hits, "alert")] == ["b.md", "a.md"]


def test_risk_lowers_the_score_by_its_share() -> None:
    [safe, risky] = penalise_risk([hit(path="a.md", risk=0.8), hit(path="b.md")], share=0.5)
    assert (safe.chunk.document.path, risky.score) == ("b.md", 0.6)


def test_freshness_halves_with_each_half_life() -> None:
    dates = (None, "2024-05-02", "2024-06-01T00:00:00Z", "soon", "2031-01-01")
    found = [rate_freshness(hit(date=d).chunk.document, now=NOW, half_life=timedelta(days=30)) for d in dates]
    assert found == [0.0, 0.5, 1.0, 0.0, 1.0]
