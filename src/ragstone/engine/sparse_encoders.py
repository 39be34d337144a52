"""The model of sparse vectors of an engine, made from its settings when it is first needed."""

from collections.abc import Callable

from ragstone import providers
from ragstone.config import vendors
from ragstone.config.model_settings import SparseSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import SparseEncoder
from ragstone.engine.endpoints import make_endpoint
from ragstone.providers.masking import MaskingSparseEncoder

NONE = "none"


def make_sparse_encoder(wanted: SparseSettings, settings: Settings) -> SparseEncoder:
    """The model of settings that name one; nothing is connected or loaded yet.

    Raises `ConfigError` for a vendor that is unknown or makes no sparse vectors, that `offline` keeps out of reach, or
    to which texts would be sent although `external.embedding` does not allow it; `UsageError` for a missing package.
    """
    vendor, _ = vendors.parse_model_name(wanted.model, verb=vendors.ENCODE, key="sparse.model")
    if (missing := next(iter(providers.find_missing_packages(wanted.model)), None)) is not None:
        raise UsageError(missing)
    if vendor.base_url is None:
        return providers.make_sparse_encoder(wanted.model, folder=wanted.folder, offline=settings.offline)
    reach = make_endpoint("sparse", wanted, vendor, offline=settings.offline)
    if not reach.is_local and not settings.external.embedding:
        raise ConfigError(
            f"sparse.model {wanted.model!r} would send questions and passages to {reach.host}: "
            "set external.embedding to true to allow it"
        )
    return MaskingSparseEncoder(providers.make_sparse_encoder(wanted.model, reach=reach))


class SparseEncoders:
    """Gives the model that the settings name. `settings` are those of the collection, asked once it is known whose
    they are; `make` makes each model once."""

    def __init__(
        self, settings: Callable[[], Settings], make: Callable[[SparseSettings, Settings], SparseEncoder]
    ) -> None:
        self._settings = settings
        self._make = make

    def encoder(self) -> SparseEncoder:
        """Raises `UsageError` where none is configured, or the settings make none."""
        settings = self._settings()
        if settings.sparse.model == NONE:
            raise UsageError("no model of sparse vectors is configured: set sparse.model, or use search.sparse bm25")
        return self._make(settings.sparse, settings)

    async def find_problems(self) -> list[str]:
        """The problems that keep the configured model from working; it is asked for one vector."""
        if self._settings().sparse.model == NONE:
            return []
        try:
            return await self.encoder().check()
        except UsageError as error:
            return [str(error)]
