"""Settings of a reranker become the reranker: looked up, its key found, what may not leave stays."""

from dataclasses import replace

from ragstone import providers
from ragstone.config import vendors
from ragstone.config.model_settings import RerankSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Reranker
from ragstone.engine.endpoints import make_endpoint
from ragstone.providers.masking import MaskingReranker

NONE = "none"


def select_rerank_settings(own: RerankSettings, wanted: bool | str | None) -> RerankSettings | None:
    """The settings of the reranker that a question's option selects, None for no reranker. Address, key, headers and
    folder of one vendor never go to another.

    Raises `UsageError` where the configured one is asked for and none is.
    """
    if wanted is False or (wanted is None and own.model == NONE):
        return None
    if wanted is True and own.model == NONE:
        raise UsageError("no reranker is configured: set rerank.model, or name one as VENDOR/MODEL")
    if wanted in (True, None, own.model):
        return own
    name = str(wanted)
    if name.partition("/")[0] == own.model.partition("/")[0]:
        return replace(own, model=name, folder=None, scores=None)
    plain = RerankSettings(name, documents=own.documents, oversample=own.oversample)
    return replace(plain, timeout=own.timeout, retries=own.retries)


def make_reranker(wanted: RerankSettings, settings: Settings) -> Reranker:
    """The reranker of some settings that name a vendor; nothing is connected or loaded yet.

    Raises `ConfigError` for a vendor that is unknown or reranks nothing, that `offline` keeps out of reach, or to which
    passages would be sent although `external.rerank` does not allow it; `UsageError` for a package that is missing.
    """
    vendor, _ = vendors.parse_model_name(wanted.model, verb=vendors.RERANK, key="rerank.model")
    if (missing := next(iter(providers.find_missing_packages(wanted.model)), None)) is not None:
        raise UsageError(missing)
    if vendor.base_url is None:
        return providers.make_reranker(
            wanted.model, scale=wanted.scores, folder=wanted.folder, reads=wanted.reads, offline=settings.offline
        )
    reach = make_endpoint(
        "rerank",
        wanted,
        vendor,
        offline=settings.offline,
        total=settings.deadlines.rerank,
        bounded_by="deadlines.rerank",
    )
    if not reach.is_local and not settings.external.rerank:
        raise ConfigError(
            f"rerank.model {wanted.model!r} would send questions and passages to {reach.host}: "
            "set external.rerank to true to allow it"
        )
    return MaskingReranker(providers.make_reranker(wanted.model, reach=reach, scale=wanted.scores))
