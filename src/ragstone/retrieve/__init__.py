"""From candidates to ranked hits: pure functions, each of which takes and gives a list in total order."""

from ragstone.retrieve.fuse import minmax, rrf
from ragstone.retrieve.select import above, capped, fold
from ragstone.retrieve.weigh import add_freshness, boost_keywords, ordered, penalise_risk

__all__ = ["above", "add_freshness", "boost_keywords", "capped", "fold", "minmax", "ordered", "penalise_risk", "rrf"]
