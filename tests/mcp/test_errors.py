"""Errors of tools: a sentence and a next step, and nothing of the server's own places."""

import logging

import pytest

from ragstone.config.settings import Settings
from ragstone.core.errors import Busy, ConfigError, Corrupt, NotAStore, RagstoneError, StoreTooNew, UsageError
from ragstone.core.trace import Trace
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.errors import describe_error


@pytest.mark.parametrize("kind", [Corrupt, NotAStore, StoreTooNew])
def test_the_place_of_a_store_is_for_the_log_alone(kind: type[RagstoneError], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ragstone"):
        told = describe_error(kind("/srv/ragstone/store/vectors is damaged"))
    assert told.startswith(f"{kind.disclosure.sentence}\nNext step: ")
    assert "/srv" not in told
    assert "/srv/ragstone/store/vectors is damaged" in caplog.text


def test_a_setting_of_the_server_is_for_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ragstone"):
        told = describe_error(ConfigError("llm.api_key_file /etc/ragstone/key cannot be read"))
    assert told == "the server's configuration is wrong\nNext step: ask the user to look at this server's log."
    assert "/etc/ragstone/key" in caplog.text


@pytest.mark.parametrize("error", [Busy("another run is writing: try again"), UsageError("top_k: expected 1 to 100")])
def test_what_a_caller_can_mend_is_said(error: RagstoneError) -> None:
    assert describe_error(error).startswith(f"{error}\nNext step: ")


async def test_a_note_of_a_tool_does_not_tell_the_place_of_a_store_either(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise Corrupt("/srv/ragstone/store/vectors is damaged")

    async def search() -> list[str]:
        trace = Trace()
        await trace.attempt("cosine", fail(), None)
        return [note.message for note in trace.notes]

    engines = EngineThread(Settings())
    engines.start()
    try:
        [told] = await engines.run(search())
    finally:
        await engines.close()
    assert told.startswith("cosine failed and was left out: ")
    assert "/srv" not in told
    assert "/srv/ragstone/store/vectors is damaged" in caplog.text
