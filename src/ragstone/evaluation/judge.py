"""A language model as the judge of answers and of what they were made from: four measures between 0 and 1."""

import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ragstone import guard
from ragstone.answering.generative.context import ContextPassage, order_ends_first
from ragstone.answering.generative.prompt import build_messages
from ragstone.answering.options import AnswerWriter, Conversation
from ragstone.core.answers import Answer
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Prompt
from ragstone.core.types import Json
from ragstone.evaluation.rubrics import PASSAGES, RELEVANCE, STATEMENTS, SUPPORT, VERSION, Rubric

T = TypeVar("T")
JUDGE_MEASURES = ("Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall")
TRIES = 2  # a reply that cannot be read is asked for once more
MOST_STATEMENTS = 40  # of one text; a judge that finds more counts words
MAX_UNREACHED = 2  # questions in a row that a judge did not answer before it is left alone


class UnreadableReply(Exception):
    """A reply that is not the JSON that was asked for."""


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """The work of a judge: its model and the version of its rubrics, its calls, the tokens counted by its vendor, the
    reasons for missing measures, and the error that stopped it early.
    """

    model: str
    rubrics: str
    temperature: float
    calls: int
    tokens: Mapping[str, int]
    failures: Mapping[str, int]
    failed: RagstoneError | None = None


