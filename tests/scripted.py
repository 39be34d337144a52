"""A language model that says what it is told to, for tests of what is made of it."""

from collections.abc import AsyncGenerator, Callable

from ragstone.core.errors import RagstoneError
from ragstone.core.ports import CompletionResult, Prompt, Tokenizer


class Scripted:
    """See `ragstone.core.ports.Completion`. `says` gives the text of an answer, whole or as pieces; what is an error is
    raised where it comes."""

    vendor = "scripted"
    model = "script"
    tokenizer: Tokenizer | None = None

    def __init__(
        self,
        says: Callable[[Prompt], str | list[str | RagstoneError]],
        *,
        context: int | None = None,
        done: CompletionResult | None = None,
    ) -> None:
        self._says = says
        self._done = done
        self.context = context
        self.prompts: list[Prompt] = []
        self.closed = 0

    async def complete(self, prompt: Prompt) -> CompletionResult:
        parts = [part async for part in self.stream(prompt)]
        last = parts[-1]
        assert isinstance(last, CompletionResult)
        return last

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        self.prompts.append(prompt)
        said = self._says(prompt)
        text = ""
        try:
            for piece in [said] if isinstance(said, str) else said:
                if isinstance(piece, RagstoneError):
                    raise piece
                text += piece
                yield piece
            yield self._done or CompletionResult(text, prompt_tokens=10, completion_tokens=5)
        finally:
            self.closed += 1

    async def check(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None
