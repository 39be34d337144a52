"""Pipelines in a configuration: ours, and a file that was written for the pgEdge RAG Server."""

from pathlib import Path

import pytest

from ragstone import providers
from ragstone.config.load import load
from ragstone.config.model_settings import LlmSettings, RerankSettings
from ragstone.config.settings import SearchSettings, Settings, TableSettings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.engine import Engine

THEIRS = """
server: {listen_address: 0.0.0.0, port: 8080, tls: {enabled: false}, cors: {enabled: true, allowed_origins: ["*"]}}
defaults:
  token_budget: 3000
  embedding_llm: {provider: openai, model: text-embedding-3-small}
  rag_llm: {provider: anthropic, model: claude-sonnet-4, headers: {X-Route: eu}, request_timeout: 1m30s}
  api_keys: {openai: /nowhere/openai, anthropic: /nowhere/anthropic}
  llm_headers: {X-Team: all, X-Route: default}
pipelines:
  - name: docs
    description: The manuals
    database:
      host: db.example.com
      port: 5433
      database: know how
      username: app
      password: "p@ss/w:rd?&"
      ssl_mode: require
    tables:
      - {table: documents, text_column: content, vector_column: embedding}
      - table: shown
        text_column: body
        vector_column: body_vec
        id_column: key
        filter: status = 'published'
    system_prompt: Answer in verse.
    llm_headers: {X-Team: docs}
    search: {hybrid_enabled: true, vector_weight: 0.7, min_similarity: 0.3}
  - name: pair
    database:
      hosts: [{host: a}, {host: "::1", port: 5440}, "c:5441"]
      database: d
    tables: [{table: t, text_column: c, vector_column: v,
        filter: {conditions: [{column: a, operator: "=", value: 1}], logic: OR}}]
    embedding_llm: {provider: ollama, model: all-minilm, base_url: "http://localhost:11434"}
    rag_llm: {provider: ollama, model: llama3, per_attempt_timeout: 500ms, top_p: 1}
    token_budget: 500
    top_n: 3
    search: {hybrid_enabled: false}
    rerank: {provider: cohere, top_k: 5}
"""


def loaded(text: str) -> Settings:
    Path("ragstone.yaml").write_text(text, encoding="utf-8")
    return load()


def test_a_file_of_the_other_program_loads_and_says_what_is_not_acted_on() -> None:
    docs, pair = loaded(THEIRS).pipelines
    assert docs.database == ("postgresql://app:p%40ss%2Fw%3Ard%3F%26@db.example.com:5433/know%20how?sslmode=require")
    assert "p%40ss" not in repr(docs)
    assert docs.tables == (
        TableSettings("documents", "content", "embedding", filter_columns=("*",)),
        TableSettings("shown", "body", "body_vec", "key", "status = 'published'", ("*",)),
    )
    assert (docs.description, docs.token_budget) == ("The manuals", 3000)
    assert docs.embed is not None
    assert docs.embed.model == "openai/text-embedding-3-small"
    assert docs.embed.api_key_file == "/nowhere/openai"
    assert docs.embed.headers == {"X-Team": "docs", "X-Route": "default"}
    assert docs.llm is not None
    assert (docs.llm.model, docs.llm.api_key_file) == ("anthropic/claude-sonnet-4", "/nowhere/anthropic")
    assert docs.llm.headers == {"X-Team": "docs", "X-Route": "eu"}
    assert (docs.llm.total, docs.llm.timeout) == (90, 30)
    assert "X-Team" not in repr(docs)
    assert docs.search == SearchSettings(fusion="rrf", cosine_weight=0.7, bm25_weight=0.3, min_cosine=0.3, top_k=10)
    assert docs.system_prompt == "Answer in verse."
    assert docs.notes == ()
    assert pair.database == (
        "postgresql://postgres@a:5432,[::1]:5440,c:5441/d?sslmode=prefer&target_session_attrs=prefer-standby"
    )
    assert pair.search is not None
    assert (pair.search.mode, pair.search.top_k, pair.token_budget) == ("semantic", 3, 500)
    assert pair.search.cosine_weight == pair.search.bm25_weight == 0.5
    assert [note.split()[0] for note in pair.notes] == ["rerank.top_k", "rag_llm.top_p"]
    assert pair.rerank == RerankSettings("cohere/rerank-v3.5")
    assert docs.rerank is None
    assert pair.llm is not None
    assert (pair.llm.model, pair.llm.timeout, pair.llm.api_key_file) == ("ollama/llama3", 0.5, None)
    assert pair.embed is not None
    assert pair.embed.base_url == "http://localhost:11434"


