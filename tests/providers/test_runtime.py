"""A runtime of models that is missing, or there and broken, is told in a sentence with its remedy."""

import sys
from pathlib import Path

import pytest

from ragstone.core.errors import Unavailable
from ragstone.providers.runtime import import_runtime


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("import flatbuffers_of_another_age", "the package flatbuffers_of_another_age is missing: pip install"),
        ("raise ImportError('built for\\nnumpy 1')", "onnxruntime cannot be loaded (built for numpy 1): pip"),
    ],
    ids=["missing", "broken"],
)
def test_a_runtime_that_cannot_be_loaded(
    module: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnxruntime.py").write_text(module, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    with pytest.raises(Unavailable) as caught:
        import_runtime()
    assert str(caught.value).startswith(said)
