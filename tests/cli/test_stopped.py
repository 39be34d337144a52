"""Ctrl-C while a language model writes: one sentence, at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Run
from tests.patience import HANG
from tests.providers.serving.between import Reply, Seen, standing

QUESTION = "For how long are samples kept by default?"
# Longer than the last words, which wait for those behind them in case that they name a secret.
PIECE = b'data: {"choices": [{"delta": {"content": "Samples are kept for ninety days and then they "}}]}\n\n'


def writing(_: Seen) -> Reply:
    return Reply(iter([PIECE]), 200, {"Content-Type": "text/event-stream"})


@pytest.mark.parametrize("command", [["ask", QUESTION, "--stream"], ["chat"]])
def test_an_interrupt_ends_an_answer_with_a_sentence(command: list[str], docs: Path, run: Run) -> None:
    with standing(writing) as between:
        llm = {"model": "openai/m", "base_url": between.url, "api_key": "any"}
        Path("ragstone.yaml").write_text(json.dumps({"embed": {"model": "none"}, "llm": llm}), encoding="utf-8")
        assert run("ingest", docs).status == 0
        between.stall_after(1)
        asked = subprocess.Popen(
            [sys.executable, "-u", "-m", "ragstone", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert asked.stdin is not None
        assert asked.stdout is not None
        if command == ["chat"]:
            asked.stdin.write(f"{QUESTION}\n".encode())
            asked.stdin.flush()
        assert asked.stdout.read(len("Samples are")) == b"Samples are"
        asked.send_signal(signal.SIGINT)
        out, err = asked.communicate(timeout=HANG)
        assert asked.returncode == 130
        assert b"Traceback" not in out + err
        assert err.decode() == "interrupted: nothing was changed\n"
