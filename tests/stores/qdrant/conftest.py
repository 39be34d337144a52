"""A Qdrant behind a real gRPC server, carried out by what can be had without one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder, serving


@pytest.fixture(params=["client", "engine"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recorder]:
    """Carried out by the client's local mode, and by Qdrant's engine."""
    engine: Any = Engine(tmp_path / "engine") if request.param == "engine" else None
    with serving(recorder=Recorder(inner=engine) if engine else Recorder()) as made:
        yield made
    if engine:
        engine.close()
