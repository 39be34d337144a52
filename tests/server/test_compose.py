"""The image and the stack of `compose.yaml`, as far as they can be tried without a container."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragstone.stores import migrate_store
from tests.commands import Run
from tests.patience import HANG, until
from tests.server.conftest import Kept, serve_program
from tests.stores.postgres import server as postgres
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import Server

__all__ = ["server"]
ROOT = Path(__file__).parents[2]
STACK: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = STACK["services"]
IMAGE = [
    line.split(maxsplit=1)
    for line in (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    if line.strip() and not line.startswith("#")
]


def list_arguments(word: str) -> list[str]:
    """What stands after each instruction of the image with this name."""
    return [rest for name, rest in IMAGE if name == word]


def test_the_image_is_built_from_what_is_there_and_runs_as_nobody_special() -> None:
    copied = [line.split() for line in list_arguments("COPY") if "--from" not in line]
    sources = {source for words in copied for source in words[:-1]}
    assert all((ROOT / source).exists() for source in sources)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {"pyproject.toml", "src", project["readme"], *project["license-files"]} <= sources
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert sources <= let_in
    [extras] = re.findall(r'"\.\[(.+?)\]"', " ".join(list_arguments("RUN")))
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert list_arguments("USER") == ["10001"]


def test_the_images_command_serves_and_its_check_sees_that_it_is_ready(kept: Kept, run: Run) -> None:
    [[entry], command] = [json.loads(list_arguments(word)[0]) for word in ("ENTRYPOINT", "CMD")]
    assert entry == "ragstone"
    assert run(*command, "--help").status == 0
    [check] = [line.partition("CMD ")[2] for line in list_arguments("HEALTHCHECK")]
    program, *arguments = json.loads(check)
    assert program == "python"
    with serve_program("--store", kept.folder / "store") as served:
        asked = [word.replace("127.0.0.1:8080", f"127.0.0.1:{served.port}") for word in arguments]

        def is_healthy() -> bool:
            done = subprocess.run([sys.executable, *asked], check=False, capture_output=True, timeout=HANG)
            return done.returncode == 0

        until(is_healthy)
        assert served.stop() == 0
        assert not is_healthy()


def test_the_images_settings_are_known(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given = dict(word.partition("=")[::2] for line in list_arguments("ENV") for word in shlex.split(line))
    for service in SERVICES.values():
        given |= service.get("environment", {})
    for name, value in given.items():
        if name.startswith("RAGSTONE_") and name not in ("RAGSTONE_DB_PASSWORD", "RAGSTONE_STORE"):
            monkeypatch.setenv(name, value)
    done = run("config", "show")
    assert done.status == 0
    assert "0.0.0.0" in done.out
    assert "120" in done.out


def test_services_depend_on_what_there_is() -> None:
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in SERVICES, name
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other]
            else:
                assert how["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"].startswith("on-failure")
            assert not SERVICES[other].get("profiles") or service.get("profiles")
    assert {"postgres", "migrate", "ragstone", "prometheus", "node-exporter", "grafana"} <= set(SERVICES)


def test_mounted_files_exist_and_ports_are_for_this_machine() -> None:
    volumes = [volume for service in SERVICES.values() for volume in service.get("volumes", [])]
    for source in (volume.partition(":")[0] for volume in volumes):
        assert source in STACK["volumes"] or source == "/" or (ROOT / source).exists(), source
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_each_variable_is_in_the_example_of_the_environment() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    example = (ROOT / ".env.example").read_text("utf-8")
    known = {line.partition("=")[0] for line in example.splitlines() if "=" in line and not line.startswith("#")}
    assert set(re.findall(r"\$\{(\w+)", text)) == known
    assert not re.search(r"PASSWORD=\S", example)


def test_files_of_other_programs_are_well_formed() -> None:
    for file in [*(ROOT / "deploy" / "compose").glob("*.yml"), *(ROOT / "deploy" / "grafana").rglob("*.yml")]:
        assert yaml.safe_load(file.read_text("utf-8"))
    scraping = yaml.safe_load((ROOT / "deploy" / "compose" / "prometheus.yml").read_text("utf-8"))
    targets = [one["targets"][0] for job in scraping["scrape_configs"] for one in job["static_configs"]]
    assert {target.partition(":")[0] for target in targets} <= set(SERVICES)
    subprocess.run(["sh", "-n", ROOT / "deploy" / "compose" / "up.sh"], check=True)


def test_without_docker_it_says_what_is_missing(tmp_path: Path) -> None:
    script = ROOT / "deploy" / "compose" / "up.sh"
    about = {"PATH": str(tmp_path)}
    for name in ("dirname", "sh"):
        found = subprocess.run(["which", name], check=True, capture_output=True, text=True).stdout.strip()
        (tmp_path / name).symlink_to(found)
    done = subprocess.run([tmp_path / "sh", script], check=False, capture_output=True, text=True, env=about)
    assert done.returncode == 1
    assert "Docker with its plugin compose is needed" in done.stderr


# It notes its arguments; a service is healthy when it is asked for the second time.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.calls"
case $* in
  *Health*) [ "$(grep -c "Health.* ${7}$" "$0.calls")" -lt 2 ] && echo starting || echo healthy ;;
esac
"""