async def test_it_is_listed_and_opened_and_its_vendor_is_missing() -> None:
    async with Engine(loaded(THEIRS)) as kb:
        assert [(info.name, info.reads) for info in kb.pipelines()] == [
            ("docs", ("documents.content", "shown.body")),
            ("pair", ("t.c",)),
        ]
        [first, _] = kb.pipeline("docs").search_context.sources
        assert first.embedder is not None
        assert "api_key_file /nowhere/openai cannot be read" in (await providers.check_embedder(first.embedder))[0]
        writing = kb.pipeline("docs").writing
        assert writing is not None
        assert "api_key_file /nowhere/anthropic cannot be read" in (await writing.model.check())[0]
        assert writing.template.system.startswith("Answer in verse.\n\nWhat stands between a line with <<{mark}")


def test_questions_may_go_to_the_vendors_that_such_a_file_names_and_documents_may_not() -> None:
    assert loaded(THEIRS).external.embedding
    assert not loaded(THEIRS + "embed: {model: openai/text-embedding-3-small}\n").external.embedding
    assert not loaded(THEIRS + "external: {embedding: false}\n").external.embedding


def test_a_pipelines_model_is_set_over_the_one_at_the_top_and_no_key_goes_to_another_vendor() -> None:
    top, same, moved, other = loaded("""
llm: {model: openai/one, api_key: k, headers: {a: "1", b: "2"}, retries: 7}
pipelines:
  - {name: top, collections: [manuals]}
  - {name: same, collections: [manuals], llm: {model: openai/two, headers: {b: "3"}}}
  - {name: moved, collections: [manuals], llm: {base_url: "http://gateway:9/v1"}}
  - {name: other, collections: [manuals], llm: {model: anthropic/x, headers: {c: "4"}}}
""").pipelines
    assert top.llm is None
    assert same.llm == LlmSettings(model="openai/two", api_key="k", headers={"a": "1", "b": "3"}, retries=7)
    assert moved.llm is not None
    assert (moved.llm.model, moved.llm.api_key) == ("openai/one", None)
    assert other.llm == LlmSettings(model="anthropic/x", headers={"c": "4"}, retries=7)


