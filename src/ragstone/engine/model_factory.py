"""Settings of models become the models: what they name is looked up, their keys are found, what may not leave stays."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone import providers
from ragstone.answering.abstention.calibration import (
    AbstentionPolicy,
    Calibration,
    check_model,
    model_edition,
    read_calibration,
)
from ragstone.answering.generative.budget import Budget
from ragstone.answering.generative.prompt import TEMPLATE_NAMES, load_template
from ragstone.answering.options import AnswerWriter
from ragstone.config import vendors
from ragstone.config.model_settings import AnswerSettings, EmbedSettings, ExternalSettings, LlmSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import CollectionModel, Completion, CompletionResult, Embedder, Prompt, Tokenizer, Vectors
from ragstone.engine.endpoints import make_endpoint
from ragstone.providers.masking import MaskingCompletion, MaskingEmbedder
from ragstone.providers.vector_variant import match_variant

NONE = "none"
QUESTION_READS = 512  # tokens that hardly a question has
SHORTENED_VARIANT = re.compile(r"d([0-9]+)")  # the variant of vectors that a vendor has shortened


def make_completion(llm: LlmSettings, *, group: str = "llm", offline: bool = False) -> Completion | None:
    """The language model of some settings, not connected yet; None where none is named. Errors name the `group`.

    Raises `ConfigError` for a vendor that is unknown, that completes nothing, or that `offline` keeps out of reach.
    """
    if llm.model == NONE:
        return None
    vendor, _ = vendors.parse_model_name(llm.model, verb=vendors.COMPLETE, key=f"{group}.model")
    reach = make_endpoint(group, llm, vendor, offline=offline)
    made = providers.make_completion(llm.model, reach=reach, context=llm.context, tokenizer=llm.tokenizer)
    return MaskingCompletion(made)


def select_judge_settings(settings: Settings, model: str | None = None) -> LlmSettings:
    """The settings of the judge: of `model` where one is named, else those of `judge`, else those of `llm`, at
    temperature 0.

    Address, key and headers that `judge` lacks come from `llm` if the vendor is the same. Those of one vendor never go
    to another.
    """
    own, llm = settings.judge, settings.llm
    if model is None and own == LlmSettings():
        return replace(llm, temperature=0.0)
    if model is not None and own.model != NONE and _vendor_name(own.model) != _vendor_name(model):
        own = replace(own, base_url=None, api_key=None, api_key_file=None, headers={})
    named = model or (llm.model if own.model == NONE else own.model)
    if own.model not in (NONE, named):
        own = replace(own, context=None, tokenizer=None)
    own = replace(own, model=named)
    return _inherit_endpoint(own, llm) if _vendor_name(named) == _vendor_name(llm.model) else own


def _vendor_name(model: str) -> str:
    return model.partition("/")[0]


def _inherit_endpoint(own: LlmSettings, llm: LlmSettings) -> LlmSettings:
    """The model's settings with the address of `llm`. A model with its own address does not inherit the key and
    headers of `llm`."""
    if own.base_url is not None:
        return own
    own = replace(own, base_url=llm.base_url, headers=own.headers or llm.headers)
    return own if own.api_key or own.api_key_file else replace(own, api_key=llm.api_key, api_key_file=llm.api_key_file)


def make_writing(model: Completion, llm: LlmSettings, wanted: AnswerSettings, *, group: str = "llm") -> AnswerWriter:
    """How a language model writes answers, or judges them; raises `ConfigError` for a prompt that cannot be used."""
    return AnswerWriter(
        model,
        load_template(wanted.prompt),
        providers.EstimatingTokenizer(),
        budget=Budget(wanted.tokens, wanted.overhead, wanted.chunks),
        max_tokens=llm.max_tokens,
        temperature=llm.temperature,
        strict=wanted.strict,
        seconds=llm.total,
        group=group,
    )


def make_policy(wanted: AnswerSettings, places: Callable[[Path], Sequence[str]]) -> AbstentionPolicy:
    """The rule that decides between answer and abstention in the collections at `places`, as a file at a path names
    them; raises `ConfigError` for an invalid calibration. One of other collections, or of other vectors than a
    question's, does not decide."""
    rule = AbstentionPolicy(
        wanted.abstain, rerank_threshold=wanted.rerank_threshold, rrf_threshold=wanted.rrf_threshold
    )
    if wanted.calibration in (None, NONE):
        return rule
    own = _load_calibration(wanted)
    other = next((place for place in places(Path(str(wanted.calibration))) if place != own.place), None)
    if other is None:
        return replace(rule, calibration=own)
    fitted = f"for {own.place}" if own.place else "by an earlier version, which does not name its collection"
    said = f"answer.calibration was fitted {fitted}, but this is {other}: the built-in calibration decides"
    return replace(rule, unfit=said)


