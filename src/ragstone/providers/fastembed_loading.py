"""Loading a model of fastembed: from a folder, from its cache, or downloaded once; failures as one sentence."""

from __future__ import annotations

from typing import Any, Literal

from ragstone.config.environment import silence_telemetry
from ragstone.core.errors import ConfigError, Unavailable
from ragstone.core.suggestions import suggest_known

PACKAGE_MISSING = "the package fastembed is missing: pip install 'ragstone[fastembed]'"
Kind = Literal["embed", "rerank", "sparse"]


def load_fastembed_model(kind: Kind, name: str, *, folder: str | None, offline: bool) -> Any:
    """A model by its name; `kind` is the group of settings that names it.

    Raises `ConfigError` with the nearest name for one that fastembed does not have, `Unavailable` for files that
    cannot be loaded or a package that is missing.
    """
    silence_telemetry()
    try:
        maker = _import_maker(kind)
        from loguru import logger
    except ImportError as error:
        raise Unavailable(PACKAGE_MISSING) from error
    logger.disable("fastembed")  # what it would write to stderr is said here
    try:
        return maker(name, specific_model_path=folder, local_files_only=offline)
    except ValueError as error:
        names = [str(one["model"]) for one in maker.list_supported_models()]
        if name not in names:
            raise ConfigError(f"fastembed knows no model {name!r}; {suggest_known(name, names)}") from error
        raise Unavailable(_describe_failure(error, kind, name, folder=folder, offline=offline)) from error
    except Exception as error:  # of the runtime, the hub and the file system, which share no base
        raise Unavailable(_describe_failure(error, kind, name, folder=folder, offline=offline)) from error


def _import_maker(kind: Kind) -> Any:
    if kind == "embed":
        from fastembed import TextEmbedding

        return TextEmbedding
    if kind == "sparse":
        from fastembed import SparseTextEmbedding

        return SparseTextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder


def _describe_failure(error: Exception, kind: Kind, name: str, *, folder: str | None, offline: bool) -> str:
    mend = f"name a folder that holds it in {kind}.folder"
    if not offline and folder is None:
        mend += ", or let it be downloaded where the network allows"
    return f"fastembed/{name} cannot be loaded ({' '.join(str(error).split())[:200]}): {mend}"
