"""The URL of a Qdrant store: a server by gRPC, or the client's own local mode for trials and tests.

qdrants://HOST:6334?api_key=KEY&ledger=postgresql://USER@HOST/DATABASE&shards=2&replicas=2
"""

import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from ragstone.core.errors import UsageError
from ragstone.stores.embedded.paths import is_store
from ragstone.stores.qdrant.scheme import ID_SCHEMES, OWN_SCHEME, Scheme
from ragstone.stores.url_redaction import REDACTED, redact_url

PORT = 6334  # Qdrant's for gRPC
TIMEOUT = 20  # seconds a call may take; the client's own 5 are short for a first big batch
LEDGER_FOLDER = Path(".ragstone", ".qdrant")  # within the embedded store's default, where no tenant's name leads
FORMER_LEDGER_FOLDER = Path(".ragstone", "qdrant")  # where it was before: one that stands there stays
LEDGERS = ("embedded", "postgresql", "postgres")
TRUTH_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:/@\[\]]+)(:(?P<port>[0-9]{1,5}))?/?")
NAME = re.compile(r"[^\0-\x1f/\\?*<>|\":]{1,200}")
SHAPE = "qdrant://HOST:6334, or qdrants://… for TLS"
BATCH = 256  # points in one message: some 2 MB with texts and 384 dimensions
NUMBER_LIMITS = {"batch": 1_000, "shards": 1_000, "replicas": 100, "write_consistency": 100, "timeout": 3_600}


@dataclass(frozen=True, slots=True)
class QdrantUrl:
    """Where points are and where the truth is. `local` is a folder or `:memory:` instead of a server.

    `ledger` is the store of documents; `exact` keeps every search off the approximate index; `collection` names
    the collection in Qdrant, by default one for each model, variant and dimension; `scheme` is how its points are
    called; `batch` is how many go in one message; `shown` holds no secret.
    """

    shown: str
    host: str = ""
    port: int = PORT
    tls: bool = False
    local: str | None = None
    api_key: str | None = field(default=None, repr=False)
    ledger: str = field(default=f"embedded:{LEDGER_FOLDER}", repr=False)
    collection: str | None = None
    scheme: Scheme = OWN_SCHEME
    exact: bool = False
    shards: int | None = None
    replicas: int | None = None
    write_consistency: int | None = None
    timeout: int = TIMEOUT
    batch: int = BATCH


def parse_qdrant_url(url: str) -> QdrantUrl:
    """The parts of a URL; raises `UsageError`, which never shows a key or a password."""
    base, _, query = url.partition("?")
    scheme, _, place = base.partition(":")
    given = _parse_parameters(query)
    known = {"api_key", "ledger", "collection", "ids", "namespace", "exact", *NUMBER_LIMITS}
    if unknown := sorted(set(given) - known):
        raise _url_error(url, f"{unknown[0]!r} is an unknown parameter; expected one of: {', '.join(sorted(known))}")
    exact = TRUTH_WORDS.get(given.get("exact", "false").lower())
    if exact is None:
        raise _url_error(url, "expected true or false for exact")
    name = given.get("collection")
    if name is not None and not NAME.fullmatch(name):
        raise _url_error(
            url, 'expected a name of 1 to 200 characters for collection, without any of / \\ ? * < > | " :'
        )
    numbers = {key: _parse_number(url, key, given[key]) for key in NUMBER_LIMITS if key in given}
    host, port, local = _parse_place(url, scheme, place)
    return QdrantUrl(
        _conceal_parameters(base, given),
        host=host,
        port=port,
        tls=scheme == "qdrants",
        local=local,
        api_key=given.get("api_key") or None,
        ledger=_check_ledger(url, given.get("ledger") or default_ledger()),
        collection=name,
        scheme=_parse_scheme(url, given),
        exact=exact,
        shards=numbers.get("shards"),
        replicas=numbers.get("replicas"),
        write_consistency=numbers.get("write_consistency"),
        timeout=numbers.get("timeout", TIMEOUT),
        batch=numbers.get("batch", BATCH),
    )


def default_ledger() -> str:
    """The default ledger."""
    return f"embedded:{FORMER_LEDGER_FOLDER if is_store(FORMER_LEDGER_FOLDER) else LEDGER_FOLDER}"


def _parse_parameters(query: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in filter(None, query.split("&")))
    return {name: unquote(value) for name, _, value in pairs}


def _parse_place(url: str, scheme: str, place: str) -> tuple[str, int, str | None]:
    """Host, port and local folder."""
    if not place.startswith("//"):
        if scheme != "qdrant":
            raise _url_error(url, f"write {SHAPE}")
        return "", PORT, place
    found = AUTHORITY.fullmatch(place.removeprefix("//"))
    port = int((found and found["port"]) or PORT)
    if found is None or not 0 < port < 65_536:
        raise UsageError(f"the store's URL cannot be read; write {SHAPE}, and a key as ?api_key=")
    return found["host"], port, None


def _parse_number(url: str, name: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", value) or not 1 <= int(value) <= NUMBER_LIMITS[name]:
        raise _url_error(url, f"expected a whole number from 1 to {NUMBER_LIMITS[name]} for {name}")
    return int(value)


def _parse_scheme(url: str, given: dict[str, str]) -> Scheme:
    ids = next((name for name in ID_SCHEMES if name == given.get("ids", "ours")), None)
    if ids is None:
        raise _url_error(url, f"expected one of these for ids: {', '.join(ID_SCHEMES)}")
    if ids != "ours" and "collection" not in given:
        raise _url_error(url, f"ids={ids} needs the collection's name: collection=NAME")
    try:
        return Scheme(ids, uuid.UUID(given["namespace"]) if "namespace" in given else uuid.NAMESPACE_URL)
    except ValueError:
        raise _url_error(url, "expected a UUID for namespace") from None


def _check_ledger(url: str, ledger: str) -> str:
    kind, colon, _ = ledger.partition(":")
    if colon and "/" not in kind and kind not in LEDGERS:
        raise _url_error(url, "expected embedded:PATH or postgresql://… for the ledger")
    return ledger


def _conceal_parameters(base: str, given: dict[str, str]) -> str:
    parts = [f"{name}={REDACTED if name == 'api_key' else redact_url(value)}" for name, value in given.items()]
    return "?".join(filter(None, (base, "&".join(parts))))


def _url_error(url: str, why: str) -> UsageError:
    return UsageError(f"invalid store {redact_url(url)!r}: {why}")