@dataclass(slots=True)
class Judge:
    """Rates answers with the language model of `writing`, within what that reads.

    A measure that does not apply is left out: faithfulness and relevance of an abstention, recall without an expected
    answer. So is one whose reply cannot be read, and all of them once the judge cannot be reached; `failures` counts
    why.
    """

    writing: AnswerWriter
    calls: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    given_up: RagstoneError | None = None
    _unreached: int = 0
    _read: int = 0
    _tokens: dict[str, int] = field(default_factory=dict)

    @property
    def describe(self) -> Json:
        """Which judge it was, for a report: its figures compare only with those of the same one."""
        model = self.writing.model
        about = f"{model.vendor}/{model.model}"
        return {"model": about, "rubrics": VERSION, "temperature": self.writing.temperature}

    @property
    def summary(self) -> JudgeSummary:
        """The judge's work so far."""
        return JudgeSummary(
            **self.describe,
            calls=self.calls,
            tokens=dict(self._tokens),
            failures=dict(self.failures),
            failed=self._failure,
        )

    @property
    def _failure(self) -> RagstoneError | None:
        name = self.describe["model"]
        if self.given_up is not None:
            kind = UsageError if self.given_up.exit == 2 else Unavailable
            return kind(f"Ragstone stopped asking the judge {name}: {self.given_up}")
        if self.calls and not self._read:
            return Unavailable(f"no reply of the judge {name} could be read: name another model with --judge-model")
        return None

    async def rate(
        self, question: str, made: Answer, *, expected: str = "", answerable: bool = True
    ) -> Mapping[str, float]:
        """The measures of one answer by name; passages are not rated where nothing answers the question."""
        passages = self._select_passages(question, made, expected)
        blind = bool(made.hits) and not passages  # what was not shown cannot be judged
        wanted: dict[str, Callable[[], Awaitable[float | None]]] = {}
        if not made.abstained:
            if not blind:
                wanted["Faithfulness"] = lambda: self._rate_support(question, made.text, passages)
            wanted["AnswerRelevance"] = lambda: self._rate_relevance(question, made.text)
        if passages and answerable:
            wanted["ContextPrecision"] = lambda: self._rate_precision(question, passages)
        if expected and not blind:
            wanted["ContextRecall"] = lambda: self._rate_support(question, expected, passages)
        rated = {name: await self._attempt(work) for name, work in wanted.items()}
        return {name: value for name, value in rated.items() if value is not None}

    def _select_passages(self, question: str, made: Answer, expected: str) -> list[ContextPassage]:
        """The passages that the judge is shown beside the longest that it is asked about them."""
        judging = replace(self.writing, template=SUPPORT.template)
        about = Conversation(json.dumps([question, max(made.text, expected, key=len)], ensure_ascii=False))
        passages = judging.context(made.hits, about)
        if made.hits and not passages:
            self._count_failure(f"the judge could not be shown the passages: {judging.describe_lack_of_room(about)}")
        return passages

    async def _attempt(self, work: Callable[[], Awaitable[float | None]]) -> float | None:
        """The value, or None with the reason counted."""
        if self.given_up:
            return None
        try:
            value = await work()
        except UnreadableReply as error:
            self._count_failure(f"the judge's reply could not be read: {error}")
            return None
        except RagstoneError as error:
            self._count_failure(f"the judge could not be asked: {error}")
            self._unreached += 1
            if error.exit == 2 or self._unreached >= MAX_UNREACHED:
                self.given_up = error
            return None
        self._unreached = 0
        return value

    def _count_failure(self, why: str) -> None:
        self.failures[why] = self.failures.get(why, 0) + 1

    async def _rate_support(self, question: str, text: str, passages: Sequence[ContextPassage]) -> float | None:
        """The share of a text's statements that the passages support; None for one that states nothing."""
        pair = {"question": question, "text": text}
        statements = await self._ask_judge(STATEMENTS, pair, (), _read_statements)
        if not statements:
            return None
        if not passages:
            return 0.0
        verdicts = await self._ask_judge(SUPPORT, statements, passages, _make_verdict_reader(len(statements)))
        return sum(verdicts) / len(verdicts)

    async def _rate_relevance(self, question: str, text: str) -> float:
        return await self._ask_judge(RELEVANCE, {"question": question, "answer": text}, (), _read_rating)

    async def _rate_precision(self, question: str, passages: Sequence[ContextPassage]) -> float:
        """Ratings weighted by 1 / log2(rank + 1), as shares of their highest sum."""
        ratings = await self._ask_judge(PASSAGES, question, passages, _make_rating_reader(len(passages)))
        places = order_ends_first(range(len(passages)))  # the ranks, in the order in which they were shown
        ranked = [rating for _, rating in sorted(zip(places, ratings, strict=True))]
        weights = [1 / math.log2(rank + 1) for rank in range(1, len(ranked) + 1)]
        return sum(weight * rating for weight, rating in zip(weights, ranked, strict=True)) / sum(weights)

    async def _ask_judge(
        self, rubric: Rubric, about: object, passages: Sequence[ContextPassage], read: Callable[[Any], T]
    ) -> T:
        said = json.dumps(about, ensure_ascii=False)
        turns = build_messages(rubric.template, said, passages, mask=guard.mask_secrets)
        prompt = Prompt(turns, self.writing.max_tokens, self.writing.temperature, rubric.schema)
        for left in reversed(range(TRIES)):
            self.calls += 1
            done = await self.writing.model.complete(prompt)
            self._add_tokens(done.prompt_tokens, done.completion_tokens)
            try:
                value = read(_read_value(done.text, rubric.key))
            except UnreadableReply:
                if not left:
                    raise
            else:
                self._read += 1
                return value
        raise AssertionError("a last try returns or raises")

    def _add_tokens(self, read: int | None, wrote: int | None) -> None:
        for name, count in (("prompt_tokens", read), ("completion_tokens", wrote)):
            if count is not None:
                self._tokens[name] = self._tokens.get(name, 0) + count


def _read_value(text: str, key: str) -> Any:
    """What an object says under its key; models that write around their JSON are forgiven that."""
    try:
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError) as error:
        raise UnreadableReply("it is not a JSON object") from error
    if not isinstance(data, dict) or key not in data:
        raise UnreadableReply(f"it has no {key!r}")
    return data[key]


def _read_statements(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UnreadableReply("its statements are not a list of texts")
    return [one for one in map(str.strip, value) if one][:MOST_STATEMENTS]


def _make_verdict_reader(count: int) -> Callable[[Any], list[bool]]:
    def read(value: Any) -> list[bool]:
        if not isinstance(value, list) or not all(isinstance(one, bool) for one in value):
            raise UnreadableReply("its verdicts are not true or false")
        if len(value) != count:
            raise UnreadableReply("it has another number of verdicts than there are statements")
        return value

    return read


def _make_rating_reader(count: int) -> Callable[[Any], list[float]]:
    def read(value: Any) -> list[float]:
        if not isinstance(value, list) or len(value) != count:
            raise UnreadableReply("it has another number of scores than there are passages")
        return [_read_rating(one) for one in value]

    return read


def _read_rating(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UnreadableReply("a score is not between 0 and 1")
    return float(value)
