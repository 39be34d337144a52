"""One contestant in a process of its own: for each line on stdin one round over the texts, seconds as JSON.

The sentence-transformers contestant runs the same architecture with random weights (BertConfig with
384 wide, 6 layers, 12 heads, 1536 inside): the time of a product does not depend on its numbers, and
the published weights need a download. Its tokenizer is the same file, its settings are its defaults.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from texts import texts

Round = Callable[[], object]


def ragstone(precision: str) -> Callable[[list[str], int], Round]:
    """The built-in model, all texts in one call."""

    def start(given: list[str], threads: int) -> Round:
        from ragstone.providers import make_embedder

        model = make_embedder("minilm", precision=precision, threads=threads)
        loop = asyncio.new_event_loop()
        return lambda: loop.run_until_complete(model.embed(given))

    return start


def exported(given: list[str], threads: int) -> Round:
    """The wheel's own graph as onnxruntime optimises it, one text a call, on one thread."""
    import numpy as np
    import onnxruntime

    from ragstone.providers.minilm.model import READS, find_model_file
    from ragstone.providers.minilm.wordpiece import WordPiece

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(find_model_file()), options, providers=["CPUExecutionProvider"])
    tokenizer = WordPiece()

    def one(text: str) -> object:
        ids = np.array([tokenizer.ids(text, limit=READS)], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return session.run(None, feed)

    return lambda: [one(text) for text in given]


def sentence_transformers(given: list[str], threads: int) -> Round:
    """SentenceTransformer.encode with its defaults: batches of 32, sorted by length, padded."""
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    torch.set_num_threads(threads)
    folder = Path(tempfile.mkdtemp())
    config = transformers.BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    transformers.BertModel(config).save_pretrained(folder)
    vocabulary = Path(__file__).parents[2] / "src/ragstone/providers/minilm/tokenizer.json"
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(vocabulary), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=256
    ).save_pretrained(folder)
    transformer = modules.Transformer(str(folder), max_seq_length=256)
    model = SentenceTransformer(modules=[transformer, modules.Pooling(384), modules.Normalize()], device="cpu")
    return lambda: model.encode(given, show_progress_bar=False)


def sgemm(given: list[str], threads: int) -> Round:
    """Nothing but the products of the network, in numpy: what a text would cost if all else were free."""
    import numpy as np

    del threads  # the number of BLAS threads is set by the environment, see compare.py
    chance = np.random.default_rng(0)
    shapes = [(384, 1152), (384, 384), (384, 1536), (1536, 384)]
    weights = [chance.standard_normal(shape).astype(np.float32) for shape in shapes for _ in range(6)]
    tokens = [len(text.split()) + 2 for text in given]
    inputs = {n: {k: chance.standard_normal((n, k)).astype(np.float32) for k in (384, 1536)} for n in set(tokens)}
    heads = {n: chance.standard_normal((12, n, 32)).astype(np.float32) for n in set(tokens)}

    def one(n: int) -> int:
        for weight in weights:
            inputs[n][weight.shape[0]] @ weight
        for _ in range(6):
            heads[n] @ heads[n].transpose(0, 2, 1) @ heads[n]
        return n

    return lambda: [one(n) for n in tokens]


CONTESTANTS = {
    "ragstone fp32": ragstone("fp32"),
    "ragstone int8": ragstone("int8"),
    "exported": exported,
    "sentence-transformers": sentence_transformers,
    "sgemm": sgemm,
}


def main() -> None:
    """Load, warm up with one round, then serve."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("contestant", choices=CONTESTANTS)
    arguments.add_argument("--tokens", type=int, required=True)
    arguments.add_argument("--count", type=int, required=True)
    arguments.add_argument("--threads", type=int, required=True)
    given = arguments.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.threads])
    work = CONTESTANTS[given.contestant](texts(given.tokens, given.count), given.threads)
    work()
    print("ready", flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}), flush=True)


if __name__ == "__main__":
    main()
