"""Settings of the tenant that a credential names: its texts go by them alone, whoever else has settings too.

Each tenant has a vendor's key of its own and a word of its own, which stands in its documents and its questions. All
vendors are one server, which remembers which word came with which key.
"""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import ragstone
from ragstone.access import Credential, Permission, Role, issue_key
from ragstone.access.sign_in import Authenticator
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, Forbidden
from ragstone.core.ports import Exporter
from ragstone.core.records import Key
from tests.access.issuer import AUDIENCE, ISSUER, RSA_KEY, jwk, token
from tests.commands import Run
from tests.providers.serving.backends import counted, line
from tests.providers.serving.between import Between, Reply, Seen, standing
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import ADMIN, PASSWORD, USER, Server

__all__ = ["server"]

OWN = ("acme", "rival", "default")  # `default` is the tenant that is asked for where nobody names one
TENANTS = ("acme", "rival", "plain")


def vendor(seen: Seen) -> Reply:
    """Embeddings and answers as OpenAI gives them."""
    if seen.path.endswith("/embeddings"):
        data = [{"embedding": counted(text), "index": n} for n, text in enumerate(seen.json["input"])]
        return line({"data": data, "usage": {"prompt_tokens": 1}})
    delta = {"choices": [{"index": 0, "delta": {"content": "Samples are kept [1]."}, "finish_reason": "stop"}]}
    return Reply(iter([f"data: {json.dumps(delta)}\n\n".encode(), b"data: [DONE]\n\n"]))


def word(tenant: str) -> str:
    return f"wordof{tenant}"


@dataclass(frozen=True)
class Place:
    """A store, as applications and as makers of keys reach it, and the vendors' server."""

    url: str
    keys: str
    vendors: Between

    def configuration(self, **more: Any) -> dict[str, Any]:
        """Models for all of `OWN` and others at the top."""
        names = ("nobody", *OWN)
        reach = {name: {"base_url": f"{self.vendors.url}/v1", "api_key": f"key-of-{name}"} for name in names}
        models = {
            name: {
                "embed": {"model": f"openai/e-{name}", "reads": 256, **reach[name]},
                "llm": {"model": "openai/l", **reach[name]},
            }
            for name in names
        }
        tenants = {name: models[name] for name in OWN}
        return {"store": self.url, **models["nobody"], "tenants": tenants, **more}

    def write(self, **more: Any) -> None:
        Path("ragstone.yaml").write_text(json.dumps(self.configuration(**more)))

    def key(self, tenant: str) -> str:
        with ragstone.open(self.keys, tenant=tenant) as kb:
            return kb.create_key("a program", roles="write").text

    def went(self) -> dict[str, set[str]]:
        """The words that came, by the tenant whose key came with them; all is forgotten then."""
        out: dict[str, set[str]] = {}
        for seen in self.vendors.requests:
            said = {tenant for tenant in TENANTS if word(tenant) in seen.body.decode()}
            out.setdefault(seen.headers["authorization"].removeprefix("Bearer key-of-"), set()).update(said)
        self.vendors.requests.clear()
        return out

    def own(self, tenant: str) -> dict[str, set[str]]:
        """What `went` gives when a tenant's texts go where they may, and nowhere else."""
        return {tenant if tenant in OWN else "nobody": {tenant}}


