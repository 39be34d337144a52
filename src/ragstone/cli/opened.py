"""Opens what the shared options name: apart, because the engine costs start-up time that `--help` need not pay."""

from typing import TYPE_CHECKING, Any

from ragstone.cli.shared import Shared
from ragstone.providers import begun

if TYPE_CHECKING:  # its imports take a quarter of a second, during which the model already loads
    from ragstone.blocking import Knowledge


def opened(options: Shared, **arguments: Any) -> "Knowledge":
    """The collection."""
    from ragstone.blocking import Knowledge
    from ragstone.engine import Engine

    return Knowledge(Engine(options.settings(**arguments)))


def asking(options: Shared, *, mode: str | None, **arguments: Any) -> "Knowledge":
    """The collection for one question: the model begins to load at once, where the mode needs one."""
    settings = options.settings(**arguments)
    embed = settings.of(settings.collection).embed
    wanted = (mode or settings.search.mode) != "keyword"
    embedder = begun(embed.model, precision=embed.precision) if wanted else None

    from ragstone.blocking import Knowledge
    from ragstone.engine import Engine

    return Knowledge(Engine(settings, embedder=embedder))
