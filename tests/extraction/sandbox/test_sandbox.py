"""Parsers out of process: what they make comes back whole, what they do stays there, nothing of them remains."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused, UsageError
from ragstone.extraction import sandbox
from ragstone.extraction.sandbox import Bounds, child, messages, pool, refusals
from ragstone.extraction.sandbox.pool import Pool
from tests import readers
from tests.extraction.sandbox import hostile
from tests.patience import HANG, until
from tests.processes import gone

ROOT = Path(__file__).parents[3]
HERE = hostile.HERE
ALLOWED = Bounds(cpu_seconds=30, wall_seconds=HANG, memory_bytes=1_000_000_000, output_bytes=1_000_000)
PROC = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are looked for in /proc")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="what Linux offers")


@pytest.fixture(autouse=True)
def _readers() -> Iterator[None]:
    """No process outlives a test; none comes from another one's."""
    readers.end_all()
    yield
    sandbox.stop()
    assert zombies_and_children() == []


def zombies_and_children() -> list[str]:
    """The children of this process, however dead."""
    found: list[str] = []
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            for pid in (task / "children").read_text().split():
                with suppress(OSError):
                    line = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
                    found += [line] if "sandbox" in line or not line else []
    return found


def told(file: Path) -> str:
    """What a parser writes into a file when it is at work."""
    return until(lambda: file.is_file() and file.read_text()) or ""


def run(name: str, data: bytes = b"text", *, bounds: Bounds = ALLOWED, **options: Any) -> Any:
    """The meta of what a hostile parser makes."""
    return sandbox.get_shared().run(f"{HERE}:{name}", data, path="a.x", options=options, bounds=bounds).meta


def refused(name: str, *, bounds: Bounds = ALLOWED, **options: Any) -> tuple[str, str]:
    """Reason and sentence; the next document is read nonetheless."""
    with pytest.raises(Refused) as caught:
        run(name, bounds=bounds, **options)
    assert caught.value.__cause__ is None
    message = str(caught.value)
    assert len(message) < 1500
    assert "Traceback" not in message
    assert run("reads")["path"] == "a.x"
    return caught.value.reason, message


def test_what_a_parser_makes_comes_back_as_it_was_made() -> None:
    got = sandbox.get_shared().run(
        f"{HERE}:reads", "naïve".encode(), path="ü.x", options={"a": [1, "b", None]}, bounds=ALLOWED
    )
    assert got == hostile.made("naïve", path="ü.x", options={"a": [1, "b", None]}, pid=got.meta["pid"])
    assert got.meta["pid"] != os.getpid()


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(text: str) -> None:
    assert sandbox.get_shared().run(f"{HERE}:reads", text.encode(), path="a", bounds=ALLOWED).record == text


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 5_000_000])
def test_documents_of_every_size_go_and_come(size: int) -> None:
    data = b"x" * size
    got = sandbox.get_shared().run(f"{HERE}:reads", data, path="a", bounds=Bounds(output_bytes=20_000_000))
    assert got.record == data.decode()


def test_a_name_that_is_no_text_is_read_all_the_same() -> None:
    path = os.fsdecode(b"caf\xe9.x")
    assert sandbox.get_shared().run(f"{HERE}:reads", b"x", path=path, bounds=ALLOWED).record == "x"
    with pytest.raises(Refused, match="SIGABRT") as caught:
        sandbox.get_shared().run(f"{HERE}:aborts", b"x", path=path, bounds=ALLOWED)
    assert str(caught.value).startswith(path)


def test_one_process_reads_one_document_after_another() -> None:
    assert len({run("reads")["pid"] for _ in range(10)}) == 1


def test_a_refusal_travels_with_reason_and_sentence() -> None:
    assert refused("refuses") == ("encrypted", "a.x is locked; save it without a password")
    pid = run("reads")["pid"]
    refused("refuses")
    assert run("reads")["pid"] == pid


def test_a_refusal_that_is_none_of_ours_is_made_presentable() -> None:
    reason, message = refused("refuses_oddly")
    assert reason == "broken"
    assert message.startswith("?xxx")
    assert len(message) == refusals.SENTENCE


def test_an_endless_loop_ends_at_the_limit_of_processor_time() -> None:
    reason, message = refused("loops", bounds=Bounds(cpu_seconds=1, wall_seconds=HANG))
    assert reason == "too_slow"
    assert message == "a.x took more than 1 seconds of processor time; split it, or raise limits.seconds"


def test_processor_time_is_counted_for_each_document() -> None:
    pids = [run("reads")["pid"]]  # what is imported for it belongs to no document of those that are counted
    bounds = Bounds(cpu_seconds=2, wall_seconds=HANG)
    pids += [run("works", bounds=bounds, seconds=0.7)["pid"] for _ in range(5)]
    assert len(set(pids)) == 1


