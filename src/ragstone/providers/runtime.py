"""The library that runs models on this machine; where it cannot be loaded, a sentence says what to install."""

from typing import Any

from ragstone.config.environment import silence_telemetry
from ragstone.core.errors import Unavailable


def import_runtime() -> Any:
    """The module `onnxruntime`, which then reports nothing. Raises `Unavailable` where it is missing or broken."""
    silence_telemetry()
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise Unavailable(f"the package {error.name} is missing: pip install {error.name}") from error
    except ImportError as error:  # it was built for another numpy, or a library of the system is missing
        why = " ".join(str(error).split())
        raise Unavailable(f"onnxruntime cannot be loaded ({why}): pip install -U onnxruntime numpy") from error
    return onnxruntime
