"""With a token through the whole program: from the configuration to an answer."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import ragstone
from ragstone.access import Permission, TokenAuthenticator
from ragstone.access.keyset import FRESH, Keyset
from ragstone.access.sign_in import TOKEN_FRESH, Authenticator
from ragstone.config.jwt import JwtSettings
from ragstone.config.settings import AccessSettings, Settings
from ragstone.core.errors import ConfigError, Forbidden, Unauthorized
from ragstone.core.ports import Keys
from ragstone.engine.engine_pool import EnginePool
from tests.access.issuer import AUDIENCE, ISSUER, OTHER_KEY, RSA_KEY, jwk, pem, serving, token
from tests.commands import Run

CONFIG = f"""
access:
  trusted: false
  jwt: {{issuer: "{ISSUER}", audience: {AUDIENCE}, algorithms: [RS256], jwks: keys.json}}
"""


@pytest.fixture
def configured(run: Run, docs: Path) -> None:
    """A store of tenant acme, and a configuration that lets in only who has a token."""
    assert run("ingest", docs, "--tenant", "acme", "--embedder", "none").status == 0
    Path("keys.json").write_text(json.dumps({"keys": [jwk(RSA_KEY, "one")]}))
    Path("ragstone.yaml").write_text(CONFIG)


@pytest.mark.usefixtures("configured")
def test_a_token_opens_its_tenant(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("search", "samples").status == 2
    monkeypatch.setenv("RAGSTONE_KEY", token())
    found = run("search", "samples", "--mode", "keyword")
    assert (found.status, "15 days" in found.out) == (0, True)
    refused = run("collections", "delete", "default", "--yes")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "error: drop needs the role write or admin; this token has read\n"
    monkeypatch.setenv("RAGSTONE_KEY", token(exp=datetime.now(UTC) - timedelta(days=1)))
    assert run("search", "samples").err == "error: the token has expired; get a new one\n"


@pytest.mark.usefixtures("configured")
def test_a_token_is_never_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (token(tenant="rival"), token(role="boss"), token()[:-9]):
        monkeypatch.setenv("RAGSTONE_KEY", text)
        done = run("search", "samples", "--tenant", "acme")
        assert done.status == 2
        assert not any(part in done.out + done.err for part in text.split("."))


def test_a_token_without_an_issuer_is_said_to_have_none() -> None:
    with pytest.raises(Unauthorized, match=r"no issuer is configured: see access\.jwt"):
        ragstone.open("s", key=token())


def test_wrong_settings_of_an_issuer_name_their_place(run: Run) -> None:
    Path("ragstone.yaml").write_text(CONFIG.replace("[RS256]", "[RS256, HS256]"))
    with pytest.raises(ConfigError, match=r"ragstone.yaml: access\.jwt\.algorithms mixes HS"):
        ragstone.load()
    Path("ragstone.yaml").write_text(CONFIG.replace("audience: ragstone, ", ""))
    with pytest.raises(ConfigError, match=r"ragstone.yaml: access\.jwt.*audience"):
        ragstone.load()


async def test_a_token_ends_soon_after_its_key_is_withdrawn() -> None:
    clock, seconds = [datetime.now(UTC)], [0.0]
    with serving(jwk(RSA_KEY, "one")) as site:
        issuer = JwtSettings(ISSUER, AUDIENCE, ("RS256",), jwks=site.url)
        tokens = TokenAuthenticator(issuer, keyset=Keyset(site.url, now=lambda: seconds[0]))
        given = Settings(key=token(), access=AccessSettings(jwt=issuer))
        authenticator = Authenticator(given, fail, credential=None, tokens=lambda _: tokens, clock=lambda: clock[0])
        await authenticator.admit(Permission.SEARCH, what="search")
        site.keys = [jwk(OTHER_KEY, "two")]
        await authenticator.admit(Permission.SEARCH, what="search")
        clock[0], seconds[0] = clock[0] + TOKEN_FRESH, FRESH + 1
        with pytest.raises(Unauthorized) as error:
            await authenticator.admit(Permission.SEARCH, what="search")
        assert (error.value.reason, site.asked) == ("signature", 2)


async def test_all_callers_share_the_keys_of_an_issuer() -> None:
    """A server asked the issuer for each token, made-up ones too."""
    with serving(jwk(RSA_KEY, "one")) as site:
        issuer = JwtSettings(ISSUER, AUDIENCE, ("RS256",), jwks=site.url)
        pool = EnginePool(Settings(tenant="acme", access=AccessSettings(trusted=False, jwt=issuer)))
        for name in "abc":
            assert (await pool.open(key=token(sub=name))).scope.tenant == "acme"
            with pytest.raises(Unauthorized):
                await pool.open(key=token(OTHER_KEY, kid=f"made-up-{name}"))
        await pool.close()
        assert site.asked == 1


def fail() -> Keys:
    raise AssertionError("a token asks no store")


async def test_a_token_is_checked_for_a_while_and_its_end_every_time() -> None:
    clock = [datetime.now(UTC)]
    issuer = JwtSettings(ISSUER, AUDIENCE, ("RS256",), key=pem())
    given = Settings(key=token(), access=AccessSettings(jwt=issuer))
    authenticator = Authenticator(given, fail, credential=None, clock=lambda: clock[0])
    await authenticator.admit(Permission.SEARCH, what="search")
    with pytest.raises(Forbidden):
        await authenticator.admit(Permission.WRITE, what="ingest")
    clock[0] += timedelta(hours=2)
    with pytest.raises(Unauthorized, match="the token expired at"):
        await authenticator.admit(Permission.SEARCH, what="search")
