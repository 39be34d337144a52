"""Settings become parts: made when they are first needed, closed together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone import guard, providers, stores
from ragstone.access import Credential
from ragstone.access.sign_in import Authenticator
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.options import AnswerOptions
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Embedder, Reranker, Store
from ragstone.core.types import Scope
from ragstone.engine import model_factory
from ragstone.engine.embedders import Embedders
from ragstone.engine.language_models import Completions
from ragstone.engine.open_stores import OpenStores
from ragstone.engine.rerankers import Rerankers
from ragstone.engine.shared_parts import SharedParts
from ragstone.engine.sparse_encoders import SparseEncoders
from ragstone.retrieval.search_context import SearchContext

if TYPE_CHECKING:
    from ragstone.extraction import Limits
    from ragstone.ingestion.chunker_setup import ChunkerSetup


class Components:
    """The parts that the methods of one collection use. They check no permission: that is done before a verb.

    The caller is identified by the given store, key and issuer; all else waits for it, because a tenant may have
    settings of its own.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store | None,
        embedder: Embedder | None,
        completion: Completion | None,
        reranker: Reranker | None = None,
        credential: Credential | None,
        shared: SharedParts | None = None,
    ) -> None:
        guard.mask_log()
        self._own_parts = shared is None
        self._parts = parts = shared or SharedParts()
        self.given_settings = settings
        Scope(settings.tenant, settings.collection)  # names that are none are refused before anything is opened
        self.authenticator = Authenticator(
            settings, lambda: self.stores.keys, credential=credential, tokens=parts.make_token_authenticator
        )
        self.embedders = Embedders(lambda: self.settings, lambda: self.tenant_settings, embedder, parts)
        self.completions = Completions(lambda: self.settings, completion, parts)
        self.rerankers = Rerankers(lambda: self.settings, reranker, parts, self.completions.completion_for)
        self.sparse_encoders = SparseEncoders(lambda: self.settings, parts.make_sparse_encoder)
        self.processes = parts.processes
        self.stores = OpenStores(settings, store, parts, keep_versions=lambda: self.settings.keep_versions)

    def get_turn(self, source: str) -> asyncio.Lock:
        """The lock in which runs of a source of this collection wait in line."""
        return self._parts.get_turn(self.scope, source)

    @cached_property
    def tenant_settings(self) -> Settings:
        """The settings as they were given, for the caller's tenant; with a key, known once that was looked at."""
        return replace(self.given_settings, tenant=self.authenticator.tenant)

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold in the collection."""
        return self.tenant_settings.of(self.tenant_settings.collection)

    @property
    def scope(self) -> Scope:
        """Whose collection; with a key it is known once that was looked at."""
        return Scope(self.authenticator.tenant, self.given_settings.collection)

    @property
    def search_context(self) -> SearchContext:
        """The search context of a question."""
        embedder, missing = self.embedders.question_embedder
        model, reader = partial(self.completions.completion_for, self.settings.llm), self.authenticator.reads_as
        deadlines = self.settings.deadlines
        return SearchContext.of_collection(
            self.stores.store,
            self.scope,
            embedder,
            missing,
            deadlines=deadlines,
            model=model,
            reader=reader,
            reranking=self.rerankers.reranking_for,
            sparse=self.sparse_encoders.encoder,
        )

    def answer_options(self, strict: bool | None) -> AnswerOptions:
        """How answers are made; raises `ConfigError` for an unfit calibration."""
        return AnswerOptions(self.completions.writing(strict), self.policy)

    @cached_property
    def policy(self) -> AbstentionPolicy:
        """The rule that decides between answer and abstention; raises `ConfigError` for an unfit calibration."""
        made = model_factory.make_policy(self.settings.answer, lambda file: [self.calibration_place(file)])
        try:
            own = self.embedders.own
        except UsageError:  # said when the question is embedded
            return made
        model_factory.check_calibration(made, self.settings.answer, own)
        return made

    def calibration_place(self, file: Path, *, store: str | None = None, collection: str | None = None) -> str:
        """The name of a collection, this one unless it is named, in a calibration file."""
        at = stores.describe_location(store or self.given_settings.store, file)
        return f"collection {collection or self.scope.collection!r} of tenant {self.scope.tenant!r} in {at}"

    @cached_property
    def chunker_setup(self) -> ChunkerSetup:
        """The chunker for the embedder; without one for the built-in model: one named later finds fitting chunks."""
        from ragstone.ingestion.chunker_setup import ChunkerSetup

        wanted, embedder = self.settings.chunk, self.embedders.own
        tokenizer = embedder.tokenizer if embedder else providers.WordPiece()
        reads = embedder.reads if embedder else providers.MiniLM.reads
        return ChunkerSetup(wanted.name, tokenizer, reads, wanted.options)

    @property
    def limits(self) -> Limits:
        """The bounds of reading one file."""
        from ragstone.extraction import Bounds, Limits

        limits = self.settings.limits
        bounds = Bounds.for_seconds(limits.seconds, limits.memory_bytes, pages=limits.ocr_pages)
        return Limits(limits.text_bytes, limits.office_bytes, bounds)

    async def close(self) -> None:
        """Give back files, threads, processes and models that were opened here."""
        if self._own_parts:
            await self._parts.close()