@pytest.mark.parametrize("name", ["sleeps", "loops_natively"])
def test_waiting_for_ever_ends_at_the_limit_of_time(name: str, tmp_path: Path) -> None:
    run("reads")
    reason, message = refused(name, bounds=Bounds(wall_seconds=0.5), tell=str(tmp_path / "pid"))
    assert (reason, "not read within 0.5 seconds" in message) == ("too_slow", True)


@LINUX
def test_memory_is_limited() -> None:
    bounds = Bounds(memory_bytes=400_000_000)
    reason, message = refused("allocates", bounds=bounds)
    assert reason == "too_big"
    assert message == "a.x needs more than the 400 MB of memory allowed; split it, or raise limits.memory_bytes"


def test_a_library_that_ends_for_want_of_memory_is_understood() -> None:
    assert refused("allocates_at_once")[0] == "too_big"
    assert refused("is_killed")[0] == "too_big"


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("crashes", "was ended by SIGSEGV"),
        ("aborts", "was ended by SIGABRT"),
        ("leaves", "ended with status 0"),
        ("exits", "SystemExit"),
        ("recurses", "RecursionError"),
        ("gives_nothing", "NoneType"),
        ("gives_halves", "UnicodeEncodeError"),
        ("gives_things", "TypeError"),
        ("closes", "closed its pipes"),
        ("shouts", "invalid data"),
        ("shouts_an_answer", "invalid data"),
    ],
)
def test_a_parser_that_breaks_costs_one_document(name: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only one that hangs up and lives on is not waited for; a busy machine may take its time to bury the others.
    monkeypatch.setattr(pool, "EXIT_PATIENCE", 0.5 if name == "closes" else HANG)
    reason, message = refused(name)
    assert reason == "broken"
    assert how in message


@pytest.mark.parametrize("kind", sorted(hostile.KINDS))
def test_odd_exceptions_are_told_by_their_name_alone(kind: str) -> None:
    reason, message = refused("raises", kind=kind)
    assert reason == "broken"
    assert "secret" not in message
    assert message.isprintable()


def test_what_a_parser_prints_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("prints")["path"] == "a.x"
    assert capfd.readouterr() == ("", "")


def test_output_is_limited_on_both_sides() -> None:
    bounds = Bounds(output_bytes=1000)
    reason, message = refused("swells", bounds=bounds, characters=1000)
    assert reason == "too_large"
    assert message.endswith("split it")
    assert run("swells", bounds=bounds, characters=100)
    talk = child._Exchange([], number=7, most=10)
    with pytest.raises(child.FloodError):
        talk.receive(messages.ANSWER.pack(b"m", False, 7, 11))


def test_a_parser_that_is_not_there_is_told() -> None:
    assert refused("none")[0] == "unsupported"
    with pytest.raises(Refused, match="No module named") as caught:
        sandbox.get_shared().run("nowhere.at_all:parse", b"x", path="a.x", bounds=ALLOWED)
    assert caught.value.reason == "unsupported"


@PROC
@LINUX
def test_a_parser_finds_neither_network_nor_files_nor_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        found = run("looks_around", folder=str(tmp_path))
    assert found["network"] is False
    # Nothing twice, stderr, requests, answers, the lifeline, the listing itself.
    assert found["files"][:5] == [0, 1, 2, 3, 4]
    assert len(found["files"]) == 7
    assert "API_KEY" not in found["environment"]
    assert found["folder"] == "/"
    assert found["group"]
    assert found["written"] <= 8_000_000
    assert found["stdin"] == ""


def test_bounds_grow_with_the_document() -> None:
    bounds = Bounds(cpu_seconds=10, wall_seconds=30, cpu_seconds_per_mb=5)
    assert bounds.for_size(0) == Bounds(cpu_seconds=10, wall_seconds=30, cpu_seconds_per_mb=0)
    assert bounds.for_size(4_000_000) == Bounds(cpu_seconds=30, wall_seconds=90, cpu_seconds_per_mb=0)
    for wrong in ({"cpu_seconds": 0}, {"wall_seconds": -1}, {"memory_bytes": -1}, {"cpu_seconds": float("nan")}):
        with pytest.raises(UsageError):
            Bounds(**wrong)


def test_a_process_that_keeps_too_much_is_replaced() -> None:
    bounds = Bounds(memory_bytes=600_000_000)
    first = run("leaks", bounds=bounds, bytes=1_000_000)["pid"]
    assert run("leaks", bounds=bounds, bytes=200_000_000)["pid"] == first
    assert run("reads", bounds=bounds)["pid"] != first


def test_a_process_is_replaced_after_many_documents() -> None:
    pids = [run("reads")["pid"] for _ in range(202)]
    assert len(set(pids)) == 2
    assert pids[199] != pids[200]


def test_many_threads_share_a_few_processes() -> None:
    shared = Pool(3)

    def read(i: int) -> tuple[int, str]:
        text = f"{i}" * (1 + i % 50 * 2000)
        options: dict[str, object] = {"seconds": i % 3 / 100}
        got = shared.run(f"{HERE}:slow_reads", text.encode(), path=f"{i}", options=options, bounds=ALLOWED)
        assert (got.record, got.meta["path"]) == (text, f"{i}")
        return got.meta["pid"], got.meta["path"]

    try:
        with ThreadPoolExecutor(8) as threads:
            got = list(threads.map(read, range(100)))
    finally:
        shared.stop()
    assert 1 < len({pid for pid, _ in got}) <= 3


def test_crashes_in_one_thread_do_not_disturb_another() -> None:
    shared = Pool(3)

    def read(i: int) -> str:
        name = ("reads", "crashes", "reads", "raises")[i % 4]
        try:
            return shared.run(
                f"{HERE}:{name}", b"x", path=f"{i}", options={"kind": "ValueError"}, bounds=ALLOWED
            ).record
        except Refused as error:
            return error.reason

    try:
        with ThreadPoolExecutor(6) as threads:
            assert list(threads.map(read, range(12))) == ["x", "broken", "x", "broken"] * 3
    finally:
        shared.stop()


def test_a_process_that_died_idle_is_replaced() -> None:
    pid = run("reads")["pid"]
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    assert run("reads")["pid"] != pid


@PROC
def test_closing_ends_what_is_idle_and_later_what_is_at_work() -> None:
    idle = run("reads")["pid"]
    sandbox.close()
    assert not Path(f"/proc/{idle}").exists()
    with ThreadPoolExecutor(1) as thread:
        later = thread.submit(run, "slow_reads", seconds=0.5)
        while not pool.default_pool()._children.list_all():
            time.sleep(0.01)
        sandbox.close()
        at_work = later.result()["pid"]
    assert not Path(f"/proc/{at_work}").exists()


@PROC
def test_stopping_ends_what_is_at_work_and_who_waits_behind(tmp_path: Path) -> None:
    shared = Pool(1)
    file = tmp_path / "pid"

    def read() -> str:
        with pytest.raises(Refused) as caught:
            shared.run(f"{HERE}:sleeps", b"x", path="a.x", options={"tell": str(file)}, bounds=ALLOWED)
        return str(caught.value)

    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(read) for _ in range(3)]
        pid = int(told(file))
        shared.stop()
        assert {one.result() for one in waiting} == {"a.x was not read: the run was stopped"}
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(Refused, match="the run was stopped"):
        shared.run(f"{HERE}:reads", b"x", path="a", bounds=ALLOWED)


