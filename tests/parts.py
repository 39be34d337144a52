"""Parts that some tests need beside Python: without one a test is skipped by its name, and fails in CI."""

import os
from typing import NoReturn

import pytest


def lacking(part: str) -> NoReturn:
    """End this test because `part` is not on this machine."""
    message = f"this test needs {part}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
