"""Networks small enough to be made in a test that do what large ones do: they judge by the words that are there."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragstone.providers.minilm import model as minilm
from ragstone.providers.minilm.onnx_graph import FORMAT, OPSET, Graph, _declare_constant, _declare_port
from ragstone.providers.minilm.protobuf import Field, encode_message

COMMON = 2100  # numbers of BERT's vocabulary below which signs, letters and the commonest words stand
FLOAT = 1


def write_folder(folder: Path, network: bytes, *, file: str = "model.onnx", reads: int = 256) -> Path:
    """A folder with a network and BERT's tokenizer, laid out as on the hub."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(network)
    shutil.copy(Path(minilm.__file__).with_name("tokenizer.json"), folder)
    files = {"tokenizer_config": {"model_max_length": reads, "pad_token": "[PAD]"}, "config": {"pad_token_id": 0}}
    for name, data in {**files, "special_tokens_map": {}}.items():
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def cross_encoder(outputs: int = 1, *, extra_input: str = "attention_mask") -> bytes:
    """A network that gives 2 × the number of the question's words in the passage, less 3, `outputs` times."""
    made = _Network()
    made.constant("first", [1]), made.constant("second", [2])
    made.constant("common", [COMMON]), made.constant("one", [1]), made.constant("two", [2]), made.constant("three", [3])
    made.constant("widths", [1, outputs])
    rows = made.step("Unsqueeze", ["input_ids", "second"], "rows")
    columns = made.step("Unsqueeze", ["input_ids", "first"], "columns")
    same = made.to_float(made.step("Equal", [rows, columns], "same"))
    asked = made.step(
        "Unsqueeze", [made.to_float(made.step("Sub", ["one", "token_type_ids"], "of_question")), "second"], "asked"
    )
    read = made.step("Unsqueeze", [made.to_float("token_type_ids"), "first"], "read")
    worded = made.step(
        "Unsqueeze", [made.to_float(made.step("Greater", ["input_ids", "common"], "rare")), "second"], "worded"
    )
    pairs = made.step("Mul", [made.step("Mul", [made.step("Mul", [same, asked], "a"), read], "b"), worded], "pairs")
    held = made.step("ReduceMax", [pairs, "second"], "held", keepdims=0)
    count = made.step("ReduceSum", [held, "first"], "count", keepdims=1)
    doubled = made.step("Mul", [count, made.to_float("two")], "doubled")
    logit = made.step("Sub", [doubled, made.to_float("three")], "logit")
    made.step("Expand", [logit, "widths"], "logits")
    return made.serialize(("input_ids", extra_input, "token_type_ids"), {"logits": ("texts", outputs)})


def sparse_encoder(vocabulary: int = 30_522) -> bytes:
    """A network whose logits, (texts, tokens, vocabulary), are 2 at the number of each rare word and 0 elsewhere."""
    made = _Network()
    made.constant("last", [2]), made.constant("common", [COMMON]), made.constant("size", [vocabulary])
    made.constant("off_on", [0, 2])
    words = made.step("OneHot", ["input_ids", "size", made.to_float("off_on")], "words", axis=-1)
    rare = made.to_float(made.step("Greater", ["input_ids", "common"], "rare"))
    made.step("Mul", [words, made.step("Unsqueeze", [rare, "last"], "kept")], "logits")
    takes = ("input_ids", "attention_mask", "token_type_ids")
    return made.serialize(takes, {"logits": ("texts", "tokens", vocabulary)})


class _Network(Graph):
    def constant(self, name: str, values: Sequence[int]) -> str:
        return self.add_constant(name, np.array(values, dtype=np.int64))

    def step(self, operator: str, inputs: Sequence[str], output: str, **how: int) -> str:
        return self.add_step(operator, inputs, output, vendor=False, **how)

    def to_float(self, name: str) -> str:
        return self.add_step("Cast", [name], f"{name}_float", to=FLOAT)

    def serialize(self, takes: Sequence[str], gives: Mapping[str, tuple[str | int, ...]]) -> bytes:
        """The file with several inputs of whole numbers."""
        parts: list[tuple[int, Field]] = [(1, node) for node in self._nodes]
        parts += [(2, "graph"), *((5, _declare_constant(name, values)) for name, values in self._constants.items())]
        parts += [(11, _declare_port(name, "int64", "texts", "tokens")) for name in takes]
        parts += [(12, _declare_port(name, "float32", *shape)) for name, shape in gives.items()]
        opsets = [(8, encode_message((1, ""), (2, OPSET)))]
        return encode_message((1, FORMAT), (7, encode_message(*parts)), *opsets)
