"""Opens what the shared options name: apart, because the engine costs start-up time that `--help` need not pay."""

from typing import Any

from ragstone.blocking import Knowledge
from ragstone.cli.shared import Shared
from ragstone.engine import Engine


def opened(options: Shared, *, one_shot: bool = False, **arguments: Any) -> Knowledge:
    """The collection; with `one_shot` the model begins to load at once."""
    engine = Engine(options.settings(**arguments))
    if one_shot:
        engine.warm()
    return Knowledge(engine)
