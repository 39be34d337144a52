import numpy as np
import pytest

from ragstone.providers.minilm.model import model_bytes
from ragstone.providers.minilm.network import LAYERS, Weights, network
from ragstone.providers.minilm.onnx_graph import Graph, tensors


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(tensors(model_bytes()))


def test_all_matrices_are_found_in_the_order_of_the_layers(weights: Weights) -> None:
    shapes = [weights.stored[f"{name}_q"].shape for name in weights.matrices()]
    assert shapes == [*[(384, 384)] * 4, (384, 1536), (1536, 384)] * LAYERS


def test_small_matrices_cannot_overflow_sixteen_bits(weights: Weights) -> None:
    for name in weights.matrices():
        values = weights.small(name)[0].astype(np.int32) * 255
        for sign in (values.clip(min=0), -values.clip(max=0)):
            assert (sign[::2] + sign[1::2]).max() <= 32767


def test_small_matrices_stay_near_the_stored_ones(weights: Weights) -> None:
    for name in weights.matrices():
        values, scales = weights.small(name)
        assert np.abs(values * scales - weights.whole(name)).max() <= scales.max() * 0.51


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_the_file_is_small_because_the_weights_stand_beside_it(weights: Weights, precision: str) -> None:
    graph = network(weights, "int8" if precision == "int8" else "fp32")
    assert len(graph.model(takes="ids", gives="vector", width=384)) < 50_000
    assert sum(array.nbytes for array in graph.outside.values()) > 20_000_000


def test_a_written_graph_runs_and_its_own_tensors_can_be_read() -> None:
    import onnxruntime

    graph = Graph()
    graph.constant("one", np.array([1]))
    graph.step("Cast", ["ids"], "floats", to=1)
    graph.step("ReduceSum", ["floats", "one"], "sums", keepdims=1)
    model = graph.model(takes="ids", gives="sums", width=1)
    assert {name: array.tolist() for name, array in tensors(model).items()} == {"one": [1]}
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    [sums] = session.run(None, {"ids": np.array([[1, 2, 3]])})
    assert sums.tolist() == [[6.0]]
