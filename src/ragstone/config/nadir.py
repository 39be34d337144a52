"""The configuration of the notes search engine nadir, in Ragstone's keys: read where the preset `notes` is in force."""

import re
from collections.abc import Mapping
from typing import Any

from ragstone.config.convert import check_known
from ragstone.config.file_values import check_mapping
from ragstone.config.layers import merge_settings
from ragstone.config.pgedge import DURATION, UNITS
from ragstone.core.errors import ConfigError
from ragstone.core.types import Json

KEYS = {
    "knowledge_base": ("path", "paths"),
    "pkb": ("ignore_patterns",),
    "embedder": ("provider", "model", "ollama_addr", "dimensions", "api_key"),
    "chunker": ("provider", "chunk_size", "chunk_overlap", "window_size"),
    "sparse_scorer": ("provider", "addr"),
    "reranker": ("enabled", "addr", "candidate_mul"),
    "hyde": ("enabled", "adaptive", "adaptive_thresh", "multi_hyde", "model", "num_docs"),
    "semantic_cache": ("enabled", "threshold", "ttl"),
    "generator": ("enabled", "model", "ollama_addr", "max_context_tokens"),
    "chunk_filter": ("enabled", "model", "threshold"),
    "retry": ("max_attempts", "initial_interval", "max_interval", "multiplier"),
}
CHUNK_OPTIONS = {
    "recursive": {"chunk_size": "size", "chunk_overlap": "overlap"},
    "sentence-window": {"window_size": "window"},
}
SPLADE_MODEL = "tei/prithivida/Splade_PP_en_v1"  # behind `addr`, asked by /embed_sparse
RERANK_MODEL = "tei/cross-encoder/ms-marco-MiniLM-L-6-v2"  # behind `addr`, asked by /rerank
OVERHEAD = 300  # tokens of its prompt that are no passages
MANY_UNITS = re.compile(r"(\d+(?:\.\d+)?(?:ms|s|m|h))+")  # as in "1h30m"


def translate_notes(data: Json, *, origin: str) -> tuple[Json, list[str]]:
    """The configuration in Ragstone's keys, and a sentence for each setting that has no effect here.

    Keys of Ragstone stand beside those of nadir and override them. Raises `ConfigError` that names a wrong key.
    """
    theirs: dict[str, Mapping[str, Any]] = {}
    for group, names in KEYS.items():
        theirs[group] = check_mapping(data.get(group), group, origin)
        for key in theirs[group]:
            check_known(key, names, group, origin)
    own = {key: value for key, value in data.items() if key not in KEYS}
    if not any(theirs.values()):
        return own, []
    made: Json = {"search": {}}
    for part in (
        _sources(theirs),
        _embedding(theirs["embedder"]),
        _chunking(theirs["chunker"], origin),
        _sparse_scorer(theirs["sparse_scorer"], origin),
        _reranker(theirs["reranker"]),
        _search(theirs, origin),
        _language_model(theirs),
    ):
        made = merge_settings(made, part)
    return merge_settings(made, own), _list_ignored(theirs)


def _sources(theirs: Mapping[str, Mapping[str, Any]]) -> Json:
    base = theirs["knowledge_base"]
    roots = dict.fromkeys([*([base["path"]] if base.get("path") else ()), *(base.get("paths") or ())])
    ignore = list(theirs["pkb"].get("ignore_patterns") or ())
    return {"sources": [{"path": root, "ignore": ignore} for root in roots]} if roots else {}


def _embedding(embedder: Mapping[str, Any]) -> Json:
    if not embedder.get("model"):
        return {}
    named = {"model": f"{embedder.get('provider') or 'ollama'}/{embedder['model']}"}
    rest = {"base_url": embedder.get("ollama_addr"), "dimensions": embedder.get("dimensions")}
    return {"embed": {**named, **_given(rest), **_given({"api_key": embedder.get("api_key")})}}


def _chunking(chunker: Mapping[str, Any], origin: str) -> Json:
    name = chunker.get("provider") or "recursive"
    if not chunker:
        return {}
    if name not in CHUNK_OPTIONS:
        raise ConfigError(f"{origin}: unknown chunker.provider {name!r:.60}: expected {' or '.join(CHUNK_OPTIONS)}")
    options = {ours: chunker[key] for key, ours in CHUNK_OPTIONS[name].items() if chunker.get(key) is not None}
    defaults = {"size": 512, "overlap": 64} if name == "recursive" else {"window": 3}
    return {"chunk": {"name": name, "options": {**defaults, **options}}}


