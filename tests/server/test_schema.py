"""Every operation of the API with odd input: no error of the server's own, no status that its description lacks."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from ragstone.config.serve_settings import LogSettings, ServeSettings
from ragstone.config.settings import AccessSettings
from ragstone.server.app import create_app
from tests.patience import HANG
from tests.server.conftest import Kept

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
EXAMPLES = 6  # of each operation, with odd input and with input as described
ODD = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("trusted", [True, False])
def test_odd_input_is_answered_as_described(trusted: bool, kept: Kept, tmp_path: Path) -> None:
    """The server has a store of its own, which odd input may change."""
    changed = replace(
        kept.settings,
        store=f"embedded:{tmp_path / 'store'}",
        access=AccessSettings(trusted=trusted),
        serve=ServeSettings(allowed_hosts=("testserver",)),
        log=LogSettings(queries=False),
    )
    described = schemathesis.openapi.from_asgi("/v1/openapi.json", create_app(changed))
    operations = [found.ok() for found in described.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) > 30
    for operation in operations:
        for mode in GenerationMode:

            @ODD
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                case.validate_response(case.call(timeout=HANG), checks=CHECKS)  # its own 10 s end a first picture's OCR

            with suppress(Unsatisfiable):
                ask()
