"""API keys: made of chance, kept as a hash, recognised or refused."""

import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ragstone import guard
from ragstone.access import authenticate_key, issue_key, keys, parse_expiry, parse_key_id
from ragstone.access.keys import KEY_PATTERN
from ragstone.core.errors import Unauthorized, UsageError
from ragstone.core.records import Key

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Shelf:
    """Keys in memory; see `ragstone.core.ports.Keys`."""

    def __init__(self, *kept: Key) -> None:
        self._kept = {key.id: key for key in kept}

    async def find(self, identity: str) -> Key | None:
        return self._kept.get(identity)

    async def add(self, key: Key) -> None:
        self._kept[key.id] = key

    async def of(self, tenant: str) -> list[Key]:
        return [key for key in self._kept.values() if key.tenant == tenant]

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        return False

    async def erase(self, tenant: str) -> int:
        return 0


MADE = issue_key("acme", "alice", ("write",), expires=NOW + timedelta(days=1), now=NOW)


async def refusal(text: str, *kept: Key, now: datetime = NOW) -> Unauthorized:
    with pytest.raises(Unauthorized) as refused:
        await authenticate_key(text, Shelf(*kept), now=now)
    assert MADE.text.split("_", 2)[2] not in str(refused.value)
    return refused.value


async def test_a_key_names_its_tenant_and_roles() -> None:
    found = await authenticate_key(MADE.text, Shelf(MADE.key), now=NOW)
    assert (found.tenant, found.roles, found.name, found.kind) == ("acme", ("write",), "alice", "key")
    assert found.expires == NOW + timedelta(days=1)


def test_a_key_has_256_bits_of_chance_and_only_their_hash_is_kept() -> None:
    shape = KEY_PATTERN.fullmatch(MADE.text)
    assert shape
    assert shape["id"] == MADE.key.id
    assert MADE.key.digest == hashlib.sha256(shape["secret"].encode()).digest()
    assert shape["secret"] not in repr(MADE) + repr(MADE.key)
    assert str(MADE.key.digest) not in repr(MADE)
    many = {issue_key("acme", "x", ("read",), expires=None, now=NOW).text for _ in range(200)}
    assert len({text[4:20] for text in many}) == len({text[21:] for text in many}) == 200


async def test_what_is_not_accepted_has_a_reason() -> None:
    other = MADE.text[:-1] + ("A" if MADE.text[-1] != "A" else "B")
    revoked = replace(MADE.key, revoked=NOW)
    assert (await refusal(MADE.text)).reason == "unknown"
    assert (await refusal(other, MADE.key)).reason == "unknown"
    assert (await refusal(MADE.text, revoked)).reason == "revoked"
    assert (await refusal(MADE.text, MADE.key, now=NOW + timedelta(days=1))).reason == "expired"
    for odd in ("", "rag_", "rag_1_2", MADE.text + "A", MADE.text + "\n", MADE.text.upper(), "Bearer " + MADE.text):
        assert (await refusal(odd, MADE.key)).reason == "malformed", odd


async def test_a_wrong_secret_of_a_known_id_and_an_unknown_id_say_the_same() -> None:
    assert str(await refusal(MADE.text)) == str(await refusal(MADE.text[:-2] + "__", MADE.key))


async def test_an_unknown_id_costs_the_same_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []

    class Counting:
        @staticmethod
        def compare_digest(one: bytes, other: bytes) -> bool:
            compared.append((len(one), len(other)))
            return hmac.compare_digest(one, other)

    monkeypatch.setattr(keys, "hmac", Counting)
    await refusal(MADE.text)
    await refusal(MADE.text[:-2] + "__", MADE.key)
    assert compared == [(32, 32), (32, 32)]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[31m", "x" * 121])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="invalid name of a key"):
        issue_key("acme", name, ("read",), expires=None, now=NOW)


def test_a_key_that_is_over_before_it_begins_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a time in the future"):
        issue_key("acme", "x", ("read",), expires=NOW, now=NOW)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (None, None),
        ("12h", datetime(2026, 1, 2, tzinfo=UTC)),
        ("90d", datetime(2026, 4, 1, 12, tzinfo=UTC)),
        (" 4w ", datetime(2026, 1, 29, 12, tzinfo=UTC)),
        ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        ("2026-05-01T01:00+02:00", datetime(2026, 4, 30, 23, tzinfo=UTC)),
    ],
)
def test_an_end_is_a_span_a_date_or_a_moment(text: str | None, end: datetime | None) -> None:
    assert parse_expiry(text, now=NOW) == end


@pytest.mark.parametrize(
    "text", ["", "0d", "-1d", "90", "d", "1y", "100000d", "tomorrow", "2026-13-01", "0001-01-01T00+14:00"]
)
def test_what_is_no_end_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="90d, 12h, 4w or 2027-01-31"):
        parse_expiry(text, now=NOW)


def test_a_key_is_named_by_its_id_or_by_all_of_it() -> None:
    assert {parse_key_id(text) for text in (MADE.key.id, f"rag_{MADE.key.id}_…", MADE.text)} == {MADE.key.id}
    assert [parse_key_id(text) for text in ("", "x", MADE.key.id[1:], "'; DROP TABLE keys; --")] == [None] * 4


def test_our_own_keys_are_masked_in_texts() -> None:
    text = f"use {MADE.text} for the export, or {MADE.text.encode().decode()}."
    masked, found = guard.mask_patterns(text)
    assert masked == "use [masked:api_key] for the export, or [masked:api_key]."
    assert len(found) == 2
