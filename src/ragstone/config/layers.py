"""Settings as plain data over others: groups key by key, without what belongs to a replaced model or chunker."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.core.types import Json

MODEL_KEYS = {
    "embed": ("dimensions", "reads", "folder"),
    "llm": ("context", "tokenizer"),
    "judge": ("context", "tokenizer"),
    "rerank": ("folder", "scores", "reads"),
    "sparse": ("folder",),
}  # what is said of one model, and of its vendor
VENDOR_KEYS = ("base_url", "api_key", "api_key_file", "headers")


def merge_settings(below: Mapping[str, Any], above: Mapping[str, Any]) -> Json:
    """Settings over others: groups key by key, everything else whole."""
    merged = dict(below)
    for key, value in above.items():
        own = merged.get(key)
        merged[key] = merge_settings(own, value) if isinstance(own, Mapping) and isinstance(value, Mapping) else value
    return merged


def put_over(below: Json, above: Json) -> Json:
    """Settings over others, of which those of a model or chunker that is replaced go."""
    for group, of_model in MODEL_KEYS.items():
        named = above.get(group)
        if isinstance(named, dict) and isinstance(named.get("model"), str):
            drop_outranked(below.get(group), named["model"], of_model)
    chunk, own = above.get("chunk"), below.get("chunk")
    if isinstance(chunk, dict) and isinstance(own, dict) and chunk.get("name", own.get("name")) != own.get("name"):
        own.pop("options", None)
    return merge_settings(below, above)


def drop_outranked(group: Any, model: str, of_model: Sequence[str]) -> None:
    """Drop the settings of a model, its key above all, when another model overrides it."""
    named = group.get("model") if isinstance(group, dict) else None
    if not isinstance(named, str) or "/" not in named or named == model:
        return
    same_vendor = named.partition("/")[0] == model.partition("/")[0]
    for key in of_model if same_vendor else (*of_model, *VENDOR_KEYS):
        group.pop(key, None)
