"""The conditions of a run's figures, for its report: search options, abstention rule, models, prompts."""

from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragstone.answering.abstention.calibration import model_edition, read_calibration, render_calibration
from ragstone.answering.generative.prompt import load_template
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.evaluation.judge import Judge

NONE, SHIPPED = "none", "shipped"
DIGITS = 12  # of a digest: enough to tell two files apart


NOT_SETTINGS = ("text", "where", "asked_at")  # of a question: they differ from one to the next


def effective_search(engine: Engine, **options: Any) -> Json:
    """The whole search that these options make, for a report; raises `UsageError` for an impossible one."""
    question = engine.question("any", **{**options, "cache": False})
    return {f.name: getattr(question, f.name) for f in fields(question) if f.name not in NOT_SETTINGS}


async def describe_run(engine: Engine, options: Json, *, answers: bool, judge: Judge | None) -> Json:
    """The conditions of a run's figures with these options; raises `ConfigError` for a calibration that is none."""
    settings, held = engine.settings, await engine.info()
    search = effective_search(engine, **options)
    near = search["mode"] != "keyword" and settings.embed.model != NONE
    out = {
        **search,
        "rerank": _name_reranker(engine, search["rerank"]),
        **({"sparse_model": engine.search_context.sparse().model} if search["sparse"] == "splade" else {}),
        "written_vectors": bool(near and search["written_vectors"] is not False and held.keeps_written),
        "answers": answers,
        "embedding": f"{held.model}/{held.variant}" if near and held.model else None,
        "collection": {"documents": held.documents, "chunks": held.chunks, "recipes": sorted(held.recipes)},
    }
    helped = search["hyde"] != "off" or search["multi_query"] or search["filter"]
    if not answers:
        return {**out, "llm": settings.llm.model} if helped else out
    writing = None if settings.llm.model == NONE else _describe_writing(settings)
    told = {"llm": settings.llm.model, "writing": writing, "judge": judge.describe if judge else None}
    return {**out, "decision": _describe_decision(engine), **told}


def _name_reranker(engine: Engine, wanted: bool | str | None) -> str | None:
    """The reranker that the option selects; raises `UsageError` where its settings make none."""
    plan = None if wanted is False else engine.search_context.reranking(wanted)
    return plan.reranker.model if plan else None


def _describe_decision(engine: Engine) -> Json:
    """What decided between answers and abstentions: the rule, the shipped numbers, a calibration by its digest."""
    wanted = engine.settings.answer
    out = {"rule": wanted.abstain, "edition": model_edition(), "calibration": SHIPPED, "file": None}
    if wanted.calibration in (None, NONE):
        return out
    own = read_calibration(wanted.calibration, edition=model_edition())
    if own.place != engine.calibration_place(Path(str(wanted.calibration))):
        return out
    return {**out, "calibration": _digest(render_calibration(own)), "file": wanted.calibration}


def _describe_writing(settings: Settings) -> Json:
    """The prompt, the budget and the options of the model that writes."""
    wanted, llm = settings.answer, settings.llm
    try:
        told = _digest("\0".join(asdict(load_template(wanted.prompt)).values()))
    except ConfigError:  # answers are quoted then, and say why
        told = None
    return {
        "prompt": wanted.prompt,
        "prompt_digest": told,
        **{name: getattr(wanted, name) for name in ("tokens", "overhead", "chunks", "strict")},
        **{name: getattr(llm, name) for name in ("max_tokens", "temperature", "context")},
    }


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:DIGITS]