def _search(theirs: Mapping[str, Mapping[str, Any]], origin: str) -> Json:
    hyde, cache, chosen = theirs["hyde"], theirs["semantic_cache"], theirs["chunk_filter"]
    kind = "multi" if hyde.get("multi_hyde") else "adaptive" if hyde.get("adaptive") else "standard"
    wanted = {
        "hyde": (kind if hyde["enabled"] else "off") if "enabled" in hyde else None,
        "hyde_below": hyde.get("adaptive_thresh"),
        "hyde_documents": hyde.get("num_docs"),
        "cache": cache.get("enabled"),
        "cache_cosine": cache.get("threshold"),
        "cache_hours": None if cache.get("ttl") is None else _parse_hours(cache["ttl"], origin),
        "filter": chosen.get("enabled"),
        "filter_below": chosen.get("threshold"),
    }
    return {"search": _given(wanted)}


def _parse_hours(value: Any, origin: str) -> float:
    """Hours of a duration as Go writes it, such as 24h or 1h30m; 0 for none."""
    if value in (0, "0"):
        return 0.0
    if not isinstance(value, str) or not MANY_UNITS.fullmatch(value):
        raise ConfigError(f"{origin}: invalid semantic_cache.ttl {value!r:.60}: expected a duration such as 24h, or 0")
    return sum(float(number) * UNITS[unit] for number, unit in DURATION.findall(value)) / 3600


def _sparse_scorer(scorer: Mapping[str, Any], origin: str) -> Json:
    name = scorer.get("provider") or "tf"
    if not scorer:
        return {}
    if name not in ("tf", "splade"):
        raise ConfigError(f"{origin}: unknown sparse_scorer.provider {name!r:.60}: expected tf or splade")
    made: Json = {"search": {"sparse": name}}
    if name == "splade":
        made["sparse"] = {"model": SPLADE_MODEL, **_given({"base_url": scorer.get("addr")})}
    return made


def _reranker(reranker: Mapping[str, Any]) -> Json:
    """Without `addr` the preset's, a service of this machine."""
    if reranker.get("enabled") is None:
        return {}
    if not reranker["enabled"]:
        return {"rerank": {"model": "none"}}
    where = {"base_url": reranker.get("addr") or "http://localhost:5002", "oversample": reranker.get("candidate_mul")}
    return {"rerank": {"model": RERANK_MODEL, **_given(where)}}


def _language_model(theirs: Mapping[str, Mapping[str, Any]]) -> Json:
    """One model for answers, HyDE and the chunk filter: that of the generator, else of the first of these that runs."""
    groups = [theirs[name] for name in ("generator", "hyde", "chunk_filter")]
    model = next((one["model"] for one in groups if one.get("enabled") and one.get("model")), None)
    writer, retry = theirs["generator"], theirs["retry"]
    llm: Json = {"model": f"ollama/{model}"} if model else {}
    llm |= _given({"base_url": writer.get("ollama_addr") if model else None})
    if retry.get("max_attempts") is not None:
        llm["retries"] = retry["max_attempts"]
    made: Json = {"llm": llm} if llm else {}
    if writer.get("max_context_tokens") is not None:
        tokens = writer["max_context_tokens"]
        made["answer"] = {"tokens": tokens, "overhead": min(OVERHEAD, tokens // 2) if isinstance(tokens, int) else 0}
    return made


def _list_ignored(theirs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    said = []
    if any(theirs["retry"].get(key) is not None for key in ("initial_interval", "max_interval", "multiplier")):
        said.append("retry: pauses are 500 ms, then doubling up to 10 s, whatever the file says")
    models = {
        theirs[name].get("model") for name in ("generator", "hyde", "chunk_filter") if theirs[name].get("enabled")
    }
    if len(models - {None}) > 1:
        said.append("hyde.model and chunk_filter.model: one language model, the generator's, does all")
    return said


def _given(values: Mapping[str, Any]) -> Json:
    return {key: value for key, value in values.items() if value is not None}