@PROC
def test_an_interrupt_ends_the_process_at_work(tmp_path: Path) -> None:
    file = tmp_path / "pid"

    def interrupt() -> None:
        told(file)
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Thread(target=interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run("sleeps", tell=str(file))
    timer.join()
    assert not Path(f"/proc/{told(file)}").exists()


@PROC
@LINUX
def test_what_a_parser_starts_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    for seconds in (3, 30, HANG):  # until it comes so far within its time
        assert refused("starts_others", bounds=Bounds(wall_seconds=seconds), tell=str(file))[0] == "too_slow"
        if file.exists():
            break
    parser, other = map(int, told(file).split())
    assert gone(parser)
    assert gone(other)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from ragstone.extraction.sandbox import get_shared
run = get_shared().run
run("tests.extraction.sandbox.hostile:reads", b"x", path="a")
run("tests.extraction.sandbox.hostile:" + sys.argv[2], b"x", path="a", options={"tell": sys.argv[3]})
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Callable[[str, Path], "subprocess.Popen[bytes]"]]:
    """Starts a program that reads a document with a hostile parser."""
    made: list[subprocess.Popen[bytes]] = []

    def start(name: str, file: Path) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", SCRIPT, str(ROOT), name, str(file)]
        environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        made.append(subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, env=environment))
        return made[-1]

    yield start
    for process in made:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


def test_a_signal_for_what_was_written_ends_no_process(tmp_path: Path) -> None:
    """The kernel may tell a process of a request that it has read already: one of a hundred documents was refused."""
    told_file, go = tmp_path / "pid", tmp_path / "go"
    one = child.Child()
    try:
        one.await_greeting(seconds=HANG)
        options = {"tell": str(told_file), "until": str(go)}
        request = messages.Request(1, f"{HERE}:waits", "a.x", options, 4, 30, HANG, 1_000_000_000, 1_000_000)
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(one.ask, request, b"text", most=1_000_000)
            assert told(told_file)
            os.write(one._to, b"x")
            go.touch()
            assert answer.result(HANG)[0] == messages.MADE
    finally:
        one.end()
        one.close()