def test_our_own_pipelines_take_the_search_settings_of_the_top() -> None:
    settings = loaded("""
search: {top_k: 4, fusion: rrf}
embed: {model: none}
pipelines:
  - name: both
    collections: [manuals]
    database: postgresql://app@db/know
    tables: [{table: t, text_column: c, filter_columns: [a]}]
    search: {fusion: minmax}
    timeout: 2.5
  - {name: top, collections: [manuals]}
""")
    both, top = settings.pipelines
    assert both.search == SearchSettings(top_k=4, fusion="minmax")
    assert top.search == SearchSettings(top_k=4, fusion="rrf")
    assert (both.timeout, both.token_budget, both.tables[0].filter_columns) == (2.5, None, ("a",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pipelines: [{name: p}]", "needs tables of a database, or collections"),
        ("pipelines: [{collections: [a]}]", "name"),
        (
            'pipelines: [{name: "", collections: [a]}]',
            r"invalid pipelines\[0\]\.name \'\': expected a text that is not blank",
        ),
        ("pipelines: [{name: p, collections: [a, a]}]", "duplicate collection 'a'"),
        ("pipelines: [{name: p, collections: [a]}, {name: p, collections: [b]}]", "duplicate name 'p' in pipelines"),
        ("pipelines: [{name: p, tables: [{table: t, text_column: c}]}]", "tables needs a database"),
        ("pipelines: [{name: p, collections: [a], database: postgresql://h/d}]", "one with a database needs tables"),
        ("pipelines: [{name: p, colections: [a]}]", r"unknown key pipelines\[0\].colections; did you mean collections"),
        (
            "pipelines: [{name: p, database: postgresql://h/d, tables: [{table: t, text_colum: c}]}]",
            r"unknown key pipelines\[0\].tables\[0\].text_colum; did you mean text_column",
        ),
        ("pipelines: [{name: p, collections: [a], timeout: 0}]", r"invalid pipelines\[0\]\.timeout 0"),
        ("pipelines: [{name: p, collections: [a], token_budget: 0}]", r"invalid pipelines\[0\]\.token_budget 0"),
        (
            "pipelines: [{name: p, collections: [a], search: {vector_weight: 2}}]",
            r"invalid pipelines\[0\]\.search\.vector_weight 2",
        ),
        (
            "pipelines: [{name: p, collections: [a], search: {hybrid_enabled: 3}}]",
            r"invalid pipelines\[0\]\.search\.hybrid_enabled 3: expected true or false",
        ),
        ("pipelines: [{name: p, collections: [a], search: {topk: 3}}]", "unknown key"),
        ("pipelines: [{name: p, database: {hots: h}, tables: [{table: t, text_column: c}]}]", "database.hots"),
        (
            "pipelines: [{name: p, database: {port: 0x1ffff}, tables: []}]",
            r"invalid pipelines\[0\]\.database\.port 131071",
        ),
        (
            "pipelines: [{name: p, database: {host: h, ssl_mode: maybe}, tables: []}]",
            r"unknown pipelines\[0\]\.database\.ssl_mode 'maybe'",
        ),
        ("pipelines: [{name: p, database: {hosts: []}, tables: []}]", "hosts: expected a list"),
        ("pipelines: [{name: p, collections: [a], embedding_llm: {provider: anthropic}}]", "anthropic cannot embed"),
        ("defaults: {rag_llm: {provider: voyage}}\npipelines: [{name: p, collections: [a]}]", "voyage cannot complete"),
        ("defaults: {token_budgets: 1}", "unknown key defaults.token_budgets"),
        ("defaults: {top_n: zzz}\npipelines: [{name: p, collections: [a]}]", "invalid defaults.top_n 'zzz'"),
        ("pipelines: [{name: p, collections: [a], top_n: 0}]", r"invalid pipelines\[0\].top_n 0"),
        ("defaults: {llm_headers: {x: 3}}\npipelines: [{name: p}]", "invalid defaults.llm_headers.x: expected a text"),
        ("pipelines: [{name: p, api_keys: {openai: [x]}}]", r"pipelines\[0\].api_keys.openai: expected a text"),
        ("pipelines: [{name: p, rag_llm: {model: [x]}}]", r"pipelines\[0\].rag_llm.model: expected a text"),
        (
            "pipelines: [{name: p, rag_llm: {provider: openai, model: x, request_timeout: 0s}}]",
            r"invalid pipelines\[0\].rag_llm.request_timeout '0s': expected a number from 0.01 to 86400 of seconds",
        ),
        ("pipelines: [{name: p, search: {min_similarity: 7}}]", r"invalid pipelines\[0\].search.min_similarity 7:"),
        ("pipelines: [{name: p, search: {hybrid: true}}]", r"search.hybrid; did you mean hybrid_enabled\?"),
        ("pipelines: [{name: p, search: {zzz: 1}}]", "search.zzz; known here: hybrid_enabled, vector_weight, min_sim"),
        ("pipelines: [{name: p, zzz: 1}]", "zzz; known here: token_budget, top_n, embedding_llm"),
        ("defaults: 3", "invalid defaults: expected a mapping"),
        ("pipelines: 3", "invalid pipelines: expected a list"),
        ("pipelines: [3]", "expected a name, or a mapping"),
        ("pipelines: {name: p}", "invalid pipelines: expected a list"),
    ],
)
def test_a_mistake_is_named_by_its_key(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        loaded(text)


async def test_a_pipeline_that_is_not_there_names_those_that_are() -> None:
    async with Engine(loaded("pipelines: [{name: one, collections: [a]}, {name: two, collections: [b]}]")) as kb:
        with pytest.raises(UsageError, match="there is no pipeline 'three'; there are: one, two"):
            kb.pipeline("three")
    async with Engine(Settings()) as kb:
        assert kb.pipelines() == []
        with pytest.raises(UsageError, match="the settings have no `pipelines`"):
            kb.pipeline("three")


async def test_a_database_of_another_kind_is_refused() -> None:
    text = "pipelines: [{name: p, database: 'mysql://u:secret@h/d', tables: [{table: t, text_column: c}]}]"
    async with Engine(loaded(text)) as kb:
        with pytest.raises(UsageError, match="unknown database") as raised:
            kb.pipeline("p")
    assert "secret" not in str(raised.value)
