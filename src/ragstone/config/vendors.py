"""The one table of vendors of models: addresses, names of keys, and kinds of models."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import find_alike

LIMIT = "max_tokens"  # what all who speak OpenAI's language know


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor: its address (None: no server, it runs in this process), the environment variable that by custom holds
    its key, the files of `providers` for its API, and the embedding model that it is known for.

    `keyed`: at its own address nothing answers without a key. `lists`: the models that it lists are all that it serves.
    `limit`: what the limit of an answer is called at its own address.
    """

    name: str
    base_url: str | None
    variable: str | None = None
    keyed: bool = False
    completes: str | None = None
    embeds: str | None = None
    embedding: str | None = None
    lists: bool = True
    reranks: str | None = None
    sparse: str | None = None
    limit: str = LIMIT


LOCALHOST = "http://127.0.0.1"
TRUTH = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
VENDORS: Mapping[str, Vendor] = {
    vendor.name: vendor
    for vendor in (
        Vendor("ollama", f"{LOCALHOST}:11434", "OLLAMA_API_KEY", False, "ollama", "ollama", "nomic-embed-text"),
        Vendor(
            "openai",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            True,
            "openai",
            "openai",
            "text-embedding-3-small",
            limit="max_completion_tokens",  # the only one that its reasoning models take
        ),
        Vendor("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", True, "openai", "openai"),
        Vendor("zhipu", "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY", True, "openai", "openai"),
        Vendor("vllm", f"{LOCALHOST}:8000/v1", "VLLM_API_KEY", False, "openai", "openai", reranks="jina"),
        Vendor("lmstudio", f"{LOCALHOST}:1234/v1", "LM_API_TOKEN", False, "openai", "openai"),
        Vendor(
            "llamacpp",
            f"{LOCALHOST}:8080/v1",
            "LLAMA_API_KEY",
            False,
            "openai",
            "openai",
            lists=False,
            reranks="llamacpp",
        ),
        Vendor("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", True, "anthropic"),
        Vendor(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta",
            "GEMINI_API_KEY",
            True,
            "gemini",
            "gemini",
            "gemini-embedding-001",
        ),
        Vendor(
            "voyage",
            "https://api.voyageai.com/v1",
            "VOYAGE_API_KEY",
            True,
            None,
            "voyage",
            "voyage-3.5",
            reranks="voyage",
        ),
        Vendor("cohere", "https://api.cohere.com", "COHERE_API_KEY", True, reranks="cohere"),
        Vendor("jina", "https://api.jina.ai/v1", "JINA_API_KEY", True, reranks="jina"),
        Vendor("tei", f"{LOCALHOST}:8080", "TEI_API_KEY", False, reranks="tei", sparse="tei"),
        Vendor("infinity", f"{LOCALHOST}:7997", "INFINITY_API_KEY", False, reranks="jina"),
        Vendor(
            "fastembed",
            None,
            embeds="fastembed_models",
            reranks="fastembed_reranker",
            sparse="fastembed_sparse",
        ),
        Vendor("onnx", None, reranks="onnx_reranker"),
    )
}
COMPLETE, EMBED, RERANK, ENCODE = "complete", "embed", "rerank", "make sparse vectors"
LANGUAGE_MODEL = "llm"  # the configured language model as a reranker


def vendors_for(verb: str) -> list[str]:
    """The vendors that can `complete`, `embed`, `rerank` or make sparse vectors."""
    return [vendor.name for vendor in VENDORS.values() if _provider_module(vendor, verb)]


def parse_model_name(model: str, *, verb: str, key: str) -> tuple[Vendor, str]:
    """The vendor and the model of a name such as `ollama/llama3.2`.

    Raises `ConfigError` that names the setting `key` for an unknown vendor, one that cannot `verb`, or no model.
    """
    name, _, rest = model.partition("/")
    vendor = VENDORS.get(name)
    if vendor is None:
        near = find_alike(name, vendors_for(verb))
        hint = f"did you mean {near!r}?" if near else f"expected one of: {', '.join(vendors_for(verb))}"
        raise ConfigError(f"{key} {model!r:.80}: unknown vendor {name!r:.40}; {hint}")
    if not _provider_module(vendor, verb):
        raise ConfigError(f"{key} {model!r:.80}: {name} cannot {verb}; {', '.join(vendors_for(verb))} can")
    if not rest.strip():
        raise ConfigError(f"invalid {key} {model!r:.80}: expected {name}/MODEL")
    return vendor, rest


def check_reranker_name(value: object, *, key: str = "rerank") -> bool | str | None:
    """The option that selects a reranker: true, false, None for the default, or a name; words such as `off` as truth
    values. Raises `ConfigError` that names the setting `key` for anything else.

    >>> check_reranker_name("on"), check_reranker_name("cohere/rerank-v3.5")
    (True, 'cohere/rerank-v3.5')
    """
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"invalid {key} {value!r:.60}: expected true, false, {LANGUAGE_MODEL} or VENDOR/MODEL")
    if (plain := value.strip().lower()) in TRUTH:
        return TRUTH[plain]
    if plain != LANGUAGE_MODEL:
        parse_model_name(value, verb=RERANK, key=key)
    return value


def is_local_address(address: str | None) -> bool:
    """Whether an address is this very machine, judged by its spelling alone: no name is looked up.

    >>> [is_local_address(url) for url in ("http://127.0.0.1:11434", "http://[::1]/v1", "http://10.0.0.1", None)]
    [True, True, False, True]
    """
    if address is None:
        return True
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _provider_module(vendor: Vendor, verb: str) -> str | None:
    return {COMPLETE: vendor.completes, EMBED: vendor.embeds, RERANK: vendor.reranks, ENCODE: vendor.sparse}[verb]
