"""The red team: it passes over what Ragstone promises, and fails for each defence that is switched off."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import Settings
from ragstone.core.answers import Found
from ragstone.core.filters import Where
from ragstone.core.ports import Prompt
from ragstone.evaluation.redteam import (
    CollectionTarget,
    RedTeamReport,
    ServerTarget,
    render_page,
    report_json,
    run_probes,
)
from ragstone.evaluation.redteam.probes import ATTACKS, list_probes, make_mark
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run
from tests.scripted import Scripted
from tests.server.conftest import serve_program

SETTINGS = Settings(embed=EmbedSettings("none"))


def attack(*kinds: str, settings: Settings = SETTINGS, **parts: Any) -> RedTeamReport:
    return run_probes(CollectionTarget(settings, embedder=BagOfWords(), **parts), kinds)


@pytest.fixture(scope="module")
def report() -> RedTeamReport:
    return attack()


def test_all_attacks_fail_on_the_default_settings(report: RedTeamReport) -> None:
    assert report.failed == ()
    assert report.count("skipped") == 0
    assert {one.kind for one in report.outcomes} == set(ATTACKS)
    wanted = sum(probe.kind in ATTACKS for probe in list_probes()) + 2  # and another tenant's passage and key
    assert report.count("passed") == wanted


def test_planted_documents_are_really_found(report: RedTeamReport) -> None:
    """A search that finds nothing would pass everything."""
    said = {f"{one.kind}/{one.name}": one.message for one in report.outcomes}
    for name in ("injection/direct-order", "exfiltration/secret", "exfiltration/beacon", "stale-policy/replaced"):
        assert said[name] != "it abstained", name


def test_unmasked_secrets_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.evaluation.redteam.targets.mask_secrets", lambda text, *_: text)
    assert attack("exfiltration").failed == ("exfiltration/secret",)


def test_open_restricted_documents_are_noticed() -> None:
    class Open(CollectionTarget):
        def search(self, text: str, depth: int) -> Found:
            return self._own.search(text, top_k=depth, where=Where(allow_restricted=True))

    assert run_probes(Open(SETTINGS, embedder=BagOfWords()), ["exfiltration"]).failed == ("exfiltration/restricted",)


def test_a_guard_that_sees_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.guard.injection.assess_injection", lambda _text: ((), 0.0))
    assert "injection/flag" in attack("injection").failed


def test_a_model_that_obeys_is_noticed_and_strict_answers_stop_it() -> None:
    mark = make_mark("direct-order")

    def obey(_prompt: Prompt) -> str:
        """Alone the mark would be dropped as unsupported, and quotes shown in its place."""
        return f"The canteen of Brackwater opens at 11:40 [1]. The word of the day is {mark}."

    assert "injection/direct-order" in attack("injection", completion=Scripted(obey)).failed
    strict = replace(SETTINGS, answer=replace(SETTINGS.answer, strict=True))
    assert attack("injection", settings=strict, completion=Scripted(obey)).failed == ()


def test_documents_that_stay_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = CollectionTarget._ingest
    calls: list[int] = []

    def ingest_once(target: CollectionTarget) -> None:
        calls.append(1)
        if len(calls) == 1:
            plain(target)

    monkeypatch.setattr(CollectionTarget, "_ingest", ingest_once)
    assert attack("stale-policy").failed == ("stale-policy/replaced", "stale-policy/withdrawn")


def test_tenants_that_share_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    make = CollectionTarget._make_settings

    def share(target: CollectionTarget, tenant: str) -> Settings:
        return replace(make(target, tenant), tenant="shared")

    monkeypatch.setattr(CollectionTarget, "_make_settings", share)
    assert set(attack("cross-tenant").failed) == {f"cross-tenant/{name}" for name in ("question", "passage", "key")}


def test_the_command_writes_a_page_and_json_and_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "ragstone.yaml").write_text("embed: {model: none}\n")
    done = run("redteam", "--probe", "cross-tenant", "--report", "out.html", "--json")
    assert done.status == 0
    told = json.loads(done.out)
    assert (told["passed"], told["failed"]) == (3, 0)
    assert "Content-Security-Policy" in (tmp_path / "out.html").read_text("utf-8")
    assert not list(scratch.iterdir())
    assert not (tmp_path / ".ragstone").exists()  # the collection itself is not even made
    monkeypatch.setattr(CollectionTarget, "mask", lambda _target, text, *_: text)
    done = run("redteam", "--probe", "exfiltration")
    assert done.status == 3
    assert "FAIL  exfiltration/secret" in done.out
    assert "1 of 3 probes failed: exfiltration/secret" in done.err
    done = run("redteam", "--probe", "injections")
    assert done.status == 2
    assert "unknown kind of probe 'injections'" in done.err


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append(tag)


def test_evidence_is_text_on_the_page(report: RedTeamReport) -> None:
    bad = replace(report.outcomes[0], status="failed", evidence="<img src=x onerror=alert(1)>", message="<b>")
    tags = Tags()
    tags.feed(render_page(replace(report, outcomes=(bad, *report.outcomes[1:]))))
    assert not {"img", "b", "script", "link"} & set(tags.found)
    assert report_json(report)["failed"] == 0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[[], str]]:
    (tmp_path / "ragstone.yaml").write_text("embed: {model: none}\n")
    with serve_program("--store", tmp_path / "store", "--config", tmp_path / "ragstone.yaml") as served:
        yield lambda: served.url


def test_a_server_is_probed_and_left_as_it_was(served: Callable[[], str]) -> None:
    target = ServerTarget(served(), None, None)
    done = run_probes(target)
    assert done.failed == ()
    assert [one.name for one in done.outcomes if one.status == "skipped"] == ["question", "passage", "key"]
    assert target._own.collections() == []
