"""Settings of models become the models: what they name is looked up, their keys are found, what may not leave stays."""

from typing import Any

from ragstone import answer, providers, vendors
from ragstone.config import AnswerSettings, EmbedSettings, LlmSettings, Settings, key_of
from ragstone.errors import ConfigError, UsageError
from ragstone.generate import Writing
from ragstone.outgoing import GatedCompletion, GatedEmbedder
from ragstone.ports import Completion, Embedder
from ragstone.providers.reach import Reach

NONE = "none"


def completion_of(llm: LlmSettings, *, offline: bool = False) -> Completion | None:
    """The language model of some settings, not connected yet; None where none is named.

    Raises `ConfigError` for a vendor that is unknown, that completes nothing, or that `offline` keeps out of reach.
    """
    if llm.model == NONE:
        return None
    vendor, _ = vendors.named(llm.model, verb=vendors.COMPLETE, key="llm.model")
    reach = _reach("llm", llm, vendor, offline=offline)
    return GatedCompletion(providers.make_completion(llm.model, reach=reach, context=llm.context))


def writing_of(model: Completion, llm: LlmSettings, wanted: AnswerSettings, *, strict: bool | None = None) -> Writing:
    """How a language model writes answers; raises `ConfigError` for a prompt that cannot be used."""
    return Writing(
        model,
        answer.template(wanted.prompt),
        providers.WordPiece(),
        budget=answer.Budget(wanted.tokens, wanted.overhead, wanted.chunks),
        max_tokens=llm.max_tokens,
        temperature=llm.temperature,
        strict=wanted.strict if strict is None else strict,
    )


def embedder_of(embed: EmbedSettings, settings: Settings) -> Embedder:
    """The embedder of some settings, which is not `none`; nothing is connected or loaded yet.

    Raises `ConfigError` for one that is unknown, that embeds nothing, that `offline` keeps out of reach, or to which
    texts would be sent although `external.embedding` does not allow it.
    """
    name = embed.model
    if "/" not in name:
        return providers.make_embedder(name, precision=embed.precision, dimensions=embed.dimensions)
    vendor, _ = vendors.named(name, verb=vendors.EMBED, key="embed.model")
    options: dict[str, Any] = {"dimensions": embed.dimensions, "reads": embed.reads}
    if vendor.base_url is None:
        return providers.make_embedder(name, folder=embed.folder, offline=settings.offline, **options)
    reach = _reach("embed", embed, vendor, offline=settings.offline)
    if not reach.here and not settings.external.embedding:
        raise ConfigError(
            f"embed.model {name!r} would send the texts of documents and questions to {reach.host}: "
            "set external.embedding to true to allow it"
        )
    return GatedEmbedder(providers.make_embedder(name, reach=reach, batch=embed.batch, **options))


def missing_of(embed: EmbedSettings) -> str | None:
    """What an embedder lacks although it is named, as a sentence that mends it: a package or a key; takes no time."""
    if lacking := next(iter(providers.missing(embed.model)), None):
        return lacking
    vendor = vendors.VENDORS.get(embed.model.partition("/")[0])
    if vendor is None or vendor.base_url is None:
        return None
    try:
        _reach("embed", embed, vendor).secret()
    except UsageError as error:
        return str(error)
    return None


def _reach(group: str, wanted: LlmSettings | EmbedSettings, vendor: vendors.Vendor, *, offline: bool = False) -> Reach:
    key, lacking = None, None
    try:
        key = key_of(group, wanted, vendor.variable)
    except ConfigError as error:  # said when the key is needed: searching by words is not
        lacking = str(error)
    reach = Reach(
        vendor,
        group,
        base_url=wanted.base_url,
        key=key,
        lacking=lacking,
        headers=wanted.headers,
        timeout=wanted.timeout,
        total=wanted.total,
        retries=wanted.retries,
    ).checked()
    if offline and not reach.here:
        raise ConfigError(
            f"{group}.model {wanted.model!r} is at {reach.host}, and offline is true: name one on this machine"
        )
    return reach
