"""A URL says where points and truth are; what it keeps secret never shows."""

import pytest

from ragstone.core.errors import UsageError
from ragstone.stores import open_store, redact_url
from ragstone.stores.qdrant import parse_qdrant_url


def test_a_server_has_a_port_and_a_ledger_by_default() -> None:
    url = parse_qdrant_url("qdrant://db")
    assert (url.host, url.port, url.tls, url.local) == ("db", 6334, False, None)
    assert url.ledger == "embedded:.ragstone/.qdrant"
    assert parse_qdrant_url("qdrants://db:7000/").tls
    assert (parse_qdrant_url("qdrants://[::1]:7000").host, parse_qdrant_url("qdrants://[::1]:7000").port) == (
        "[::1]",
        7000,
    )
    assert parse_qdrant_url("qdrant::memory:").local == ":memory:"
    assert parse_qdrant_url("qdrant:some/folder").local == "some/folder"


def test_every_parameter_is_read() -> None:
    url = parse_qdrant_url(
        "qdrants://db?api_key=a%26b&ledger=postgresql%3A%2F%2Fapp%3Apw%40pg%2Fx&collection=mine&exact=true"
        "&shards=2&replicas=3&write_consistency=1&timeout=7"
    )
    assert (url.api_key, url.ledger, url.collection) == ("a&b", "postgresql://app:pw@pg/x", "mine")
    assert (url.exact, url.shards, url.replicas, url.write_consistency, url.timeout) == (True, 2, 3, 1, 7)


SECRET = "qdrants://db?api_key=s3cret&ledger=postgresql%3A%2F%2Fapp%3As3cret%40pg%2Fx"


def test_secrets_are_never_shown() -> None:
    assert "s3cret" not in parse_qdrant_url(SECRET).shown
    assert "postgresql://app:***@pg/x" in parse_qdrant_url(SECRET).shown
    assert "s3cret" not in repr(parse_qdrant_url(SECRET))
    assert "s3cret" not in redact_url(SECRET)
    assert "s3cret" not in redact_url("qdrants://db?ledger=postgresql://app:s3cret@pg/x")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("qdrant://db?colour=red", "'colour' is an unknown parameter"),
        ("qdrant://db?shards=0", "expected a whole number from 1 to .* for shards"),
        ("qdrant://db?replicas=two", "expected a whole number from 1 to .* for replicas"),
        ("qdrant://db?exact=perhaps", "expected true or false for exact"),
        ("qdrant://db?collection=a/b", "characters for collection"),
        ("qdrant://db?ledger=json:x", "expected embedded:PATH or postgresql"),
        ("qdrant://db?ledger=qdrant://other", "expected embedded:PATH or postgresql"),
        ("qdrant://user:s3cret@db", "cannot be read"),
        ("qdrant://db:99999", "cannot be read"),
        ("qdrant://", "invalid store .*expected qdrant"),
        ("qdrants:folder", "write qdrant://HOST:6334"),
    ],
)
def test_what_cannot_be_read_says_what_to_write(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        open_store(url)
    assert "s3cret" not in str(caught.value)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.stores.kinds.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'ragstone\[qdrant\]'"):
        open_store("qdrant://db")
