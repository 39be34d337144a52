"""Whether searches give the scores that the rule `answer.abstain: thresholds` judges."""

from collections.abc import Iterator

from ragstone.answering.abstention.calibration import NO_SCORES
from ragstone.config.model_settings import RerankSettings
from ragstone.config.search_options import SearchOptions
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.engine.reranker_factory import select_rerank_settings


def find_unjudged_searches(settings: Settings, *, has_reranker: bool) -> Iterator[str]:
    """A sentence for the search, and for each pipeline, that has neither RRF nor a reranker where thresholds decide.
    `has_reranker`: one was handed in."""
    if settings.answer.abstain != "thresholds":
        return
    if not (has_reranker or _gives_scores(settings.search, settings.rerank)):
        yield NO_SCORES
    for one in settings.pipelines:
        own = one.search is not None or one.rerank is not None
        if own and not (has_reranker or _gives_scores(one.search or settings.search, one.rerank or settings.rerank)):
            yield f"pipelines.{one.name}: {NO_SCORES}"


def _gives_scores(search: SearchOptions, rerank: RerankSettings) -> bool:
    try:
        reranks = select_rerank_settings(rerank, search.rerank) is not None
    except UsageError:  # of the reranker, which its own check names
        reranks = False
    return reranks or search.fusion == "rrf" or search.fusion_at == "server"
