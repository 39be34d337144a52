"""An ONNX graph put together step by step, without the onnx package."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragstone.providers.minilm.protobuf import Field, encode_message, read_fields

Tensor = NDArray[Any]
Attribute = int | float

VENDOR = "com.microsoft"  # onnxruntime's own operators, part of every build of it
TYPES: dict[int, str] = {1: "float32", 3: "int8", 7: "int64", 9: "bool"}
NUMBERS = {name: number for number, name in TYPES.items()}
FORMAT, OPSET, VENDOR_OPSET = 8, 18, 1  # ReduceMean takes its axes as an input from opset 18 on


class Graph:
    """Steps and constants in the order of their making. Names are the caller's and must differ."""

    def __init__(self) -> None:
        self._constants: dict[str, Tensor] = {}
        self._nodes: list[bytes] = []

    def add_constant(self, name: str, values: Tensor) -> str:
        """A tensor. Shapes and axes (int64) stand in the file, which the checker wants to read; all else is
        handed over beside it."""
        self._constants[name] = np.ascontiguousarray(values)
        return name

    @property
    def external_constants(self) -> dict[str, Tensor]:
        """The constants that the file only names; a session copies them when it is made."""
        return {name: values for name, values in self._constants.items() if values.dtype != np.int64}

    def add_step(
        self, operator: str, inputs: Sequence[str], *outputs: str, vendor: bool = False, **how: Attribute
    ) -> str:
        """One operator; gives the name of its first output. An input called "" is left out."""
        parts: list[tuple[int, Field]] = [(1, name) for name in inputs]
        parts += [(2, name) for name in outputs]
        parts += [(4, operator), (7, VENDOR if vendor else "")]
        parts += [(5, _encode_attribute(name, value)) for name, value in how.items()]
        self._nodes.append(encode_message(*parts))
        return outputs[0]

    def serialize_model(self, *, takes: str, gives: str, width: int, each: str | None = None) -> bytes:
        """The file: int64 (texts, tokens) in, float32 (texts, width) out, constants named but not held. `each` names a
        second output (texts, tokens, width)."""
        parts: list[tuple[int, Field]] = [(1, node) for node in self._nodes]
        parts += [(2, "graph"), *((5, _declare_constant(name, values)) for name, values in self._constants.items())]
        parts += [
            (11, _declare_port(takes, "int64", "texts", "tokens")),
            (12, _declare_port(gives, "float32", "texts", width)),
        ]
        parts += [(12, _declare_port(each, "float32", "texts", "tokens", width))] if each else []
        opsets = [(8, encode_message((1, ""), (2, OPSET))), (8, encode_message((1, VENDOR), (2, VENDOR_OPSET)))]
        return encode_message((1, FORMAT), (7, encode_message(*parts)), *opsets)


def read_tensors(model: bytes) -> dict[str, Tensor]:
    """The tensors stored in an ONNX file, by name: views into `model`. Raises ValueError for other files."""
    found = {}
    for number, graph in read_fields(memoryview(model)):
        if number == 7 and isinstance(graph, memoryview):
            for inner, tensor in read_fields(graph):
                if inner == 5 and isinstance(tensor, memoryview):
                    name, values = _read_tensor(tensor)
                    found[name] = values
    return found


def _read_tensor(data: memoryview) -> tuple[str, Tensor]:
    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in read_fields(data):
        if number == 1 and isinstance(value, int):
            shape.append(value)
        elif number == 2 and isinstance(value, int):
            kind = value
        elif number == 8 and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif number == 9 and isinstance(value, memoryview):
            raw = value
    if kind not in TYPES:
        raise ValueError(f"tensor {name!r} is of an unknown type {kind}")
    return name, np.frombuffer(raw, dtype=TYPES[kind]).reshape(shape)


def _encode_attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return encode_message((1, name), (2, value), (20, 1))
    return encode_message((1, name), (3, value), (20, 2))


def _declare_constant(name: str, values: Tensor) -> bytes:
    parts: list[tuple[int, Field]] = [(1, size) for size in values.shape]
    parts += [(2, NUMBERS[str(values.dtype)]), (8, name)]
    if values.dtype == np.int64:
        return encode_message(*parts, (9, values.tobytes()))
    # Declared as external: the place is never looked at, since the session gets the values.
    return encode_message(*parts, (13, encode_message((1, "location"), (2, "memory"))), (14, 1))


def _declare_port(name: str, kind: str, *shape: int | str) -> bytes:
    sizes: list[tuple[int, Field]] = [
        (1, encode_message((2, size) if isinstance(size, str) else (1, size))) for size in shape
    ]
    return encode_message(
        (1, name), (2, encode_message((1, encode_message((1, NUMBERS[kind]), (2, encode_message(*sizes))))))
    )
