"""A model that somebody has put into a folder, as ONNX beside its tokenizer, run on this machine's processor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from ragstone.core.errors import Unavailable, UsageError
from ragstone.providers.loaded_model import LoadedModel
from ragstone.providers.minilm.model import count_cores
from ragstone.providers.runtime import import_runtime

MODEL_FILES = ("model.onnx", "onnx/model.onnx")  # as exporters and the hub lay them out
TOKENIZER, TOKENIZER_OPTIONS = "tokenizer.json", "tokenizer_config.json"
KNOWN_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
WHOLE_NUMBERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}

Text = str | tuple[str, str]  # a text, or a pair of them


class OnnxFolder:
    """One model in memory, called by as many threads as there are cores, one text or pair a call: a batch is padded
    to its longest, which costs more than it saves on a processor."""

    def __init__(self, folder: str, *, key: str, reads: int, threads: int | None = None) -> None:
        """`key` is the setting that names the folder; `reads` bounds a text or pair in tokens, special ones included.
        Nothing is read yet."""
        self._folder = Path(folder).expanduser()
        self._key = key
        self._reads = reads
        self._model = LoadedModel(self._load, threads=threads or count_cores(), name="onnx-folder")

    def start_loading(self) -> Future[tuple[Any, Any]]:
        """Begin to load on a thread and return at once; further calls give the same future, unless it has failed."""
        return self._model.start_loading()

    async def run(self, texts: Sequence[Text]) -> list[Any]:
        """The first output of the network for each text or pair. When it is cancelled, texts that have not begun are
        left out.

        Raises `UsageError` for a folder that holds no model, `Unavailable` for a model that cannot be run.
        """
        (session, tokenizer), pool = await self._model.wait()
        run = asyncio.get_running_loop().run_in_executor
        return list(
            await asyncio.gather(*(run(pool, partial(self._compute, session, tokenizer, text)) for text in texts))
        )

    async def close(self) -> None:
        """Give back threads and memory; the next call would load again."""
        self._model.close()

    def _compute(self, session: Any, tokenizer: Any, text: Text) -> Any:
        import numpy as np

        encoded = (
            tokenizer.encode(*map(_mend_text, text)) if isinstance(text, tuple) else tokenizer.encode(_mend_text(text))
        )
        taken = {
            one.name: np.array([getattr(encoded, KNOWN_INPUTS[one.name])], dtype=WHOLE_NUMBERS[one.type])
            for one in session.get_inputs()
        }
        try:
            return session.run(None, taken)[0]
        except Exception as error:  # its own errors share no other base
            raise Unavailable(f"{self._key} {self._folder}: the model failed: {_shorten(error)}") from error

    def _load(self) -> tuple[Any, Any]:
        if not self._folder.is_dir():
            raise UsageError(f"{self._key} {self._folder} does not exist: name the folder of a model")
        file = next((found for name in MODEL_FILES if (found := self._folder / name).is_file()), None)
        lacking = MODEL_FILES[0] if file is None else TOKENIZER if not (self._folder / TOKENIZER).is_file() else None
        if file is None or lacking:
            raise UsageError(
                f"{self._key} {self._folder} lacks {lacking}: it must hold a model's ONNX and tokenizer files"
            )
        return self._open_session(file), self._read_tokenizer()

    def _read_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_str((self._folder / TOKENIZER).read_text("utf-8"))
        except Exception as error:  # the library's own errors are plain Exceptions
            raise UsageError(f"{self._key} {self._folder}: {TOKENIZER} cannot be read: {_shorten(error)}") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(min(self._reads, self._read_limit()))
        return tokenizer

    def _read_limit(self) -> int:
        """The longest text that the tokenizer's options name; exporters write 1e30 where they know none."""
        try:
            named = json.loads((self._folder / TOKENIZER_OPTIONS).read_text("utf-8"))["model_max_length"]
        except (OSError, ValueError, KeyError, TypeError):
            return self._reads
        return named if isinstance(named, int) and 0 < named < self._reads else self._reads

    def _open_session(self, file: Path) -> Any:
        onnxruntime = import_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_mem_pattern = False  # kept for each length of text
        try:
            session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its own errors share no other base
            raise UsageError(f"{self._key} {file} is not a model that onnxruntime reads: {_shorten(error)}") from error
        for one in session.get_inputs():
            if one.name not in KNOWN_INPUTS or one.type not in WHOLE_NUMBERS:
                known = ", ".join(KNOWN_INPUTS)
                raise UsageError(
                    f"{self._key} {file} takes the input {one.name!r}: expected a model that takes {known}"
                )
        return session


def _mend_text(text: str) -> str:
    """A text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _shorten(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
