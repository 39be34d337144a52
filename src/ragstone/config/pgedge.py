"""Pipelines as a configuration file may write them: our own keys, and those of the pgEdge RAG Server's files.

Its names become ours: `database` as a mapping a URL, `top_n` and `search` our search settings, `embedding_llm` and
`rag_llm` models with their addresses, keys and headers. A file whose top level has its `server` or `defaults` was
written for it: its conventions hold where it says nothing (fusion by rank, requests may filter by every column,
questions may be sent to the vendor of `embedding_llm`). Settings that Ragstone ignores become the pipeline's `notes`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ragstone.config import vendors
from ragstone.config.file_values import check_keys, check_mapping, check_number, check_texts
from ragstone.config.model_settings import LlmSettings
from ragstone.config.search_options import SearchOptions
from ragstone.config.settings import PipelineSettings
from ragstone.config.validation import Numbers, read_bounds
from ragstone.core.errors import ConfigError
from ragstone.core.types import Json

PIPELINE, SEARCH, REQUEST = map(read_bounds, (PipelineSettings, SearchOptions, LlmSettings))
PGEDGE_KEYS = ("server", "defaults")
DEFAULTS = ("token_budget", "top_n", "embedding_llm", "rag_llm", "api_keys", "llm_headers")
SERVER = ("listen_address", "port", "tls", "cors")
PGEDGE_SEARCH_KEYS = ("hybrid_enabled", "vector_weight", "min_similarity")
TOKENS, TOP_N, WEIGHT = 4000, 10, 0.5  # its own defaults
PORT = 5432
DATABASE = ("host", "port", "database", "username", "password", "ssl_mode", "hosts", "target_session_attrs")
DATABASE_FILES = {"ssl_cert": "sslcert", "ssl_key": "sslkey", "ssl_root_cert": "sslrootcert"}
SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
RERANKERS = {"cohere": "rerank-v3.5", "voyage": "rerank-2.5"}  # where no model is named
RERANK_KEYS = ("provider", "model", "base_url", "top_k")
ENDPOINT_KEYS = {"base_url": "base_url", "request_timeout": "total", "per_attempt_timeout": "timeout"}  # theirs: ours
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
# What a pipeline's model has of the one at the top although its vendor is another one.
INHERITED_KEYS = ("timeout", "total", "retries", "max_tokens", "temperature")


def translate_pipelines(data: Json, pipeline: Sequence[str], search: Sequence[str], *, origin: str) -> Json:
    """The configuration with its pipelines in Ragstone's keys; `pipeline` and `search` list those keys.

    Raises `ConfigError` that names the key as the file has it.
    """
    pipelines = data.get("pipelines")
    foreign = any(key in data for key in PGEDGE_KEYS)
    if not foreign and not isinstance(pipelines, list):
        return data
    defaults = check_mapping(data.get("defaults"), "defaults", origin)
    check_keys(defaults, DEFAULTS, "defaults", origin)
    own = {key: value for key, value in data.items() if key not in PGEDGE_KEYS}
    if data.get("server") is not None:
        own["serve"] = {**_translate_server(data["server"], origin), **check_mapping(own.get("serve"), "serve", origin)}
    if foreign and "embed" not in own:  # the vendors are those of its pipelines, which it names for this
        own.setdefault("external", {"embedding": True, "rerank": True})
    items = pipelines if isinstance(pipelines, list) else []
    for n, item in enumerate(items):
        check_keys(item, (*DEFAULTS, *pipeline), f"pipelines[{n}]", origin)
        within = item.get("search") if isinstance(item, dict) else None
        check_keys(within, (*PGEDGE_SEARCH_KEYS, *search), f"pipelines[{n}].search", origin)
    made = [
        _translate_pipeline(item, f"pipelines[{n}]", origin, defaults=defaults, top=data, foreign=foreign)
        for n, item in enumerate(items)
    ]
    return {**own, "pipelines": made if isinstance(pipelines, list) else pipelines}


def _translate_server(given: Any, origin: str) -> Json:
    """Our settings of the server; a certificate or origins that are not enabled are left out."""
    server = check_mapping(given, "server", origin)
    check_keys(server, SERVER, "server", origin)
    made = {key: server[key] for key in ("listen_address", "port") if server.get(key) is not None}
    tls = check_mapping(server.get("tls"), "server.tls", origin)
    check_keys(tls, ("enabled", "cert_file", "key_file"), "server.tls", origin)
    if tls.get("enabled"):
        made |= {key: value for key, value in tls.items() if key != "enabled"}
    cors = check_mapping(server.get("cors"), "server.cors", origin)
    check_keys(cors, ("enabled", "allowed_origins"), "server.cors", origin)
    if cors.get("enabled"):
        made["allowed_origins"] = cors.get("allowed_origins") or ["*"]
    return made


def _translate_pipeline(
    item: Any, path: str, origin: str, *, defaults: Mapping[str, Any], top: Mapping[str, Any], foreign: bool
) -> Any:
    if not isinstance(item, dict):
        return item
    given = {**{key: value for key, value in defaults.items() if value is not None}, **item}
    notes = _translate_reranker(given, f"{path}.rerank", origin)
    if foreign:
        given = {"token_budget": TOKENS, "top_n": TOP_N, **given}
    for key, allowed in (
        ("token_budget", PIPELINE["token_budget"]),
        ("top_n", SEARCH["top_k"]),
    ):
        if given.get(key) is not None:
            given[key] = check_number(given[key], allowed, _locate_value(key, item, path), origin)
    notes += _translate_models(given, item, defaults, path, origin)
    if given.get("llm") is not None:
        given["llm"] = _merge_llm(given["llm"], top.get("llm"), f"{path}.llm", origin)
    if isinstance(given.get("database"), dict):
        given["database"] = _build_database_url(given["database"], f"{path}.database", origin)
    search = check_mapping(top.get("search"), "search", origin)
    given["search"] = _merge_search(given, search, f"{path}.search", origin, foreign=foreign)
    if foreign and isinstance(given.get("tables"), list):
        every = {"filter_columns": ["*"]}
        given["tables"] = [{**every, **one} if isinstance(one, dict) else one for one in given["tables"]]
    if notes:
        given["notes"] = [*(given.get("notes") or ()), *notes]
    return given


def _translate_reranker(given: dict[str, Any], path: str, origin: str) -> list[str]:
    """Put our settings of a reranker in place of theirs, which name a `provider`; say what of these is not acted on."""
    theirs = given.get("rerank")
    if not isinstance(theirs, dict) or "provider" not in theirs:
        return []
    check_keys(theirs, RERANK_KEYS, path, origin)
    provider = str(theirs["provider"])
    name = f"{provider}/{theirs.get('model') or RERANKERS.get(provider, '')}"
    vendors.parse_model_name(name, verb=vendors.RERANK, key=f"{origin}: {path}")
    keys = check_texts(given.get("api_keys"), f"{path}: api_keys", origin)
    given["rerank"] = {
        "model": name,
        **({"base_url": theirs["base_url"]} if theirs.get("base_url") else {}),
        **({"api_key_file": keys[provider]} if keys.get(provider) else {}),
    }
    ignored = "rerank.top_k is ignored: rerank.documents bounds the passages that are reranked, top_n the results"
    return [ignored] if theirs.get("top_k") is not None else []


def _translate_models(
    given: dict[str, Any], item: Mapping[str, Any], defaults: Mapping[str, Any], path: str, origin: str
) -> list[str]:
    """Put our settings of models in place of theirs, and say what of these is not acted on."""
    from_ = {"defaults": defaults, path: item}
    headers = [check_texts(one.get("llm_headers"), f"{at}.llm_headers", origin) for at, one in from_.items()]
    keys = check_texts(given.pop("api_keys", None), _locate_value("api_keys", item, path), origin)
    given.pop("llm_headers", None)
    notes = []
    for theirs, ours, verb in (("embedding_llm", "embed", vendors.EMBED), ("rag_llm", "llm", vendors.COMPLETE)):
        llm = given.pop(theirs, None)
        if llm is not None:
            model, unused = _translate_model(
                llm, _locate_value(theirs, item, path), origin, verb=verb, keys=keys, headers=headers
            )
            notes += unused
            given.setdefault(ours, model)
    return notes


def _translate_model(
    given: Any,
    path: str,
    origin: str,
    *,
    verb: str,
    keys: Mapping[str, Any],
    headers: list[Mapping[str, Any]],
) -> tuple[dict[str, Any], list[str]]:
    """Our settings of a model that is written their way, and what of it is not acted on."""
    llm = check_mapping(given, path, origin)
    check_texts({key: llm.get(key) for key in ("provider", "model", "base_url")}, path, origin)
    provider = str(llm.get("provider") or "")
    known = (*ENDPOINT_KEYS, "provider", "model", "headers")
    unused = [f"{path.rpartition('.')[2]}.{key} is ignored" for key in llm if key not in known]
    if not provider or not llm.get("model"):
        alone = provider or llm.get("model")  # such as `minilm`, which has no vendor
        if not alone:
            raise ConfigError(f"{origin}: {path} needs a provider and a model")
        if provider in vendors.VENDORS:
            _check_provider(f"{provider}/", verb, path, origin)
        return {"model": str(alone)}, unused
    _check_provider(f"{provider}/{llm['model']}", verb, path, origin)
    made: dict[str, Any] = {"model": f"{provider}/{llm['model']}"}
    for theirs, ours in ENDPOINT_KEYS.items():
        if llm.get(theirs) is not None:
            made[ours] = (
                llm[theirs] if ours == "base_url" else _parse_seconds(llm[theirs], ours, f"{path}.{theirs}", origin)
            )
    if keys.get(provider):
        made["api_key_file"] = keys[provider]
    merged: dict[str, Any] = {}
    for layer in (*headers, check_texts(llm.get("headers"), f"{path}.headers", origin)):
        merged |= layer
    return {**made, **({"headers": merged} if merged else {})}, unused


def _check_provider(model: str, verb: str, path: str, origin: str) -> None:
    """Raises `ConfigError` for a vendor that is known and lacks what is wanted; another one is found out in use."""
    provider = model.partition("/")[0]
    if provider in vendors.VENDORS and provider not in vendors.vendors_for(verb):
        can = ", ".join(vendors.vendors_for(verb))
        raise ConfigError(f"{origin}: {path}.provider {provider} cannot {verb}; {can} can")


def _merge_llm(given: Any, top: Any, path: str, origin: str) -> dict[str, Any]:
    """A pipeline's language model over the one at the top: headers key by key, the rest as a whole. What leads to one
    vendor, such as its key, is not given to another."""
    own, shared = dict(check_mapping(given, path, origin)), dict(check_mapping(top, "llm", origin))
    vendor = str(own.get("model", shared.get("model"))).partition("/")[0]
    if vendor != str(shared.get("model")).partition("/")[0]:
        shared = {key: value for key, value in shared.items() if key in INHERITED_KEYS}
    if "base_url" in own or "api_key" in own or "api_key_file" in own:
        shared = {key: value for key, value in shared.items() if key not in ("api_key", "api_key_file")}
    headers = {
        **check_mapping(shared.get("headers"), "llm.headers", origin),
        **check_mapping(own.get("headers"), f"{path}.headers", origin),
    }
    return {**shared, **own, **({"headers": headers} if headers else {})}


def _parse_seconds(value: Any, key: str, path: str, origin: str) -> float:
    """A time as a number of seconds, or as `1m30s`; `key` is our name for it."""
    seconds = _parse_duration(value, path, origin)
    if not REQUEST[key].holds(seconds):
        raise ConfigError(f"{origin}: {REQUEST[key].describe_error(path, value)} of seconds")
    return seconds


def _parse_duration(value: Any, path: str, origin: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    parts = DURATION.findall(str(value))
    if not parts or "".join(f"{number}{unit}" for number, unit in parts) != str(value):
        raise ConfigError(f"{origin}: invalid {path} {value!r:.60}: expected a duration such as 30s or 2m")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def _merge_search(given: Json, shared: Mapping[str, Any], path: str, origin: str, *, foreign: bool) -> dict[str, Any]:
    """Our search settings: those at the top, then the pipeline's own in our words or theirs."""
    own = dict(check_mapping(given.get("search"), path, origin))
    made: dict[str, Any] = {**shared, **({"fusion": "rrf"} if foreign else {})}
    hybrid, weight, least = (own.pop(key, None) for key in ("hybrid_enabled", "vector_weight", "min_similarity"))
    if hybrid not in (None, True, False):
        raise ConfigError(f"{origin}: invalid {path}.hybrid_enabled {hybrid!r:.60}: expected true or false")
    if hybrid is False:
        made["mode"] = "semantic"
    if weight is None and foreign:
        weight = WEIGHT
    if weight is not None:
        weight = check_number(weight, Numbers(0, 1), f"{path}.vector_weight", origin)
        made |= {"cosine_weight": weight, "bm25_weight": round(1 - weight, 9)}
    if least is not None:
        made["min_cosine"] = check_number(least, SEARCH["min_cosine"], f"{path}.min_similarity", origin)
    top_n = given.pop("top_n", None)
    return {**made, **({} if top_n is None else {"top_k": top_n}), **own}