def check_calibration(policy: AbstentionPolicy, wanted: AnswerSettings, embedder: Embedder | None) -> None:
    """Raises `ConfigError` for a calibration of another model; another arithmetic is noted with the question."""
    if policy.calibration is not None:
        model, _, variant = (policy.calibration.model or "").rpartition("/")
        own = match_variant(embedder, model, variant) if embedder else None
        name = f"{own.model}/{own.variant}" if own else None
        check_model(policy.calibration, str(wanted.calibration), model=name)


def _load_calibration(wanted: AnswerSettings) -> Calibration:
    return read_calibration(str(wanted.calibration), edition=model_edition())


def make_unusable_writing(llm: LlmSettings, error: ConfigError) -> AnswerWriter:
    """The writing of a model that cannot be asked: the error comes in place of the first word."""
    return AnswerWriter(
        UnusableCompletion(llm.model, error), load_template(TEMPLATE_NAMES[0]), providers.EstimatingTokenizer()
    )


class UnusableCompletion:
    """A language model whose settings are wrong; see `ragstone.core.ports.Completion`."""

    context: int | None = None
    tokenizer: Tokenizer | None = None

    def __init__(self, name: str, error: ConfigError) -> None:
        self.vendor, _, self.model = name.partition("/")
        self._error = error

    async def complete(self, prompt: Prompt) -> CompletionResult:  # noqa: ARG002  # the seam has it
        raise self._error

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        yield await self.complete(prompt)

    async def check(self) -> list[str]:
        return [str(self._error)]

    async def close(self) -> None:
        return None


def make_unusable_embedder(embed: EmbedSettings, error: UsageError) -> Embedder:
    """The embedder of settings that make none, for questions: the error comes in place of vectors, words still find."""
    return MaskingEmbedder(UnusableEmbedder(embed.model, error))


class UnusableEmbedder:
    """An embedder whose settings are wrong; see `ragstone.core.ports.Embedder`."""

    variant, dimension, reads = "none", 0, 0

    def __init__(self, name: str, error: UsageError) -> None:
        self.model = name
        self.tokenizer: Tokenizer = providers.WordPiece()
        self._error = error

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:  # noqa: ARG002  # the seam has it
        raise self._error

    async def check(self) -> list[str]:
        return [str(self._error)]

    async def close(self) -> None:
        return None


def make_embedder(embed: EmbedSettings, settings: Settings) -> Embedder:
    """The embedder of some settings, which is not `none`; nothing is connected or loaded yet.

    Raises `ConfigError` for one that is unknown, that embeds nothing, that `offline` keeps out of reach, or to which
    texts would be sent although `external.embedding` does not allow it.
    """
    name = embed.model
    if "/" not in name:
        return providers.make_embedder(name, precision=embed.precision, dimensions=embed.dimensions)
    vendor, _ = vendors.parse_model_name(name, verb=vendors.EMBED, key="embed.model")
    options: dict[str, Any] = {"dimensions": embed.dimensions, "reads": embed.reads}
    if vendor.base_url is None:
        return providers.make_embedder(name, folder=embed.folder, offline=settings.offline, **options)
    reach = make_endpoint("embed", embed, vendor, offline=settings.offline)
    if not reach.is_local and not settings.external.embedding:
        raise ConfigError(
            f"embed.model {name!r} would send the texts of documents and questions to {reach.host}: "
            "set external.embedding to true to allow it"
        )
    return MaskingEmbedder(providers.make_embedder(name, reach=reach, batch=embed.batch, **options))


