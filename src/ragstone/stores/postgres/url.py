"""The URL of a PostgreSQL store: libpq's own, with three words of ours in its query part.

postgresql://USER:PASSWORD@HOST:PORT,HOST2:PORT2/DATABASE?target_session_attrs=primary&exact=true&pool=8&keywords=bm25
"""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from ragstone.core.errors import UsageError
from ragstone.stores.url_redaction import redact_url

DEFAULT_POOL_SIZE = 8  # connections: a question takes one, an ingestion two
MAX_POOL_SIZE = 1_000
OWN_PARAMETERS = ("exact", "pool", "keywords")
KEYWORDS = ("bm25", "ts_rank_cd")  # how words are ranked
TRUTH_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
# What makes a lost server or a cut line known within a minute; the URL may say otherwise. Seconds, and how often.
DEFAULTS = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "application_name": "ragstone",
}
HOST = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:[0-9]{0,5})?")  # a name, an address, a folder of sockets; a port
SHAPE = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
QUOTING_HINT = "in it write %40 for @, %2F for /, %3F for ? and %3A for :"


@dataclass(frozen=True, slots=True)
class PostgresUrl:
    """Where a store is: `conninfo` is for libpq and holds the password, `shown` is for people and does not.

    `exact` keeps every search off approximate indexes; `pool` is how many connections may be open at once; `keywords`
    is one of `KEYWORDS`.
    """

    shown: str
    conninfo: str = field(repr=False)
    exact: bool = False
    pool: int = DEFAULT_POOL_SIZE
    keywords: str = KEYWORDS[0]


def parse_postgres_url(url: str) -> PostgresUrl:
    """The parts of a URL; raises `UsageError`, which never shows the password."""
    base, _, query = url.partition("?")
    _check_authority(base, query)
    ours: dict[str, str] = {}
    theirs: list[str] = []
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if name in OWN_PARAMETERS:
            ours[name] = unquote(value)
        else:
            theirs.append(pair)
    exact = TRUTH_WORDS.get(ours.get("exact", "false").lower())
    if exact is None:
        raise UsageError(f"invalid store {redact_url(url)!r}: expected true or false for exact")
    pool = ours.get("pool", str(DEFAULT_POOL_SIZE))
    if not re.fullmatch(r"[0-9]{1,4}", pool) or not 1 <= int(pool) <= MAX_POOL_SIZE:
        raise UsageError(f"invalid store {redact_url(url)!r}: expected 1 to {MAX_POOL_SIZE} connections for pool")
    keywords = ours.get("keywords", KEYWORDS[0])
    if keywords not in KEYWORDS:
        raise UsageError(
            f"invalid store {redact_url(url)!r}: expected one of these for keywords: {' or '.join(KEYWORDS)}"
        )
    return PostgresUrl(redact_url(url), _build_conninfo(base, theirs, url), exact, int(pool), keywords)


def _check_authority(base: str, query: str) -> None:
    """What stands unquoted in a password would be taken for a host, and named in errors."""
    _, _, rest = base.partition("://")
    authority, _, path = rest.partition("/")
    hosts = unquote(authority.rpartition("@")[2]).split(",")
    if authority.count("@") > 1 or "@" in path + query or "#" in rest or not all(map(HOST.fullmatch, hosts)):
        raise UsageError(f"the store's URL cannot be read; write {SHAPE}, {QUOTING_HINT}")


def _build_conninfo(base: str, pairs: list[str], url: str) -> str:
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        known = conninfo_to_dict("?".join(filter(None, (base, "&".join(pairs)))))
        return make_conninfo("", **{**DEFAULTS, **{name: value for name, value in known.items() if value is not None}})
    except Error:
        names = sorted({pair.partition("=")[0] for pair in pairs if "=" in pair})
        said = f" (parameters: {', '.join(names)})" if names else ""
        wrong = f"store {redact_url(url)!r} is not a URL that PostgreSQL accepts{said}; write {SHAPE}, {QUOTING_HINT}"
        raise UsageError(wrong) from None  # libpq's own words would quote what stands in the URL