@PROC
@LINUX
@pytest.mark.parametrize("name", ["sleeps", "holds_natively", "starts_others"])
def test_a_process_at_work_ends_when_its_parent_is_killed(
    script: Callable[[str, Path], "subprocess.Popen[bytes]"], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "pid"
    process = script(name, file)
    pids = [int(pid) for pid in told(file).split()]
    assert Path(f"/proc/{pids[0]}").exists()
    process.kill()
    process.wait()
    assert [gone(pid) for pid in pids] == [True] * len(pids)


@PROC
def test_an_interrupted_program_leaves_no_process(
    script: Callable[[str, Path], "subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    process = script("sleeps", file)
    pid = int(told(file))
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=HANG)
    assert not Path(f"/proc/{pid}").exists()
    assert said.rstrip().endswith(b"KeyboardInterrupt")


@PROC
def test_an_idle_process_ends_with_its_program(tmp_path: Path) -> None:
    code = SCRIPT.replace("run(", "print(run(", 1).replace('path="a")', 'path="a").meta["pid"])', 1)
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), "reads", ""],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stderr == b""
    assert not Path(f"/proc/{int(done.stdout)}").exists()


@LINUX
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_leaves_our_children_alone() -> None:
    pid = run("reads")["pid"]
    fork = os.fork()
    if not fork:
        other = 1
        with suppress(BaseException):
            other = 0 if run("reads")["pid"] != pid else 2
            sandbox.stop()
        os._exit(other)
    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    assert run("reads")["pid"] == pid


@pytest.mark.parametrize("executable", ["/nowhere/python", "/bin/false", "", None])
def test_where_no_process_can_be_started_nothing_is_read(
    monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(Refused, match="convert it to Markdown") as caught:
        run("reads")
    assert caught.value.reason == "sandbox"


@pytest.mark.parametrize(
    ("module", "fails"), [("resource", ImportError("no limits here")), ("msgspec", RuntimeError("half installed"))]
)
def test_where_limits_cannot_be_set_or_no_process_comes_up_nothing_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, fails: Exception
) -> None:
    (tmp_path / f"{module}.py").write_text(f"raise {fails!r}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Refused, match=str(fails)) as caught:
        run("reads")
    assert caught.value.reason == "sandbox"


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"m", b"f", b"r", b"x"]))
def test_no_answer_does_more_than_be_refused(answer: bytes, kind: bytes) -> None:
    with pytest.raises(Refused):
        pool._unpack_answer(kind, bytearray(answer), "a.x", ALLOWED)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=5))
def test_a_damaged_answer_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    answer = bytearray(messages.pack_message(hostile.made("text" * 10)))
    for at, value in changes:
        answer[at % len(answer)] = value
    with suppress(Refused):
        assert pool._unpack_answer(b"m", answer, "a.x", ALLOWED).blocks is not None


def test_nesting_without_end_is_refused() -> None:
    head = messages.pack_message({"record": "", "blocks": [], "media_type": "", "meta": {}})
    with pytest.raises(Refused):
        pool._unpack_answer(b"m", bytearray(head[:-1] + b"\x81\xa1a" + b"\x91" * 1_000_000 + b"\xc0"), "a.x", ALLOWED)


def test_the_status_of_too_much_memory_is_the_same_on_both_sides() -> None:
    limits = pytest.importorskip("ragstone.extraction.sandbox.child_process_limits")
    assert limits.EXHAUSTED == refusals.EXHAUSTED
    assert refusals.explain_exit("a", ALLOWED, refusals.EXHAUSTED, b"").reason == "too_big"


WATCHED = """
import os, sys, threading
from ragstone.extraction.sandbox import child_process_limits as limits
limits.document_limits["memory"] = int(sys.argv[1])
parent = os.getppid() if sys.argv[2] == "here" else 1234567
threading.Thread(target=limits.watch_parent, args=(parent,), daemon=True).start()
kept = [b"x" * 1_000_000 for _ in range(200)]
threading.Event().wait(float(sys.argv[3]))
os._exit(5)
"""


@pytest.mark.parametrize(("most", "parent", "status"), [(100_000_000, "here", 77), (10**9, "here", 5), (10**9, "", 0)])
def test_where_the_kernel_does_not_watch_a_thread_does(most: int, parent: str, status: int) -> None:
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    seconds = "1" if status == 5 else str(HANG)  # by itself it ends only where nothing else should end it
    done = subprocess.run([sys.executable, "-c", WATCHED, str(most), parent, seconds], check=False, env=environment)
    assert done.returncode == status
