"""Profiles: named sets of the options that find and order candidates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from ragstone.config.model_settings import check_bounds
from ragstone.config.search_options import RankingOptions
from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import suggest_known
from ragstone.core.types import Json


@dataclass(frozen=True, slots=True)
class ProfileSettings(RankingOptions):
    """A profile; an option that it leaves out has its default."""

    def __post_init__(self) -> None:
        check_bounds(self)


DEFAULT_PROFILE = "balanced"
# `balanced` won the comparison in benchmarks/retrieval; the others have the numbers of the system that they come from,
# which has neither feedback nor another scale.
PLAIN: Mapping[str, Any] = {"word_scale": "range", "feedback": 0.0, "heading_weight": 0.0}
PROFILES: Mapping[str, RankingOptions] = MappingProxyType(
    {
        DEFAULT_PROFILE: RankingOptions(),
        "default_research": RankingOptions(
            bm25_candidates=120,
            cosine_candidates=120,
            bm25_weight=0.60,
            cosine_weight=0.35,
            freshness_weight=0.05,
            per_document=3,
            **PLAIN,
        ),
        "decisions_recent": RankingOptions(
            bm25_candidates=150,
            cosine_candidates=80,
            bm25_weight=0.65,
            cosine_weight=0.20,
            freshness_weight=0.15,
            notes_boost=0.10,
            per_document=4,
            **PLAIN,
        ),
        "templates_lookup": RankingOptions(
            mode="keyword",
            bm25_candidates=200,
            cosine_candidates=0,
            bm25_weight=0.90,
            cosine_weight=0.0,
            metadata_weight=0.10,
            per_document=5,
            **PLAIN,
        ),
    }
)
RANKING = tuple(one.name for one in fields(RankingOptions))


def find_profile(name: str, own: Mapping[str, RankingOptions]) -> RankingOptions:
    """The profile of this name, the configuration's before the built-in ones. Raises `ConfigError` that names the
    nearest one or all of them."""
    found = own.get(name) or PROFILES.get(name)
    if found is None:
        raise ConfigError(describe_unknown(name, {**PROFILES, **own}))
    return found


def describe_unknown(name: str, known: Iterable[str]) -> str:
    """A sentence for a name that is none of the profiles, with the nearest one or all of them."""
    return f"unknown profile {name!r:.60}; {suggest_known(name, known)}"


def apply_profiles(data: Json) -> Json:
    """The configuration with the options of the profile that `search`, also of a pipeline, names; options that stand
    beside its name override it. An unknown name stays, `check_profiles` refuses it."""
    own = data.get("profiles") if isinstance(data.get("profiles"), dict) else {}
    assert isinstance(own, dict)
    data = {**data, "search": _apply(data.get("search"), own)} if data.get("search") else data
    pipelines = data.get("pipelines")
    if not isinstance(pipelines, list):
        return data
    made = [{**one, "search": _apply(one["search"], own)} if _has_search(one) else one for one in pipelines]
    return {**data, "pipelines": made}


def _has_search(pipeline: Any) -> bool:
    return isinstance(pipeline, dict) and bool(pipeline.get("search"))


def _apply(search: Any, own: Mapping[str, Any]) -> Any:
    name = search.get("profile") if isinstance(search, dict) else None
    if not isinstance(name, str):
        return search
    built_in = PROFILES.get(name)
    options = own.get(name) if name in own else built_in and {key: getattr(built_in, key) for key in RANKING}
    return {**options, **search} if isinstance(options, dict) else search