@pytest.fixture(params=["embedded", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with standing(vendor) as vendors:
        if request.param == "embedded":
            yield Place("embedded:store", "embedded:store", vendors)
            return
        running: Server = request.getfixturevalue("server")
        with running.database() as name:
            yield Place(running.url(name), running.url(name, ADMIN), vendors)


@pytest.fixture
def texts() -> Callable[[str], Path]:
    def folder(tenant: str) -> Path:
        made = Path("texts", tenant)
        made.mkdir(parents=True, exist_ok=True)
        (made / "storage.md").write_text(f"# Retention\n\nThe samples of {word(tenant)} are kept for 15 days.\n")
        return made

    return folder


def test_a_keys_texts_go_by_its_tenants_settings_alone(place: Place, texts: Callable[[str], Path]) -> None:
    place.write(pipelines=[{"name": "line", "collections": ["default"]}])
    for tenant in TENANTS:
        question = f"How long are samples of {word(tenant)} kept?"
        with ragstone.open(key=place.key(tenant)) as kb:
            kb.ingest(texts(tenant))
            assert kb.ask(question).citations
            assert [event.name for event in kb.events(question)][-1] == "final_answer"
            assert kb.pipeline("line").ask(question).citations
            assert kb.pipelines()[0].model == f"openai/e-{tenant if tenant in OWN else 'nobody'}"
            assert {request.path for request in place.vendors.requests} == {"/v1/embeddings", "/v1/chat/completions"}
            assert place.went() == place.own(tenant)
            assert kb.search(question).hits
            assert place.went() == place.own(tenant)


@pytest.mark.parametrize("place", ["embedded"], indirect=True)
def test_so_do_those_of_tokens_and_of_who_is_recognised_already(place: Place, texts: Callable[[str], Path]) -> None:
    Path("keys.json").write_text(json.dumps({"keys": [jwk(RSA_KEY, "one")]}))
    jwt = {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["RS256"], "jwks": "keys.json"}
    place.write(access={"trusted": False, "jwt": jwt})
    for tenant in TENANTS:
        for given in ({"key": token(tenant=tenant, role="write")}, {"credential": Credential(tenant, (Role.WRITE,))}):
            with ragstone.open(**given) as kb:
                kb.ingest(texts(tenant), refresh=True)
                assert kb.search(f"samples of {word(tenant)}").hits
            assert place.went() == place.own(tenant)


@pytest.mark.parametrize("place", ["embedded"], indirect=True)
def test_so_do_those_of_commands(
    place: Place, texts: Callable[[str], Path], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write()
    for tenant, key in [(tenant, place.key(tenant)) for tenant in ("acme", "plain")]:
        monkeypatch.setenv("RAGSTONE_KEY", key)
        question = f"How long are samples of {word(tenant)} kept?"
        assert run("ingest", texts(tenant)).status == 0
        for command in (["search", question], ["ask", question], ["ask", question, "--stream"], ["chat"]):
            monkeypatch.setattr("sys.stdin", io.StringIO(f"{question}\n"))
            done = run(*command)
            assert (done.status, done.err) == (0, ""), command
        assert place.went() == place.own(tenant)
        monkeypatch.setenv("RAGSTONE_EMBED__READS", "512")  # what the file says of its own model is not said of another
        started = run("reembed", "start", "--model", "openai/another")
        assert started.status == 0, started.err
        monkeypatch.delenv("RAGSTONE_EMBED__READS")
        assert place.went() == place.own(tenant)
        assert f"active   openai/e-{tenant if tenant in OWN else 'nobody'} " in run("reembed", "status").out
        refused = run("search", question, "--tenant", "rival")
        assert (refused.status, refused.out) == (2, "")
        assert "this key belongs to another tenant" in refused.err
        assert place.went() == {}


def test_a_pipelines_own_models_are_the_same_for_every_tenant(server: Server) -> None:
    """Tables have vectors of one model, whoever asks: what the file of another program names, else what is at the
    top. A pipeline that names no language model answers by the tenant's."""
    Path("line.txt").write_text("key-of-line")
    with standing(vendor) as vendors, server.database() as name:
        server.run("CREATE TABLE articles (id int PRIMARY KEY, body text, v vector(24))", name)
        server.run(
            f"INSERT INTO articles VALUES (1, 'Samples of wordofacme are kept for 15 days.', '{counted('samples')}')",
            name,
        )
        server.run(f"GRANT SELECT ON articles TO {USER}", name)
        tables = [{"table": "articles", "text_column": "body", "vector_column": "v", "id_column": "id"}]
        at = urlsplit(server.url(name))
        database = {"host": at.hostname, "port": at.port, "database": name, "username": USER, "password": PASSWORD}
        theirs = {"provider": "openai", "model": "e-line", "base_url": f"{vendors.url}/v1"}
        place = Place(server.url(name), server.url(name, ADMIN), vendors)
        of_file = {"name": "file", "database": database, "tables": tables, "api_keys": {"openai": "line.txt"}}
        place.write(
            server={"port": 8080},
            pipelines=[
                {**of_file, "embedding_llm": theirs, "rag_llm": {**theirs, "model": "l"}},
                {"name": "top", "database": server.url(name), "tables": tables},
            ],
        )
        with ragstone.open(key=place.key("acme")) as kb:
            question = f"How long are samples of {word('acme')} kept?"
            assert kb.pipeline("file").ask(question).citations
            assert place.went() == {"line": {"acme"}}
            assert kb.pipeline("top").ask(question).citations
            assert place.went() == {"nobody": {"acme"}, "acme": {"acme"}}


@pytest.mark.parametrize("place", ["embedded"], indirect=True)
def test_quoting_asks_nobody_for_words(
    place: Place, texts: Callable[[str], Path], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {"model": "openai/p", "base_url": f"{place.vendors.url}/v1", "api_key": "key-of-line"}
    place.write(pipelines=[{"name": "line", "collections": ["default"], "llm": written}])
    monkeypatch.setenv("RAGSTONE_KEY", place.key("acme"))
    assert run("ingest", texts("acme")).status == 0
    for options in ([], ["--pipeline", "line"]):
        assert "wordofacme" in run("ask", "How long are samples kept?", "--quote", *options).out
    assert {request.path for request in place.vendors.requests} == {"/v1/embeddings"}
    assert run("ask", "How long are samples kept?", "--pipeline", "line").status == 0
    assert "line" in place.went()


def test_collections_of_the_keys_tenant_are_as_they_are_set_there(place: Place, texts: Callable[[str], Path]) -> None:
    here = {"sources": [{"path": str(texts("acme"))}], "embed": {"model": "none"}, "keep_versions": 2}
    none = {"model": "none"}
    place.write(embed=none, llm=none, tenants={"acme": {"collections": {"default": here}}, "default": {"llm": none}})
    for tenant, kept in (("acme", 2), ("plain", 1)):
        with ragstone.open(key=place.key(tenant)) as kb:
            for text in ("The first.", "The second."):
                (texts("acme") / "storage.md").write_text(text)
                kb.ingest(*[] if tenant == "acme" else ["texts/acme"])
            assert len(kb.wait(_kept(kb))) == kept
            assert kb.engine.settings.keep_versions == kept


async def _kept(kb: ragstone.Knowledge) -> list[object]:
    """All revisions that the store keeps of a collection."""
    async with kb.engine.store.reader(kb.engine.scope) as reader:
        assert isinstance(reader, Exporter)
        return list(await reader.list_revisions_after(None, limit=10))


@pytest.mark.parametrize("wanted", ["store", "key", "access", "tenant", "encryption", "external", "pipelines"])
def test_what_finds_out_who_asks_is_no_tenants(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("ragstone.yaml").write_text(json.dumps({"tenants": {"acme": {wanted: "embedded:elsewhere"}}}))
    with pytest.raises(ConfigError, match=rf"unknown key tenants\.acme\.{wanted}"):
        ragstone.load()
    Path("ragstone.yaml").unlink()
    monkeypatch.setenv(f"RAGSTONE_TENANTS__ACME__{wanted.upper()}", "embedded:elsewhere")
    with pytest.raises(ConfigError, match=rf"unknown key tenants\.acme\.{wanted}"):
        ragstone.load()


async def test_a_key_that_changes_hands_opens_nothing_of_its_new_tenant() -> None:
    """What is open by then works by the settings of the tenant before."""
    made = issue_key("acme", "a program", ("read",), expires=None, now=datetime.now(UTC))
    kept = [made.key, replace(made.key, tenant="rival")]

    class Moving:
        async def find(self, identity: str) -> Key:
            return kept.pop(0)

    moving: Any = Moving()
    authenticator = Authenticator(Settings(key=made.text), lambda: moving, credential=None)
    await authenticator.admit(Permission.SEARCH, what="search")
    with pytest.raises(Forbidden, match="belonged to another tenant before"):
        await authenticator.admit(Permission.SEARCH, what="search")
    assert authenticator.tenant == "acme"