def test_make_dev_makes_passwords_and_waits_for_each_service_that_has_a_check(tmp_path: Path) -> None:
    (tmp_path / "deploy" / "compose").mkdir(parents=True)
    script = shutil.copy(ROOT / "deploy" / "compose" / "up.sh", tmp_path / "deploy" / "compose")
    shutil.copy(ROOT / ".env.example", tmp_path)
    (tmp_path / "bin").mkdir()
    docker = tmp_path / "bin" / "docker"
    docker.write_text(DOCKER, "utf-8")
    docker.chmod(0o755)
    path = f"{docker.parent}:{os.environ['PATH']}"
    subprocess.run(["sh", script], check=True, capture_output=True, env={"PATH": path}, timeout=HANG)
    calls = Path(f"{docker}.calls").read_text("utf-8").splitlines()
    assert "compose --profile monitoring up --build --detach" in calls
    waited = [call.rpartition(" ")[2] for call in calls if "Health" in call]
    checked = {name for name, service in SERVICES.items() if "healthcheck" in service} - {"postgres"}
    assert set(waited) == checked | {"ragstone"}  # whose check is in its image; compose waits for postgres itself
    assert all(waited.count(name) == 2 for name in waited)
    made = dict(line.split("=") for line in (tmp_path / ".env").read_text("utf-8").splitlines() if "PASSWORD=" in line)
    assert all(len(password) == 32 for password in made.values())
    assert len(set(made.values())) == len(made)


def test_the_role_of_the_server_reads_and_writes_and_is_held_to_its_tenant(server: Server, run: Run) -> None:
    password = "letters0"
    with server.database(template=None) as name:
        about = {**os.environ, "RAGSTONE_DB_PASSWORD": password, "PGPASSWORD": postgres.PASSWORD}
        url = re.sub(r"/[^/]*$", f"/{name}", server.superuser)
        file = ROOT / "deploy" / "compose" / "role.sql"
        psql: list[str | Path] = [postgres._binaries() / "psql", "-v", "ON_ERROR_STOP=1", "-q", "-f", file, url]
        try:
            subprocess.run(psql, check=True, capture_output=True, env=about, timeout=HANG)
            asyncio.run(migrate_store(url))
            store = server.url(name, "ragstone", password)
            made = run(
                "ingest", ROOT / "demo" / "docs" / "prometheus" / "practices", "--store", store, "--embedder", "none"
            )
            assert made.status == 0, made.err
            assert "rules.md" in run("search", "aggregate a ratio", "--store", store, "--mode", "keyword").out
            assert run("keys", "create", "--name", "n", "--role", "admin", "--store", url).status == 0
            look = "SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = 'ragstone'"
            assert server.run(look) == [(False,)]
        finally:
            server.run("REVOKE ragstone_write FROM ragstone")
            server.run("DROP ROLE ragstone")


def test_the_trial_of_the_containers_is_skipped_with_a_sentence_where_podman_is_missing(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "deploy" / "try_containers.py")]
    done = subprocess.run(
        script, capture_output=True, text=True, check=False, env={"PATH": str(tmp_path)}, timeout=HANG
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "skipped: podman and debootstrap and tar are not installed\n"
