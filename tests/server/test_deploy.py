"""The rules, alerts and panels of `deploy/`: they ask for metrics that a server has, and Prometheus can answer them."""

import json
import re
import shutil
import socket
import subprocess
from pathlib import Path

import httpx2
import pytest
import yaml

from tests.patience import HANG, until
from tests.server.conftest import QUESTION, Kept, serve_program

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yml"
METRIC = re.compile(r"\b(?:ragstone_\w+|ragstone:\w+(?::\w+)*)\b")
needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason="Prometheus is not installed"
)


def read_rules() -> list[dict[str, str]]:
    return [rule for group in yaml.safe_load(RULES.read_text("utf-8"))["groups"] for rule in group["rules"]]


def list_expressions() -> list[str]:
    """Those of the rules, then those of the dashboard."""
    board = json.loads((DEPLOY / "grafana" / "ragstone.json").read_text("utf-8"))
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    return [*(rule["expr"] for rule in read_rules()), *shown]


async def test_every_metric_that_is_asked_for_exists(client: httpx2.AsyncClient) -> None:
    text = (await client.get("/metrics")).text
    there = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    there |= {f"{name}_{part}" for name in there for part in ("bucket", "count", "sum")}
    there |= {rule["record"] for rule in read_rules() if "record" in rule}
    asked = {name for expression in list_expressions() for name in METRIC.findall(expression)}
    assert len(asked) > 15
    assert asked - there == set()


def test_grafana_finds_dashboard_and_data_source_where_the_stack_puts_them() -> None:
    stack = yaml.safe_load((DEPLOY.parent / "compose.yaml").read_text("utf-8"))["services"]
    mounts = dict(volume.split(":")[:2] for volume in stack["grafana"]["volumes"])
    assert mounts["./deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    folder = DEPLOY / "grafana" / "provisioning"
    [provider] = yaml.safe_load((folder / "dashboards" / "ragstone.yml").read_text("utf-8"))["providers"]
    assert mounts["./deploy/grafana/ragstone.json"] == f"{provider['options']['path']}/ragstone.json"
    [source] = yaml.safe_load((folder / "datasources" / "prometheus.yml").read_text("utf-8"))["datasources"]
    assert (source["type"], source["isDefault"]) == ("prometheus", True)
    name, port = source["url"].removeprefix("http://").split(":")
    assert stack[name]["image"].startswith("prom/prometheus")
    assert port == "9090"


def test_each_panel_asks_the_provisioned_source_for_labels_that_its_metrics_keep() -> None:
    board = json.loads((DEPLOY / "grafana" / "ragstone.json").read_text("utf-8"))
    [variable] = board["templating"]["list"]
    assert (variable["type"], variable["query"]) == ("datasource", "prometheus")
    places: list[tuple[int, int]] = []
    for panel in board["panels"]:
        assert panel["datasource"] == {"type": "prometheus", "uid": f"${{{variable['name']}}}"}
        place = panel["gridPos"]
        places += [(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])]
        for target in panel["targets"]:
            kept = set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", expand(target["expr"])))))
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= kept, panel["title"]
    assert len(places) == sum(
        panel["gridPos"]["w"] * panel["gridPos"]["h"] for panel in board["panels"]
    )  # none overlap
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def expand(expression: str) -> str:
    """An expression, or that of the rule that it names."""
    return next((rule["expr"] for rule in read_rules() if rule.get("record") == expression), expression)


@needs_prometheus
def test_prometheus_scrapes_a_server_and_answers_every_expression(kept: Kept, tmp_path: Path) -> None:
    subprocess.run(["promtool", "check", "rules", RULES], check=True, capture_output=True, timeout=HANG)
    with serve_program("--store", kept.settings.store) as server:
        for _ in range(2):
            httpx2.post(f"{server.url}/v1/ask", json={"query": QUESTION}, timeout=HANG).raise_for_status()
        page = httpx2.get(f"{server.url}/metrics", timeout=HANG).text
        checked = ["promtool", "check", "metrics"]
        subprocess.run(checked, input=page, text=True, check=True, capture_output=True, timeout=HANG)
        config = (DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8")
        config = config.replace("localhost:8080", server.url.removeprefix("http://")).replace("15s", "1s")
        (tmp_path / "prometheus.yml").write_text(config, "utf-8")
        shutil.copy(RULES, tmp_path)
        _ask_prometheus(tmp_path)


def _ask_prometheus(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    options = (f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data")
    process = subprocess.Popen(
        ["prometheus", *options, f"--web.listen-address={address}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with httpx2.Client(base_url=f"http://{address}/api/v1", timeout=HANG) as client:

            def query(expression: str) -> list[object] | None:
                try:
                    reply = client.get("/query", params={"query": expression}).json()
                except (httpx2.TransportError, ValueError):  # it is still starting
                    return None
                assert reply["status"] == "success", (expression, reply)
                found: list[object] = reply["data"]["result"]
                return found

            assert until(lambda: query('ragstone_queries_total{verb="ask"} > 1'))
            for expression in list_expressions():
                assert query(expression) is not None
    finally:
        process.terminate()
        process.wait(HANG)