def fit_questions(embed: EmbedSettings) -> EmbedSettings:
    """The settings of a model that embeds questions alone: it need not be known how much it reads, as nothing is cut
    for it."""
    known = embed.reads or "/" not in embed.model or providers.dimension_of(embed.model) is not None
    return embed if known else replace(embed, reads=QUESTION_READS)


def find_embed_settings(held: CollectionModel, settings: Settings) -> EmbedSettings:
    """The settings that make the embedder of vectors that a collection holds: those that name it, the collection's own
    first; else what its name says, reached as another model of its vendor that they name.

    Raises `UsageError` for a model that no settings make.
    """
    kind, _, prefix = (held.variant or "").partition("+")
    named = _list_embed_settings(settings)
    found = next((embed for embed in named if vector_identity(embed) == (held.model, kind)), None)
    wanted: Any = prefix or "title"
    return replace(found or _settings_by_name(held, kind, named), prefix=wanted)


def vector_identity(embed: EmbedSettings) -> tuple[str, str] | None:
    """The model and variant of the vectors that some settings give, None where they give none; nothing is asked."""
    try:
        made = make_embedder(embed, Settings(external=ExternalSettings(embedding=True)))
    except ConfigError:
        return None
    return made.model, made.variant


def list_token_counters(settings: Settings) -> list[tuple[Tokenizer, int]]:
    """How the models that are known or named count tokens, and how many they read."""
    own = [
        (providers.tokenizer_of(embed.model), embed.reads) for embed in _list_embed_settings(settings) if embed.reads
    ]
    return [(providers.WordPiece(), providers.MiniLM.reads), *providers.list_tokenizers(), *own]


def _list_embed_settings(settings: Settings) -> Sequence[EmbedSettings]:
    """The models that settings name, the collection's own first; never those of another tenant, with its keys."""
    tenant = settings.tenants.get(settings.tenant)
    groups: list[Any] = [tenant, *tenant.collections.values()] if tenant else []
    groups += [*settings.collections.values(), *settings.pipelines]
    others = [group.embed for group in groups if group.embed is not None]
    return [settings.of(settings.collection).embed, *others, settings.embed]


def _settings_by_name(held: CollectionModel, kind: str, named: Sequence[EmbedSettings]) -> EmbedSettings:
    if (own := providers.find_builtin_embedder(held.model, kind)) is not None:
        precision: Any = own[1]
        return EmbedSettings(own[0], precision)
    vendor = vendors.VENDORS.get(held.model.partition("/")[0])
    if vendor is None or vendor.embeds is None:
        raise UsageError(
            f"no embedder is known that gives vectors of {held.model} {held.variant} ({held.dimension}): name it as "
            "`embed`, or open the collection in a program that passes it"
        )
    near = next((embed for embed in named if embed.model.partition("/")[0] == vendor.name), EmbedSettings())
    known = providers.dimension_of(held.model) is not None
    shortened = SHORTENED_VARIANT.fullmatch(kind)
    dimensions = int(shortened[1]) if shortened else None if known else held.dimension
    reads = None if known else named[0].reads
    return replace(near, model=held.model, dimensions=dimensions, reads=reads, folder=None)


def find_missing_requirement(embed: EmbedSettings) -> str | None:
    """A missing requirement of the named embedder, as a sentence with its remedy: a package or a key; takes no time."""
    return find_missing_package(embed) or _find_missing_key(embed)


def find_missing_package(embed: EmbedSettings) -> str | None:
    """The part of it that is not installed."""
    return next(iter(providers.find_missing_packages(embed.model)), None)


def _find_missing_key(embed: EmbedSettings) -> str | None:
    vendor = vendors.VENDORS.get(embed.model.partition("/")[0])
    if vendor is None or vendor.base_url is None:
        return None
    try:
        make_endpoint("embed", embed, vendor).require_key()
    except UsageError as error:
        return str(error)
    return None