def _build_database_url(database: Mapping[str, Any], path: str, origin: str) -> str:
    """A URL of a database that was written as a mapping."""
    known = (*DATABASE, *DATABASE_FILES)
    check_keys(database, known, path, origin)
    hosts = _parse_hosts(database, path, origin)
    mode = database.get("ssl_mode") or "prefer"
    if mode not in SSL_MODES:
        raise ConfigError(f"{origin}: unknown {path}.ssl_mode {mode!r:.60}: expected one of: {', '.join(SSL_MODES)}")
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


def _parse_hosts(database: Mapping[str, Any], path: str, origin: str) -> list[str]:
    several = database.get("hosts")
    if several is None:
        return [_parse_host({"host": database.get("host") or "localhost", "port": database.get("port")}, path, origin)]
    if not isinstance(several, list) or not several:
        raise ConfigError(f"{origin}: invalid {path}.hosts: expected a list of hosts, each with host and port")
    return [_parse_host(one, f"{path}.hosts[{n}]", origin) for n, one in enumerate(several)]


def _parse_host(one: Any, path: str, origin: str) -> str:
    if isinstance(one, str):
        name, _, number = one.partition(":") if one.count(":") == 1 else (one, "", "")
        one = {"host": name, "port": number or None}
    given = check_mapping(one, path, origin)
    port: Any = given.get("port") or PORT
    if isinstance(port, bool) or not str(port).isdecimal() or not 0 < int(port) < 65536:
        raise ConfigError(f"{origin}: invalid {path}.port {port!r:.60}: expected a number from 1 to 65535")
    host = str(given.get("host") or "")
    if not host:
        raise ConfigError(f"{origin}: {path} needs a host")
    return f"[{host}]:{port}" if ":" in host else f"{quote(host, safe='.-_')}:{port}"


def _locate_value(key: str, item: Mapping[str, Any], path: str) -> str:
    """Where in the file a pipeline's value stands: its own, or that of all."""
    return f"{path}.{key}" if item.get(key) is not None else f"defaults.{key}"
