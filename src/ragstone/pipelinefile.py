"""Pipelines as a configuration file may write them: our own keys, and those of the pgEdge RAG Server's files.

Its names become ours: `database` as a mapping a URL, `top_n` and `search` our search settings, `embedding_llm` a
model. A file whose top level has its `server` or `defaults` was written for it: its conventions hold where it says
nothing (fusion by rank, requests may filter by every column). What it asks for and is not acted on here is kept as
the pipeline's `notes`.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ragstone.errors import ConfigError
from ragstone.types import Json

THEIRS = ("server", "defaults")
DEFAULTS = ("token_budget", "top_n", "embedding_llm", "rag_llm", "api_keys", "llm_headers")
TOKENS, TOP_N, WEIGHT = 4000, 10, 0.5  # its own defaults
PORT = 5432
DATABASE = ("host", "port", "database", "username", "password", "ssl_mode", "hosts", "target_session_attrs")
DATABASE_FILES = {"ssl_cert": "sslcert", "ssl_key": "sslkey", "ssl_root_cert": "sslrootcert"}
SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# Who gives vectors and who gives texts; the others give both.
CANNOT_EMBED, CANNOT_COMPLETE = ("anthropic",), ("voyage",)
UNUSED = {
    "rag_llm": "answers quote the passages: no language model writes them",
    "system_prompt": "answers quote the passages: no language model reads a prompt",
    "rerank": "no reranker is asked",
    "api_keys": "no vendor is asked",
    "llm_headers": "no vendor is asked",
}


def translated(data: Json, *, origin: str) -> Json:
    """The same configuration with its pipelines in our keys; raises `ConfigError` that names the key."""
    pipelines = data.get("pipelines")
    foreign = any(key in data for key in THEIRS)
    if not foreign and not isinstance(pipelines, list):
        return data
    defaults = _mapping(data.get("defaults"), "defaults", origin)
    if unknown := next((key for key in defaults if key not in DEFAULTS), None):
        raise ConfigError(f"{origin}: unknown key defaults.{unknown}; known here: {', '.join(DEFAULTS)}")
    own = {key: value for key, value in data.items() if key not in THEIRS}
    shared = _mapping(data.get("search"), "search", origin)
    items = pipelines if isinstance(pipelines, list) else []
    made = [
        _pipeline(item, f"pipelines[{n}]", origin, defaults=defaults, search=shared, foreign=foreign)
        for n, item in enumerate(items)
    ]
    return {**own, "pipelines": made if isinstance(pipelines, list) else pipelines}


def _pipeline(
    item: Any, path: str, origin: str, *, defaults: Mapping[str, Any], search: Mapping[str, Any], foreign: bool
) -> Any:
    if not isinstance(item, dict):
        return item
    given = {**{key: value for key, value in defaults.items() if value is not None}, **item}
    notes = [f"{key} is not acted on: {why}" for key, why in UNUSED.items() if given.pop(key, None) is not None]
    if foreign:
        given = {"token_budget": TOKENS, "top_n": TOP_N, **given}
    _check_vendors(item, defaults, path, origin)
    if "embedding_llm" in given:
        model, more = _model(given.pop("embedding_llm"), f"{path}.embedding_llm", origin)
        notes += more
        given.setdefault("embed", {"model": model})
    if isinstance(given.get("database"), dict):
        given["database"] = _url(given["database"], f"{path}.database", origin)
    given["search"] = _search(given, search, f"{path}.search", origin, foreign=foreign)
    if foreign and isinstance(given.get("tables"), list):
        every = {"filter_columns": ["*"]}
        given["tables"] = [{**every, **one} if isinstance(one, dict) else one for one in given["tables"]]
    if notes:
        given["notes"] = [*(given.get("notes") or ()), *notes]
    return given


def _check_vendors(item: Mapping[str, Any], defaults: Mapping[str, Any], path: str, origin: str) -> None:
    for key, verb, cannot in (("embedding_llm", "embed", CANNOT_EMBED), ("rag_llm", "complete", CANNOT_COMPLETE)):
        where = f"{path}.{key}" if key in item else f"defaults.{key}"
        provider = _mapping(item.get(key, defaults.get(key)), where, origin).get("provider")
        if provider in cannot:
            raise ConfigError(f"{origin}: {where}.provider {provider} cannot {verb}; openai and ollama can")


def _model(given: Any, path: str, origin: str) -> tuple[str, list[str]]:
    """The name of an embedder: its vendor and model, `minilm` by itself."""
    llm = _mapping(given, path, origin)
    unused = [f"embedding_llm.{key} is not acted on" for key in llm if key not in ("provider", "model")]
    names = [str(llm[key]) for key in ("provider", "model") if llm.get(key)]
    if not names:
        raise ConfigError(f"{origin}: {path} needs a provider and a model")
    return "/".join(names), unused


def _search(given: Json, shared: Mapping[str, Any], path: str, origin: str, *, foreign: bool) -> dict[str, Any]:
    """Our search settings: those at the top, then the pipeline's own in our words or theirs."""
    own = dict(_mapping(given.get("search"), path, origin))
    made: dict[str, Any] = {**shared, **({"fusion": "rrf"} if foreign else {})}
    hybrid, weight, least = (own.pop(key, None) for key in ("hybrid_enabled", "vector_weight", "min_similarity"))
    if hybrid not in (None, True, False):
        raise ConfigError(f"{origin}: {path}.hybrid_enabled is {hybrid!r:.60}; it is true or false")
    if hybrid is False:
        made["mode"] = "semantic"
    if weight is None and foreign:
        weight = WEIGHT
    if weight is not None:
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            raise ConfigError(f"{origin}: {path}.vector_weight is {weight!r:.60}; it is a number from 0 to 1")
        made |= {"cosine_weight": weight, "bm25_weight": round(1 - weight, 9)}
    if least is not None:
        made["min_cosine"] = least
    top_n = given.pop("top_n", None)
    return {**made, **({} if top_n is None else {"top_k": top_n}), **own}


