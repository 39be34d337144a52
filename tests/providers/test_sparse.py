"""Models of sparse vectors: over HTTP by a script of the reference, and in this process from a folder."""

import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.model_settings import ExternalSettings, SparseSettings
from ragstone.config.settings import Settings
from ragstone.config.vendors import VENDORS
from ragstone.core.errors import ConfigError, Unavailable
from ragstone.core.ports import SparseEncoder
from ragstone.engine.sparse_encoders import make_sparse_encoder as make_from_settings
from ragstone.providers import make_sparse_encoder
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.masking import MaskingSparseEncoder
from ragstone.testing.sparse_encoders import SparseEncoderContract
from tests.providers import tiny_onnx
from tests.providers.serving import backends
from tests.providers.serving.between import Between, standing

FAST = "prithivida/Splade_PP_en_v1"


def encoder_at(between: Between, **changes: Any) -> SparseEncoder:
    """The encoder of a server of the tests."""
    reach = Endpoint(VENDORS["tei"], "sparse", **{"base_url": between.url, "first": 0.001, **changes})
    return make_sparse_encoder(f"tei/{FAST}", reach=reach)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of fastembed's layout that gives the rare words of a text."""
    return tiny_onnx.write_folder(tmp_path_factory.mktemp("sparse"), tiny_onnx.sparse_encoder())


class TestServer(SparseEncoderContract):
    @pytest.fixture
    async def encoder(self) -> AsyncIterator[SparseEncoder]:
        with standing(backends.tei_sparse) as between:
            encoder = encoder_at(between)
            yield encoder
            await encoder.close()


class TestFolder(SparseEncoderContract):
    @pytest.fixture
    async def encoder(self, folder: Path) -> AsyncIterator[SparseEncoder]:
        encoder = make_sparse_encoder(f"fastembed/{FAST}", folder=str(folder), offline=True)
        yield encoder
        await encoder.close()


async def test_a_request_is_what_the_reference_says() -> None:
    with standing(backends.tei_sparse) as between:
        encoder = encoder_at(between, headers={"X-Team": "library"}, key="k")
        await encoder.encode(["samples"])
        await encoder.close()
        [seen] = between.requests
        assert (seen.method, seen.path) == ("POST", "/embed_sparse")
        assert (seen.headers["x-team"], seen.headers["authorization"]) == ("library", "Bearer k")
        assert json.loads(seen.body) == {"inputs": ["samples"], "truncate": True}


async def test_the_weights_of_a_folder_are_those_of_its_network(folder: Path) -> None:
    encoder = make_sparse_encoder(f"fastembed/{FAST}", folder=str(folder), offline=True)
    [once, often] = await encoder.encode(["a zebra", "zebra, zebra and zebra"])
    await encoder.close()
    assert once == often
    assert list(once.weights) == pytest.approx([math.log1p(2)], abs=1e-6)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ([[{"index": 1, "value": 0.5}]], "1 vectors for 2 texts"),
        ([[{"index": 1, "value": -0.5}], []], "the weight -0.5 of term 1"),
        ([[{"index": 1, "value": 1.0}, {"index": 1, "value": 1.0}], []], "a term comes twice"),
        ([[{"index": "one", "value": 1.0}], []], "instead of a score"),
        ({"error": "busy"}, "invalid response"),
    ],
)
async def test_replies_that_make_no_sense_are_said(reply: Any, said: str) -> None:
    with standing(lambda _seen: backends.line(reply)) as between:
        encoder = encoder_at(between)
        with pytest.raises(Unavailable, match=said):
            await encoder.encode(["a", "b"])
        await encoder.close()


async def test_a_model_of_a_vendor_never_sees_a_secret() -> None:
    secret = "AKIAQ7ZK3M5N8P2R4T6V"
    with standing(backends.tei_sparse) as between:
        encoder = MaskingSparseEncoder(encoder_at(between))
        await encoder.encode([f"a key: {secret}"])
        await encoder.close()
        [seen] = between.requests
        assert secret not in seen.body.decode()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tie/splade", "unknown vendor 'tie'; did you mean 'tei'"),
        ("cohere/any", "cohere cannot make sparse vectors; tei, fastembed can"),
        ("tei/", "expected tei/MODEL"),
    ],
)
def test_a_wrong_name_is_said(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_from_settings(SparseSettings(name), Settings())


def test_texts_leave_the_machine_only_where_that_is_allowed() -> None:
    far = SparseSettings("tei/splade", base_url="http://10.1.2.3:80")
    with pytest.raises(ConfigError, match=r"10\.1\.2\.3.*set external\.embedding to true"):
        make_from_settings(far, Settings())
    with pytest.raises(ConfigError, match="offline is true"):
        make_from_settings(far, Settings(offline=True, external=ExternalSettings(embedding=True)))
    assert make_from_settings(far, Settings(external=ExternalSettings(embedding=True))).model == "tei/splade"


async def test_models_of_fastembed_that_do_not_fit_are_refused() -> None:
    for name, said in (("splade", "expected one of: "), (FAST, r"sparse\.folder")):
        nope = make_sparse_encoder(f"fastembed/{name}", folder="nowhere", offline=True)
        assert said.replace("\\", "") in (await nope.check())[0]
        await nope.close()
