"""From a question to its wordings and from candidates to ranked hits: what models write for a search, and pure
functions, each of which takes and gives a list in total order."""

from ragstone.retrieve.assist import Assistant
from ragstone.retrieve.fuse import minmax, rrf
from ragstone.retrieve.hyde import FEWEST_KINDS, count_of, imagined, mean
from ragstone.retrieve.paraphrase import paraphrased
from ragstone.retrieve.select import above, capped, fold
from ragstone.retrieve.sift import sifted
from ragstone.retrieve.weigh import add_freshness, boost_keywords, ordered, penalise_risk

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