def _url(database: Mapping[str, Any], path: str, origin: str) -> str:
    """A URL of a database that was written as a mapping."""
    known = (*DATABASE, *DATABASE_FILES)
    if unknown := next((key for key in database if key not in known), None):
        raise ConfigError(f"{origin}: unknown key {path}.{unknown}; known here: {', '.join(known)}")
    hosts = _hosts(database, path, origin)
    mode = database.get("ssl_mode") or "prefer"
    if mode not in SSL_MODES:
        raise ConfigError(f"{origin}: {path}.ssl_mode {mode!r:.60} is unknown; use one of: {', '.join(SSL_MODES)}")
    # As libpq does it: with several hosts it is a standby first, else any.
    attributes = database.get("target_session_attrs") or ("prefer-standby" if database.get("hosts") else None)
    query = {"sslmode": mode, **{theirs: database.get(ours) for ours, theirs in DATABASE_FILES.items()}}
    query["target_session_attrs"] = attributes
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items() if value)
    name = quote(str(database.get("database") or ""), safe="")
    user = quote(str(database.get("username") or "postgres"), safe="")
    password = database.get("password")
    secret = "" if password in (None, "") else f":{quote(str(password), safe='')}"
    return f"postgresql://{user}{secret}@{','.join(hosts)}/{name}?{pairs}"


def _hosts(database: Mapping[str, Any], path: str, origin: str) -> list[str]:
    several = database.get("hosts")
    if several is None:
        return [_host({"host": database.get("host") or "localhost", "port": database.get("port")}, path, origin)]
    if not isinstance(several, list) or not several:
        raise ConfigError(f"{origin}: {path}.hosts must be a list of hosts, each with its host and port")
    return [_host(one, f"{path}.hosts[{n}]", origin) for n, one in enumerate(several)]


def _host(one: Any, path: str, origin: str) -> str:
    if isinstance(one, str):
        name, _, number = one.partition(":") if one.count(":") == 1 else (one, "", "")
        one = {"host": name, "port": number or None}
    given = _mapping(one, path, origin)
    port: Any = given.get("port") or PORT
    if isinstance(port, bool) or not str(port).isdecimal() or not 0 < int(port) < 65536:
        raise ConfigError(f"{origin}: {path}.port is {port!r:.60}; it is a number from 1 to 65535")
    host = str(given.get("host") or "")
    if not host:
        raise ConfigError(f"{origin}: {path} needs a host")
    return f"[{host}]:{port}" if ":" in host else f"{quote(host, safe='.-_')}:{port}"


def _mapping(value: Any, path: str, origin: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{origin}: {path} must be a mapping of keys")
    return value
