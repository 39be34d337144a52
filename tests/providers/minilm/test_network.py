import numpy as np
import pytest

from ragstone.providers.minilm.model import read_model_bytes
from ragstone.providers.minilm.network import LAYERS, Weights, build_network
from ragstone.providers.minilm.onnx_graph import Graph, read_tensors


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(read_tensors(read_model_bytes()))


def test_all_matrices_are_found_in_the_order_of_the_layers(weights: Weights) -> None:
    shapes = [weights.stored[f"{name}_q"].shape for name in weights.matrix_names()]
    assert shapes == [*[(384, 384)] * 4, (384, 1536), (1536, 384)] * LAYERS


def test_small_matrices_cannot_overflow_sixteen_bits(weights: Weights) -> None:
    for name in weights.matrix_names():
        values = weights.int8_matrices(name)[0].astype(np.int32) * 255
        for sign in (values.clip(min=0), -values.clip(max=0)):
            assert (sign[::2] + sign[1::2]).max() <= 32767


def test_small_matrices_stay_near_the_stored_ones(weights: Weights) -> None:
    for name in weights.matrix_names():
        values, scales = weights.int8_matrices(name)
        assert np.abs(values * scales - weights.float_matrices(name)).max() <= scales.max() * 0.51


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_the_file_is_small_because_the_weights_stand_beside_it(weights: Weights, precision: str) -> None:
    graph = build_network(weights, "int8" if precision == "int8" else "fp32")
    assert len(graph.serialize_model(takes="ids", gives="vector", width=384)) < 50_000
    assert sum(array.nbytes for array in graph.external_constants.values()) > 20_000_000


def test_a_written_graph_runs_and_its_own_tensors_can_be_read() -> None:
    import onnxruntime

    graph = Graph()
    graph.add_constant("one", np.array([1]))
    graph.add_step("Cast", ["ids"], "floats", to=1)
    graph.add_step("ReduceSum", ["floats", "one"], "sums", keepdims=1)
    model = graph.serialize_model(takes="ids", gives="sums", width=1)
    assert {name: array.tolist() for name, array in read_tensors(model).items()} == {"one": [1]}
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    [sums] = session.run(None, {"ids": np.array([[1, 2, 3]])})
    assert sums.tolist() == [[6.0]]
