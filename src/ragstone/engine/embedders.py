"""The embedders of an engine: its own, and those that pipelines name."""

from collections.abc import Callable
from functools import cached_property
from typing import cast

from ragstone import providers
from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder
from ragstone.engine import model_factory
from ragstone.engine.shared_parts import SharedParts
from ragstone.providers.custom_embedder import CustomEmbedder


class Embedders:
    """Made when they are first needed; one passed by the caller serves all, and the caller closes it.

    `settings` are those of the collection, `whole` all of them: asked once it is known whose they are.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        whole: Callable[[], Settings],
        handed: Embedder | None,
        parts: SharedParts,
    ) -> None:
        self._settings = settings
        self._whole = whole
        self._handed = None if handed is None else cast(Embedder, CustomEmbedder(handed))
        self._parts = parts
        self._unusable: list[tuple[EmbedSettings, Embedder]] = []
        self._installed: set[str] = set()  # models whose parts were found: nothing is looked for with each question

    @property
    def is_handed(self) -> bool:
        """Whether the caller passed the embedder."""
        return self._handed is not None

    @cached_property
    def own(self) -> Embedder | None:
        """The embedder that was handed in, or the settings'; None for keyword search alone."""
        name = self._settings().embed.model
        if self._handed is not None or name == "none":
            return self._handed
        return self._parts.make_embedder(self._settings().embed, self._settings())

    @cached_property
    def missing(self) -> str | None:
        """Why nothing can be embedded although a model is named."""
        if self.own is None or self._handed is not None:
            return None
        return model_factory.find_missing_requirement(self._settings().embed)

    @property
    def question_embedder(self) -> tuple[Embedder | None, str | None]:
        """The embedder of questions; see `of`."""
        return self.embedder_for(self._settings().embed)

    def embedder_for(self, embed: EmbedSettings) -> tuple[Embedder | None, str | None]:
        """The embedder that questions are embedded by under these settings, or None and what is not installed; one that
        was handed in serves all. Settings that make none say so when it is asked: words still find.
        """
        if self._handed is not None or embed.model == "none":
            return self._handed, None
        if embed.model not in self._installed:
            if (missing := model_factory.find_missing_package(embed)) is not None:
                return None, missing
            self._installed.add(embed.model)
        made = next((embedder for own, embedder in self._unusable if own == embed), None)
        if made is not None:
            return made, None
        try:
            return self._parts.make_embedder(embed, self._whole()), None
        except UsageError as error:
            made = model_factory.make_unusable_embedder(embed, error)
        self._unusable.append((embed, made))
        return made, None

    async def learn(self) -> None:
        """Have a vendor's embedder tried before a run: what is wrong shows before anything is written."""
        if self.own is not None and self._handed is None and self.missing is None:
            await providers.learn_dimension(self.own)

    async def find_problems(self) -> list[str]:
        """The problems that keep the collection's embedder from working; a vendor is asked for one vector."""
        name = self._settings().embed.model
        if name in providers.EMBEDDERS or self.own is None:
            return [] if name == "none" else providers.diagnose_embedder(name)
        return [self.missing] if self.missing else await providers.check_embedder(self.own)
