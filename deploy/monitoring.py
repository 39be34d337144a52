"""Prometheus and node-exporter of `compose.yaml` in containers, and the questions of Grafana's dashboard to them.

Part of `try_containers.py`. Debian's packages stand in for the images of both. Grafana does not run: its dashboard's
expressions are asked at the address that its data source has, and each must give a number.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parent
IMAGE = "localhost/ragstone-try-prometheus"
RULES = DEPLOY / "prometheus" / "rules.yml"
SECONDS = 300.0  # a rule is evaluated every minute, and a rate needs two samples
QUIET = {"ragstone_degraded_total"}  # metrics of things that do not happen in the trial
# As the images that compose.yaml names: the same files, folders and user.
RECIPE = """RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \\
    prometheus prometheus-node-exporter wget && install -d -o nobody /prometheus \\
 && ln -s /usr/bin/prometheus-node-exporter /usr/bin/node_exporter
USER nobody
ENTRYPOINT ["prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
"""
# Run in the container of the server: questions to it, then those of the dashboard to Prometheus.
ASK = """
import json, urllib.parse as p, urllib.request as u
def post(path, body):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer KEY"}
    u.urlopen(u.Request("http://127.0.0.1:8080" + path, json.dumps(body).encode(), headers)).read()
post("/v1/search", {"query": "green tea"})
post("/v1/ask", {"query": "How hot is green tea brewed?"})
post("/v1/ask", {"query": "At how many degrees is green tea brewed?"})
post("/v1/ask", {"query": "Who won the chess tournament of Reykjavik?"})
def get(path, **query):
    return json.load(u.urlopen("SOURCE/api/v1/" + path + "?" + p.urlencode(query)))["data"]
targets = {one["labels"]["job"]: one["health"] + one["lastError"] for one in get("targets")["activeTargets"]}
rules = [rule for group in get("rules")["groups"] for rule in group["rules"]]
found = {asked: [one["value"][1] for one in get("query", query=asked)["result"]] for asked in EXPRESSIONS}
print(json.dumps({"targets": targets, "rules": rules, "found": found}))
"""


def read_source() -> str:
    """The address at which Grafana asks Prometheus."""
    provisioned = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text("utf-8"))
    return str(provisioned["datasources"][0]["url"])


def list_expressions() -> list[str]:
    """Those of the dashboard's panels."""
    board = json.loads((DEPLOY / "grafana" / "ragstone.json").read_text("utf-8"))
    return list(dict.fromkeys(target["expr"] for panel in board["panels"] for target in panel["targets"]))


def watch(execute: Callable[[str], str], key: str) -> None:
    """Ask until all targets are up, all rules were evaluated and all expressions give numbers; `execute` runs a program
    of Python in the server's container. Ends with what is missing after `SECONDS`."""
    expressions = list_expressions()
    program = ASK.replace("KEY", key).replace("SOURCE", read_source()).replace("EXPRESSIONS", repr(expressions))
    end = time.monotonic() + SECONDS
    while missing := list(find_missing(seen := json.loads(execute(program)))):
        if time.monotonic() > end:
            raise SystemExit("\n".join(("of the monitoring is missing:", *missing)))
        time.sleep(5)
    quiet = sum(not values for values in seen["found"].values())
    print(f"prometheus: {', '.join(sorted(seen['targets']))} are up, {len(seen['rules'])} rules are evaluated")
    print(f"dashboard: {len(expressions) - quiet} of {len(expressions)} expressions give numbers", flush=True)


def find_missing(seen: dict[str, Any]) -> Iterator[str]:
    """What Prometheus does not see yet, in sentences."""
    for job, health in seen["targets"].items():
        if health != "up":
            yield f"target {job}: {health}"
    written = [rule for group in yaml.safe_load(RULES.read_text("utf-8"))["groups"] for rule in group["rules"]]
    if len(seen["rules"]) != len(written):
        yield f"{len(seen['rules'])} of {len(written)} rules are loaded"
    for rule in seen["rules"]:
        if rule["health"] != "ok":
            yield f"rule {rule['name']}: {rule['health']} {rule.get('lastError', '')}"
        if rule.get("state", "inactive") != "inactive":
            yield f"alert {rule['name']}: {rule['state']}"
    for expression, values in seen["found"].items():
        if not any(name in expression for name in QUIET) and not any(value != "NaN" for value in values):
            yield f"no number: {expression}"


def wait_for_alert(command: list[str]) -> None:
    """Wait until Prometheus says that the server is down; `command` runs a program in its container."""
    asked = "http://127.0.0.1:9090/api/v1/query?query=ALERTS%7Balertname%3D%22RagstoneDown%22%7D"
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done = subprocess.run([*command, "wget", "-q", "-O", "-", asked], capture_output=True, check=False)
        if done.returncode == 0 and json.loads(done.stdout)["data"]["result"]:
            print("alert: Prometheus sees that the server is down", flush=True)
            return
        time.sleep(5)
    raise SystemExit("Prometheus raises no alert for a server that is down")
