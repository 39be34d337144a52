"""From a question to its wordings and from candidates to ranked hits: what models write for a search, and pure
functions, each of which takes and gives a list in total order."""

from ragstone.retrieval.boosting import add_freshness, boost_keywords, ordered, penalise_risk
from ragstone.retrieval.fusion import minmax, rrf
from ragstone.retrieval.hyde import FEWEST_KINDS, count_of, imagined, mean
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.llm_filter import sifted
from ragstone.retrieval.multi_query import paraphrased
from ragstone.retrieval.selection import above, capped, fold

__all__ = [
    "FEWEST_KINDS",
    "Assistant",
    "above",
    "add_freshness",
    "boost_keywords",
    "capped",
    "count_of",
    "fold",
    "imagined",
    "mean",
    "minmax",
    "ordered",
    "paraphrased",
    "penalise_risk",
    "rrf",
    "sifted",
]
