"""The rerankers of an engine: its own, those that pipelines name, and those that a question names."""

from collections.abc import Callable

from ragstone.config import vendors
from ragstone.config.model_settings import LlmSettings, RerankSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Reranker
from ragstone.engine.reranker_factory import NONE, select_rerank_settings
from ragstone.engine.shared_parts import SharedParts
from ragstone.providers.masking import MaskingReranker
from ragstone.retrieval.llm_reranker import LlmReranker
from ragstone.retrieval.reranking import Reranking

GetCompletion = Callable[[LlmSettings], Completion | None]


class Rerankers:
    """Made when they are first needed; one passed by the caller serves all, and the caller closes it.

    `settings` are those of the collection, asked once it is known whose they are.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        handed: Reranker | None,
        parts: SharedParts,
        completion_for: GetCompletion,
    ) -> None:
        self._settings = settings
        self._handed = None if handed is None else MaskingReranker(handed)
        self._parts = parts
        self._completion_for = completion_for

    @property
    def is_handed_in(self) -> bool:
        """Whether the caller passed one."""
        return self._handed is not None

    def reranking_for(
        self,
        wanted: bool | str | None,
        own: RerankSettings | None = None,
        llm: LlmSettings | None = None,
    ) -> Reranking | None:
        """The reranker that a question's option selects, by the settings or those of a pipeline (`own`, `llm`), and its
        limits; None for no reranker.

        Raises `UsageError` for a reranker that these settings cannot make.
        """
        settings = self._settings()
        own = own or settings.rerank
        if self._handed is not None and not isinstance(wanted, str):
            seconds = settings.deadlines.rerank
            return None if wanted is False else Reranking(self._handed, own.documents, own.oversample, seconds)
        chosen = select_rerank_settings(own, wanted)
        if chosen is None:
            return None
        if chosen.model != vendors.LANGUAGE_MODEL:
            reranker, seconds = self._parts.make_reranker(chosen, settings), settings.deadlines.rerank
        else:
            reranker, seconds = self._make_llm_reranker(llm or settings.llm), settings.deadlines.rewrite
        return Reranking(reranker, chosen.documents, chosen.oversample, seconds)

    def _make_llm_reranker(self, llm: LlmSettings) -> Reranker:
        model = self._completion_for(llm)
        if model is None:
            raise UsageError("no language model is configured: set llm.model, or name a reranker as VENDOR/MODEL")
        return LlmReranker(model)

    async def find_problems(self, own: RerankSettings | None = None, llm: LlmSettings | None = None) -> list[str]:
        """The problems that keep the configured reranker from working; it is asked for one score."""
        own = own or self._settings().rerank
        if own.model in (NONE, vendors.LANGUAGE_MODEL) and self._handed is None:
            return []  # the language model is checked by itself
        try:
            plan = self.reranking_for(True, own, llm)
            return [] if plan is None else await plan.reranker.check()
        except UsageError as error:
            return [str(error)]
