"""Ragstone: a folder of documents in, checked answers out.

import ragstone

with ragstone.open("./store") as kb:
    kb.ingest("docs/")
    print(kb.ask("How long are samples kept?").text)

Each name is imported when it is first used: `import ragstone` alone costs a program nothing.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragstone.core.version import __version__ as __version__

# The public names, each once: type checkers and editors read these lines as they are, `_read_names` at run time.
if TYPE_CHECKING:
    from ragstone.access import Credential as Credential
    from ragstone.config.load import load as load
    from ragstone.config.settings import Settings as Settings
    from ragstone.core.answers import Answer as Answer
    from ragstone.core.answers import Citation as Citation
    from ragstone.core.answers import Event as Event
    from ragstone.core.answers import Found as Found
    from ragstone.core.errors import Busy as Busy
    from ragstone.core.errors import ConfigError as ConfigError
    from ragstone.core.errors import Forbidden as Forbidden
    from ragstone.core.errors import NotBuilt as NotBuilt
    from ragstone.core.errors import RagstoneError as RagstoneError
    from ragstone.core.errors import Refused as Refused
    from ragstone.core.errors import StoreError as StoreError
    from ragstone.core.errors import Unauthorized as Unauthorized
    from ragstone.core.errors import Unavailable as Unavailable
    from ragstone.core.errors import UsageError as UsageError
    from ragstone.core.filters import Condition as Condition
    from ragstone.core.filters import Where as Where
    from ragstone.core.records import Info as Info
    from ragstone.core.records import Run as Run
    from ragstone.core.types import Chunk as Chunk
    from ragstone.core.types import Document as Document
    from ragstone.core.types import Hit as Hit
    from ragstone.core.types import Scope as Scope
    from ragstone.core.types import Span as Span
    from ragstone.engine import Engine as Engine
    from ragstone.engine.blocking import Knowledge as Knowledge
    from ragstone.engine.blocking import open as open  # noqa: A004  # ragstone.open reads like what it is
    from ragstone.engine.blocking import open_async as open_async
    from ragstone.engine.remote.knowledge import RemoteKnowledge as RemoteKnowledge
    from ragstone.engine.remote.knowledge import connect as connect
    from ragstone.retrieval.question import Question as Question


def _read_names() -> dict[str, str]:
    """The module of each public name, as the imports above say."""
    source = __loader__.get_source(__name__)  # type: ignore[name-defined]  # every loader of source code has it
    return {name: module for module, name in re.findall(r"^    from (\S+) import (\w+) as \2\b", source, re.MULTILINE)}


_HOME = _read_names()
__all__ = sorted(_HOME)  # noqa: PLE0605  # a list of texts


if not TYPE_CHECKING:  # else a type checker would take any name

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
