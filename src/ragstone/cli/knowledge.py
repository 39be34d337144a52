"""Opens what the shared options name: apart, because the engine costs start-up time that `--help` need not pay."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ragstone.cli.shared_options import SharedOptions
from ragstone.config import vendors
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.providers import start_embedder

if TYPE_CHECKING:  # its imports take a quarter of a second, during which the model already loads
    from ragstone.engine.blocking import Knowledge


def open_knowledge(options: SharedOptions, *, quote: bool = False, **arguments: Any) -> "Knowledge":
    """The collection; `quote` leaves language models out."""
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    return Knowledge(Engine(_load_settings(options, quote=quote, **arguments)))


def connect_server(options: SharedOptions, url: str, *, quote: bool = False, model: str | None = None) -> "Knowledge":
    """A collection of a server, which has the verbs of an open one that questions need."""
    from ragstone.engine.remote.knowledge import connect

    if options.store is not None or options.tenant is not None:
        raise UsageError("--server has a store of its own: leave out --store; the key decides about the tenant")
    if quote or model is not None:
        raise UsageError("--server answers with the server's own language model: leave out --quote and --model")
    return cast("Knowledge", connect(url, key=options.settings().key, collection=options.collection))


def open_for_question(
    options: SharedOptions, *, mode: str | None, quote: bool = False, **arguments: Any
) -> "Knowledge":
    """The collection for one question. The embedding model begins to load at once, if the mode needs it and the
    tenant is known."""
    settings = _load_settings(options, quote=quote, **arguments)
    embed = settings.of(settings.collection).embed
    wanted = (mode or settings.search.mode) != "keyword" and not (settings.key and settings.tenants)
    embedder = start_embedder(embed.model, precision=embed.precision, dimensions=embed.dimensions) if wanted else None

    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    return Knowledge(Engine(settings, embedder=embedder))


def resolve_tenant_settings(options: SharedOptions) -> Settings:
    """The settings with the caller's tenant; the key is checked if a tenant has its own settings."""
    settings = options.settings()
    if not (settings.key and settings.tenants):
        return settings

    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    with Knowledge(Engine(settings)) as kb:
        return replace(settings, tenant=kb.engine.scope.tenant)


def _load_settings(options: SharedOptions, *, quote: bool, **arguments: Any) -> Settings:
    if (
        named := arguments.get("llm__model")
    ) and named != "none":  # a typing mistake is answered at once, not beside a quoted answer
        vendors.parse_model_name(named, verb=vendors.COMPLETE, key="--model")
    settings = options.settings(**arguments)
    return settings.without_llm() if quote else settings
