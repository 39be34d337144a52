"""The language models of an engine: its own, and those that pipelines name."""

from collections.abc import Callable
from dataclasses import replace

from ragstone.answering.options import AnswerWriter
from ragstone.config import vendors
from ragstone.config.model_settings import LlmSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError
from ragstone.core.ports import Completion
from ragstone.engine import model_factory
from ragstone.engine.endpoints import make_endpoint
from ragstone.engine.shared_parts import SharedParts
from ragstone.providers.masking import MaskingCompletion


class Completions:
    """Made when they are first needed; one passed by the caller serves all, and the caller closes it.

    `settings` are those of the collection, asked once it is known whose they are.
    """

    def __init__(self, settings: Callable[[], Settings], handed: Completion | None, parts: SharedParts) -> None:
        self._settings = settings
        self._handed = handed
        self._parts = parts
        self._writing: list[tuple[LlmSettings, AnswerWriter]] = []

    def completion_for(self, llm: LlmSettings, *, group: str = "llm") -> Completion | None:
        """The language model of some settings, made once; one that was handed in serves all."""
        if self._handed is not None:
            return MaskingCompletion(self._handed)
        return self._parts.make_completion(llm, group=group, offline=self._settings().offline)

    def find_remote_host(self, llm: LlmSettings) -> str | None:
        """The host that the model of some settings is on; None for this machine, and for a model that was handed in."""
        if self._handed is not None or llm.model == model_factory.NONE:
            return None
        vendor, _ = vendors.parse_model_name(llm.model, verb=vendors.COMPLETE, key="llm.model")
        reach = make_endpoint("llm", llm, vendor)
        return None if reach.is_local else reach.host

    def writing(self, strict: bool | None = None, *, llm: LlmSettings | None = None) -> AnswerWriter | None:
        """How the language model writes answers, the settings' or another one; None where they are quoted.

        Wrong settings raise at the first call; the answer then quotes the passages.
        """
        made = self._load_writing(llm or self._settings().llm)
        return made if made is None or strict is None else replace(made, strict=strict)

    def _load_writing(self, wanted: LlmSettings) -> AnswerWriter | None:
        """Made once: a prompt is read from its file, and what counts tokens loads a vocabulary."""
        known = next((writing for own, writing in self._writing if own == wanted), None)
        if known is not None:
            return known
        try:
            if (model := self.completion_for(wanted)) is None:
                return None
            made = model_factory.make_writing(model, wanted, self._settings().answer)
        except ConfigError as error:
            return model_factory.make_unusable_writing(wanted, error)
        self._writing.append((wanted, made))
        return made

    def select_judge(self, model: str | None) -> AnswerWriter | None:
        """How the language model judges answers: the one of this name, else the settings' judge, else their own one."""
        settings = self._settings()
        wanted = model_factory.select_judge_settings(settings, model)
        whose = "llm" if model is None and settings.judge == LlmSettings() else "judge"
        judge = self.completion_for(wanted, group=whose)
        return None if judge is None else model_factory.make_writing(judge, wanted, settings.answer, group=whose)

    async def find_problems(self) -> list[str]:
        """The problems that keep the language model, and a different judge, from working; a vendor is asked for a
        list."""
        settings = self._settings()
        found = await self._find_model_problems(settings.llm, "llm")
        if settings.judge != LlmSettings():
            found += [
                f"the judge: {one}"
                for one in await self._find_model_problems(model_factory.select_judge_settings(settings), "judge")
            ]
        return found

    async def _find_model_problems(self, wanted: LlmSettings, group: str) -> list[str]:
        try:
            model = self.completion_for(wanted, group=group)
            if model is None:
                return []
            model_factory.make_writing(model, wanted, self._settings().answer)
            return await model.check()
        except ConfigError as error:
            return [str(error)]
