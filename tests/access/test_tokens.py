"""Tokens: what is accepted, and every way in which one is not."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest

from ragstone.access import TokenAuthenticator, keyset, looks_like_token
from ragstone.access.keyset import FRESH, LARGEST, PAUSE, STALE, Keyset
from ragstone.config.jwt import JwtSettings
from ragstone.core.errors import ConfigError, Unauthorized, Unavailable
from tests.access.issuer import AUDIENCE, EC_KEY, ISSUER, OTHER_KEY, RSA_KEY, jwk, pem, serving, token
from tests.patience import HANG

SECRET = "0123456789abcdef0123456789abcdef"
NOW = datetime.now(UTC)


def settings(**given: Any) -> JwtSettings:
    return JwtSettings(**{"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ("RS256",), "key": pem(), **given})


def encoded(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def forged(header: dict[str, Any], secret: bytes) -> str:
    """A token whose signature is an HMAC, whatever its header says."""
    payload = token().split(".")[1]
    signed = f"{encoded(header)}.{payload}"
    mac = hmac.digest(secret, signed.encode(), hashlib.sha256)
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def changed(text: str, claims: object) -> str:
    """A token with other claims and the old signature."""
    header, _, signature = text.split(".")
    return f"{header}.{encoded(claims)}.{signature}"


async def refusal(text: str, **given: Any) -> str:
    with pytest.raises(Unauthorized) as refused:
        await TokenAuthenticator(settings(**given)).authenticate(text)
    assert text not in str(refused.value)
    assert "\n" not in str(refused.value)
    return refused.value.reason


async def test_a_token_names_its_tenant_and_role() -> None:
    found = await TokenAuthenticator(settings()).authenticate(token(role="write"))
    assert (found.tenant, found.roles, found.name, found.kind) == ("acme", ("write",), "alice", "token")
    assert found.expires is not None
    assert timedelta(minutes=59) < found.expires - datetime.now(UTC) <= timedelta(hours=1)


async def test_claims_may_have_other_names_and_roles_be_a_list() -> None:
    tokens = TokenAuthenticator(settings(tenant_claim="https://example.org/org", role_claim="roles"))
    given: dict[str, Any] = {"https://example.org/org": "rival", "roles": ["offline_access", "read", "write", 5]}
    found = await tokens.authenticate(token(tenant=None, role=None, **given))
    assert (found.tenant, found.roles) == ("rival", ("read", "write"))


async def test_a_shared_secret_is_accepted_where_it_is_configured() -> None:
    tokens = TokenAuthenticator(settings(algorithms=("HS256",), key=SECRET))
    assert (await tokens.authenticate(token(SECRET, "HS256"))).tenant == "acme"


NOT_ACCEPTED: dict[str, tuple[Callable[[], str], str]] = {
    "expired": (lambda: token(exp=NOW - timedelta(seconds=5)), "expired"),
    "no end": (lambda: token(exp=None), "claim"),
    "an odd end": (lambda: token(exp="soon"), "malformed"),
    "not yet": (lambda: token(nbf=NOW + timedelta(hours=1)), "early"),
    "issued tomorrow": (lambda: token(iat=NOW + timedelta(days=1)), "early"),
    "issued at no time": (lambda: token(iat="now"), "early"),
    "another audience": (lambda: token(aud="mail"), "audience"),
    "no audience": (lambda: token(aud=None), "claim"),
    "another issuer": (lambda: token(iss="https://login.example.com"), "issuer"),
    "no issuer": (lambda: token(iss=None), "claim"),
    "no tenant": (lambda: token(tenant=None), "claim"),
    "a tenant that is no text": (lambda: token(tenant=["acme"]), "claim"),
    "an empty tenant": (lambda: token(tenant=""), "tenant"),
    "a tenant of commands": (lambda: token(tenant="a\x1b[2J"), "tenant"),
    "a tenant without end": (lambda: token(tenant="x" * 121), "tenant"),
    "no role": (lambda: token(role=None), "claim"),
    "an unknown role": (lambda: token(role="root"), "role"),
    "no known role of a list": (lambda: token(role=["root", {"admin": True}]), "role"),
    "a role in capitals": (lambda: token(role="ADMIN"), "role"),
    "another key": (lambda: token(OTHER_KEY), "signature"),
    "another algorithm": (lambda: token(algorithm="RS512"), "algorithm"),
    "another family": (lambda: token(EC_KEY, "ES256"), "algorithm"),
    "no algorithm": (lambda: f"{encoded({'alg': 'none'})}.{token().split('.')[1]}.", "algorithm"),
    "no algorithm in capitals": (lambda: f"{encoded({'alg': 'None'})}.{token().split('.')[1]}.", "algorithm"),
    "the public key as a secret": (lambda: forged({"alg": "HS256", "typ": "JWT"}, pem().encode()), "algorithm"),
    "that, in disguise": (lambda: forged({"alg": "RS256", "typ": "JWT"}, pem().encode()), "signature"),
    "an algorithm that is no text": (lambda: f"{encoded({'alg': ['RS256']})}.e30.AA", "algorithm"),
    "a key that it brings": (
        lambda: jwt.encode(
            {}, OTHER_KEY, algorithm="RS256", headers={"jwk": jwk(OTHER_KEY, "x"), "jku": "https://evil.example.com"}
        ),
        "signature",
    ),
    "extensions": (lambda: jwt.encode({}, RSA_KEY, algorithm="RS256", headers={"crit": ["exp"]}), "malformed"),
    "no signature": (lambda: token().rpartition(".")[0] + ".", "signature"),
    "a changed claim": (lambda: changed(token(), {"tenant": "rival"}), "signature"),
    "too long": (lambda: token(note="x" * 20_000), "malformed"),
    "nesting": (lambda: f"{base64.urlsafe_b64encode(b'[' * 9000).decode().rstrip('=')}.e30.AA", "malformed"),
    "bytes": (lambda: "_____w.e30.AA", "malformed"),
    "a list": (lambda: f"{encoded([1])}.e30.AA", "malformed"),
}  # fmt: skip


@pytest.mark.parametrize(("made", "reason"), NOT_ACCEPTED.values(), ids=NOT_ACCEPTED.keys())
async def test_what_is_not_accepted_has_a_reason(made: Callable[[], str], reason: str) -> None:
    assert await refusal(made()) == reason


async def test_leeway_bridges_clocks_that_differ() -> None:
    late = token(exp=datetime.now(UTC) - timedelta(seconds=5))
    assert await refusal(late) == "expired"
    found = await TokenAuthenticator(settings(leeway=60)).authenticate(late)
    assert found.expires is not None
    assert found.expires > datetime.now(UTC)


async def test_an_end_beyond_every_calendar_is_none() -> None:
    assert (await TokenAuthenticator(settings()).authenticate(token(exp=10**14))).expires is None


REFUSED_SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"algorithms": ()}, "invalid algorithms: expected at least one"),
    ({"algorithms": ("none",)}, "unknown algorithm 'none'"),
    ({"algorithms": ("RS256", "HS256")}, "mixes HS"),
    ({"algorithms": ("HS256",)}, "shared secret"),
    ({"algorithms": ("HS256",), "key": None, "jwks": "keys.json"}, "shared secret"),
    ({"algorithms": ("HS512",), "key": SECRET}, "too short for HS512: at least 64"),
    ({"key": None}, "expected exactly one of jwks"),
    ({"jwks": "keys.json"}, "expected exactly one of jwks"),
    ({"key": None, "jwks": "http://keys.example.org"}, "https URL"),
    ({"key": None, "jwks": "https://u:p@keys.example.org"}, "https URL"),
    ({"key": None, "jwks": "file:///etc/passwd"}, "https URL"),
    ({"key": None, "jwks": "https://["}, "invalid jwks"),
    ({"issuer": " "}, "invalid issuer: expected a text"),
    ({"leeway": -1}, "leeway"),
    ({"leeway": 601}, "leeway"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED_SETTINGS, ids=str)
def test_settings_that_would_let_others_in_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings(**given)


@pytest.mark.parametrize("key", ["no key", pem(EC_KEY), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_a_key_that_is_no_public_key_is_refused_before_any_token(key: str) -> None:
    with pytest.raises(ConfigError, match=r"access\.jwt\.key"):
        TokenAuthenticator(settings(key=key))


def test_a_token_is_told_from_a_key_by_its_shape() -> None:
    assert looks_like_token(token())
    assert not any(map(looks_like_token, ("rag_0123456789abcdef_x", "a.b", "a.b.c.d", "", "a b.c.d")))


# The issuer's keys


def test_keys_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"keys": [jwk(RSA_KEY, "one"), jwk(EC_KEY, "two", use="enc")]}))
    keys = Keyset(str(file))
    assert keys.find_key("one") == jwk(RSA_KEY, "one")
    assert keys.find_key("two") is None  # for encryption
    assert keys.find_key(None) == jwk(RSA_KEY, "one")  # the only one that signs


async def test_the_token_names_a_key_of_the_set() -> None:
    with serving(jwk(RSA_KEY, "one"), jwk(EC_KEY, "two"), jwk(OTHER_KEY, "three", alg="RS512")) as site:
        given = {"key": None, "jwks": site.url, "algorithms": ("RS256", "ES256")}
        tokens = TokenAuthenticator(settings(**given))
        assert (await tokens.authenticate(token())).tenant == "acme"
        assert (await tokens.authenticate(token(EC_KEY, "ES256", kid="two"))).tenant == "acme"
        assert site.asked == 1
        assert await refusal(token(OTHER_KEY), **given) == "signature"
        assert await refusal(token(kid=None), **given) == "signature"
        assert await refusal(token(EC_KEY, "ES256", kid="one"), **given) == "signature"
        assert await refusal(token(kid="two"), **given) == "signature"
        assert await refusal(token(OTHER_KEY, kid="three"), **given) == "algorithm"


def test_an_unknown_key_is_asked_for_once_in_a_while() -> None:
    clock = [1000.0]
    with serving(jwk(RSA_KEY, "one")) as site:
        keys = Keyset(site.url, now=lambda: clock[0])
        assert keys.find_key("one")
        assert [keys.find_key(f"made-up-{n}") for n in range(50)] == [None] * 50
        assert site.asked == 1  # it was asked just before
        site.keys.append(jwk(OTHER_KEY, "new"))
        clock[0] += PAUSE
        assert keys.find_key("new")
        assert [keys.find_key(f"made-up-{n}") for n in range(50)] == [None] * 50
        assert site.asked == 2


def test_keys_are_read_again_after_a_while_and_serve_on_when_nobody_answers() -> None:
    clock = [0.0]
    with serving(jwk(RSA_KEY, "one")) as site:
        keys = Keyset(site.url, now=lambda: clock[0])
        assert keys.find_key("one")
        site.status = 503
        clock[0] += FRESH + 1
        assert keys.find_key("one")
        assert site.asked == 2
        clock[0] += STALE
        with pytest.raises(Unavailable, match=r"cannot be read \(HTTP 503\)"):
            keys.find_key("one")
        with pytest.raises(Unavailable, match="try again"):
            keys.find_key("one")
        assert site.asked == 3
        site.status, site.keys = 200, [jwk(OTHER_KEY, "two")]
        clock[0] += PAUSE
        assert keys.find_key("one") is None  # withdrawn
        assert keys.find_key("two")


async def test_made_up_tokens_hold_up_no_good_one_while_the_issuer_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, begun, going = [0.0], threading.Event(), threading.Event()
    with serving(jwk(RSA_KEY, "one")) as site:
        keys, read = Keyset(site.url, now=lambda: clock[0]), keyset._read_keys
        tokens = TokenAuthenticator(settings(key=None, jwks=site.url), keyset=keys)
        assert (await tokens.authenticate(token())).tenant == "acme"

        def read_slowly(place: str) -> bytes:
            begun.set()
            assert going.wait(HANG)
            return read(place)

        monkeypatch.setattr(keyset, "_read_keys", read_slowly)
        clock[0] += FRESH + 1
        pool = ThreadPoolExecutor(2)
        asyncio.get_running_loop().set_default_executor(pool)  # of two threads: a few made-up ones would take all
        flood = [asyncio.ensure_future(tokens.authenticate(token(kid=f"made-up-{n}"))) for n in range(4)]
        try:
            await asyncio.wait_for(asyncio.to_thread(begun.wait, HANG), HANG)
            assert (await asyncio.wait_for(tokens.authenticate(token()), HANG)).tenant == "acme"
        finally:
            going.set()
            refused = await asyncio.gather(*flood, return_exceptions=True)
        assert [getattr(one, "reason", None) for one in refused] == ["signature"] * 4
        assert site.asked == 2


@pytest.mark.parametrize("kid", ["one", None])
async def test_a_key_that_takes_the_place_of_another_without_another_name_is_known_soon(kid: str | None) -> None:
    clock = [0.0]
    with serving(jwk(RSA_KEY, "one")) as site:
        keys = Keyset(site.url, now=lambda: clock[0])
        tokens = TokenAuthenticator(settings(key=None, jwks=site.url), keyset=keys)
        assert (await tokens.authenticate(token(kid=kid))).tenant == "acme"
        site.keys[:] = [jwk(OTHER_KEY, "one")]
        clock[0] += PAUSE
        assert (await tokens.authenticate(token(OTHER_KEY, kid=kid))).tenant == "acme"
        with pytest.raises(Unauthorized):
            await tokens.authenticate(token(kid=kid))
        assert site.asked == 2


def test_only_the_configured_place_is_asked() -> None:
    with serving(jwk(RSA_KEY, "one")) as other, serving() as site:
        site.redirect = other.url
        with pytest.raises(Unavailable, match="HTTP 302"):
            Keyset(site.url).find_key("one")
        assert other.asked == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"x" * (LARGEST + 1), "more than"),
        (b"<html>", "Expecting value"),
        (b"[]", "not a JWKS"),
        (b'{"keys": {}}', "not a JWKS"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_what_is_no_set_of_keys_is_named(body: bytes, said: str) -> None:
    with serving() as site:
        site.body = body
        with pytest.raises(Unavailable, match=said):
            Keyset(site.url).find_key("one")


def test_a_place_where_nothing_is_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"No such file.*access\.jwt\.jwks"):
        Keyset(str(tmp_path / "none.json")).find_key("one")
    with serving() as site:
        pass
    with pytest.raises(Unavailable, match="refused"):
        Keyset(site.url).find_key("one")
