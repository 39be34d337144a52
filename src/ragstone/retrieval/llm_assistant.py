"""Help of a language model in a search: bounded in time, counted, and left out with a note if it fails."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragstone.core.answers import Step
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Completion, CompletionResult, Prompt
from ragstone.core.trace import Trace

Done = Literal["standalone", "hyde", "multi_query", "filter"]
GRACE = 1.0  # seconds for a request that was given up to end its work
REFUSED = "llm_refused"  # its key, its address, `offline`: to be mended there, whatever is searched for
NONE = "no language model is configured; set llm.model"


@dataclass(frozen=True, slots=True)
class Assistant:
    """The language model of one search. `model` gives it, None where none is configured; `seconds` is what each step
    may take. Its failures become notes: passages are found without a model too."""

    model: Callable[[], Completion | None]
    seconds: float
    trace: Trace

    def ready(self) -> Completion | None:
        """The model, where there is one that may be asked."""
        try:
            return self.model()
        except UsageError:
            return None

    async def ask_all(self, step: Done, prompts: Sequence[Prompt]) -> list[CompletionResult | None] | None:
        """The model's texts for the prompts, all asked at once; None for those that failed or came too late, and for
        all of them when none came."""
        return await self.trace.attempt(step, self._ask_each(step, prompts), None, refused=REFUSED)

    async def _ask_each(self, step: Done, prompts: Sequence[Prompt]) -> list[CompletionResult | None]:
        model = self.model()
        if model is None:
            raise Unavailable(NONE)
        tasks = [asyncio.ensure_future(model.complete(prompt)) for prompt in prompts]
        try:
            done, late = await asyncio.wait(tasks, timeout=self.seconds)
        finally:
            for task in tasks:
                task.cancel()
        if late:
            await asyncio.wait(late, timeout=GRACE)
        failed = [task.exception() for task in tasks if task in done and task.exception() is not None]
        if len(failed) + len(late) == len(tasks):
            raise _describe_failure(failed[0] if failed else None, self.seconds)
        if failed or late:
            said = _describe_failure(failed[0] if failed else None, self.seconds)
            self.trace.note(f"{step}_failed", f"{step}: {len(failed) + len(late)} of {len(tasks)} calls failed: {said}")
        return [task.result() if task in done and task.exception() is None else None for task in tasks]

    def record_step(
        self,
        name: Done,
        made: Sequence[CompletionResult | None],
        texts: Sequence[str] = (),
        scores: Sequence[float] = (),
    ) -> None:
        """Keep what a step has done, with the tokens of its calls."""
        usage: dict[str, int] = {}
        for one in filter(None, made):
            for key in ("prompt_tokens", "completion_tokens"):
                if (count := getattr(one, key)) is not None:
                    usage[key] = usage.get(key, 0) + count
        self.trace.steps.append(Step(name, len(made), tuple(texts), tuple(scores), usage))


def _describe_failure(error: BaseException | None, seconds: float) -> RagstoneError:
    if error is None:
        return Unavailable(f"no answer within {seconds:g} s (deadlines.rewrite)")
    if isinstance(error, RagstoneError):
        return error
    return Unavailable(f"{type(error).__name__}: {error}")
