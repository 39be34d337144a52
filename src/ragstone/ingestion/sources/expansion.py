"""The listing of a source with the members of its containers, each judged by the rules of the folder."""

import time
from collections.abc import Callable, Iterable, Iterator

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile
from ragstone.core.records import HIDDEN, Skipped
from ragstone.extraction.containers import UNLISTED, Problem, is_candidate
from ragstone.ingestion.sources.container_notes import NO_CONTAINER, ContainerNotes, Contents
from ragstone.ingestion.sources.ignore_files import is_telling
from ragstone.ingestion.sources.members import BINARY, Members
from ragstone.ingestion.sources.walk import EntryRules

RESOURCE_FORKS = "__MACOSX"  # beside each file that macOS packs
SETTLED = (BINARY, "broken", "too_large")  # reasons that stay until the file or the limits change


def expand(
    files: Iterable[ListedFile | Skipped],
    members: Members,
    notes: ContainerNotes,
    rules: EntryRules,
    real_paths: Callable[[str], str],
) -> Iterator[ListedFile | Skipped]:
    """The files in their order, with the members of those that are containers, each at its own place."""
    notes.begin()
    waiting: list[tuple[str, Iterator[ListedFile | Skipped]]] = []
    for entry in files:
        waiting.sort(key=lambda one: one[0])
        while waiting and waiting[0][0] < entry.path:
            yield from waiting.pop(0)[1]
        if not isinstance(entry, ListedFile) or not is_candidate(entry.path):
            yield entry
            continue
        try:
            contents = _find_contents(entry, members, notes)
        except Refused as error:
            yield Skipped(entry.path, error.reason, str(error))
            continue
        if contents.is_document:
            yield entry
        yield from (Skipped(entry.path, one.reason, one.message) for one in contents.problems if not one.name)
        if contents.members or contents.problems:
            waiting.append((f"{entry.path}/", _list_members(entry, contents, rules, real_paths(entry.path))))
    for _, rest in sorted(waiting, key=lambda one: one[0]):
        yield from rest


def _find_contents(entry: ListedFile, members: Members, notes: ContainerNotes) -> Contents:
    contents = notes.find(entry)
    if contents is None:
        now = time.time_ns()
        try:
            contents = members.list_contents(entry)
        except Refused as error:
            if error.reason not in SETTLED:
                raise
            whole = Contents(problems=(Problem("", error.reason, str(error)),), is_document=False)
            contents = NO_CONTAINER if error.reason == BINARY else whole
        if not any(one.name.endswith(UNLISTED) for one in contents.problems):
            notes.note(entry, contents, now=now)
    return contents


def _list_members(
    entry: ListedFile, contents: Contents, rules: EntryRules, there: str
) -> Iterator[ListedFile | Skipped]:
    """The members that the rules let through, as files; of a folder that they leave out one line."""
    stamp = None if entry.stamp is None else (*entry.stamp[1:3], f"{entry.stamp[3]}:{entry.stamp[0]}")
    judged: dict[str, Skipped | None] = {}
    for problem in contents.problems:
        if problem.name:
            yield Skipped(f"{entry.path}/{problem.name.lstrip(UNLISTED)}", problem.reason, problem.message)
    told: set[str] = set()
    texts = {f"{there}/{name}": text for name, text in contents.ignore_files.items()}
    telling = {f"{there}/{one.name}" for one in contents.members if is_telling(one.name.rpartition("/")[2])}
    with rules.ignore_files.in_archive(texts, telling):
        for member in contents.members:
            why = _judge(entry.path, there, member.name, rules, judged)
            if why is None:
                path = f"{entry.path}/{member.name}"
                known = None if stamp is None else (member.size, *stamp)
                yield ListedFile(path, member.size, known, entry.path, member.enclosing)
            elif why.path not in told:
                told.add(why.path)
                yield why
    if rules.ignore_files.is_spent:
        yield _refuse_rules(entry.path, contents)


def _refuse_rules(path: str, contents: Contents) -> Skipped:
    """One line for rules that were not heeded to the end."""
    name = f"{path}/{next(iter(contents.ignore_files))}"
    few = "its ignore files have too many rules for its files, and the last files were not compared with them"
    return Skipped(name, "too_large", f"{path}: {few}; unpack it, or shorten them")


def _judge(path: str, there: str, name: str, rules: EntryRules, judged: dict[str, Skipped | None]) -> Skipped | None:
    """Why a member is left out: by its own name, or by that of a folder in the container."""
    parts = name.split("/")
    for at in range(1, len(parts) + 1):
        inner, is_folder = "/".join(parts[:at]), at < len(parts)
        if is_folder and inner in judged:
            why = judged[inner]
        elif at == 1 and parts[0] == RESOURCE_FORKS:
            why = Skipped(f"{path}/{inner}/", HIDDEN, f"{path}/{inner} is hidden: macOS keeps its own notes there")
        else:
            why = rules.find_rule(parts[at - 1], f"{path}/{inner}", f"{there}/{inner}", is_folder=is_folder)
        if is_folder:
            judged[inner] = why
        if why is not None:
            return why
    return None
