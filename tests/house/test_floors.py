"""Imports go down the floors, and nobody walks from room to room."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "ragstone"
FLOORS = {
    "types": 0,
    "errors": 0,
    "bounds": 0,
    "arrays": 0,
    "counted": 0,
    "layout": 0,
    "ports": 1,
    "facts": 1,
    "where": 1,
    "ids": 1,
    "trace": 1,
    "deadlines": 1,
    "twice": 1,
    "vendors": 1,
    "globs": 1,
    "lines": 1,
    "near": 1,
    "issuer": 1,
    "spotlight": 1,
    "words": 1,
    "sentences": 1,
    "access": 2,
    "sources": 2,
    "extract": 2,
    "chunk": 2,
    "guard": 2,
    "embed": 2,
    "retrieve": 2,
    "answer": 2,
    "providers": 2,
    "stores": 2,
    "changes": 3,
    "cutting": 3,
    "progress": 3,
    "revise": 3,
    "workers": 3,
    "artifacts": 3,
    "intake": 3,
    "jobs": 3,
    "ingest": 3,
    "fill": 3,
    "reembed": 3,
    "transfer": 3,
    "originals": 3,
    "alike": 3,
    "lacking": 3,
    "desk": 3,
    "legs": 3,
    "ranking": 3,
    "ask": 3,
    "windows": 3,
    "conversation": 3,
    "options": 3,
    "question": 3,
    "reword": 3,
    "recall": 3,
    "outgoing": 3,
    "generate": 3,
    "pen": 3,
    "quoting": 3,
    "reply": 3,
    "explain": 3,
    "merged": 3,
    "panel": 3,
    "pipelinefile": 3,
    "configfile": 3,
    "convert": 3,
    "filevalues": 3,
    "settings": 3,
    "config": 4,
    "gate": 4,
    "entrance": 4,
    "doors": 4,
    "answering": 4,
    "models": 5,
    "pipeline": 5,
    "engine": 5,
    "blocking": 6,
    "evals": 6,
    "testing": 6,
    "__init__": 7,
    "__main__": 9,
    "cli": 8,
}
ROOMS = {name for name, floor in FLOORS.items() if floor == 2} | {"evals", "testing", "cli"}


def imports(path: Path) -> list[str]:
    """The ragstone modules that a file imports, wherever in the file: `stores.bm25`, `types` …"""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "ragstone":
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ragstone."):
            found.append((node.module or "").removeprefix("ragstone."))
        elif isinstance(node, ast.Import):
            found += [a.name.removeprefix("ragstone.") for a in node.names if a.name.startswith("ragstone.")]
    return found


def place(path: Path) -> str:
    """The room or ground-floor file that a file belongs to."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


FILES = sorted(SOURCE.rglob("*.py"))


def test_every_file_has_a_floor() -> None:
    assert {place(path) for path in FILES} == set(FLOORS)


def test_imports_go_down_the_floors() -> None:
    wrong = []
    for path in FILES:
        here = place(path)
        for module in imports(path):
            there = module.split(".")[0]
            same_floor_apart = FLOORS[there] == FLOORS[here] and there != here and FLOORS[here] in (2, 6, 8)
            if FLOORS[there] > FLOORS[here] or same_floor_apart:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_there_are_no_circles_among_files_of_one_floor() -> None:
    edges: dict[str, set[str]] = {}
    for path in FILES:
        if place(path) not in ROOMS:
            edges.setdefault(place(path), set()).update({m.split(".")[0] for m in imports(path)} - {place(path)})
    for start in edges:
        seen: set[str] = set()
        todo = list(edges[start])
        while todo:
            name = todo.pop()
            assert name != start, f"{start} reaches itself"
            if name not in seen:
                seen.add(name)
                todo += edges.get(name, ())


# Whose imports cost time that who only names them need not pay; never to hide a circle.
FOR_CHECKERS = {
    "__init__.py",
    "arrays.py",
    "cli/copy.py",
    "cli/opened.py",
    "cli/reembed.py",
    "providers/wire.py",
}


def test_imports_for_type_checkers_alone_are_few() -> None:
    using = {
        path.relative_to(SOURCE).as_posix() for path in FILES if "TYPE_CHECKING" in path.read_text(encoding="utf-8")
    }
    assert using <= FOR_CHECKERS


def test_only_config_reads_the_environment() -> None:
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in FILES
        if any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "os.getenv", "environb"))
    }
    assert readers == {"config.py"}
