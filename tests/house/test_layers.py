"""A package imports packages of lower layers and itself; files and functions stay short enough to read."""

import ast

import pytest

from tests.house.imports import FILES, LAYER, SOURCE, list_nodes, module_of, package_of, read_imports

ROOT = {"__init__", "__main__"}
LONGEST_FILE = 300
LONGEST_FUNCTION = 50


def find_wrong_imports(here: str, imported: set[str]) -> list[str]:
    """The packages among `imported` that a package must not import: those of its own layer and above."""
    return sorted(there for there in imported - {here} if LAYER.get(there, 99) >= LAYER[here])


def test_the_root_holds_packages_alone() -> None:
    assert {package_of(path) for path in FILES} <= set(LAYER) | ROOT


def test_a_package_imports_lower_layers_and_itself() -> None:
    wrong = []
    for path in FILES:
        if (here := package_of(path)) not in ROOT:
            imported = {[*module.split("."), "the root"][1] for module in read_imports(path)}
            wrong += [f"{path.relative_to(SOURCE)} imports {there}" for there in find_wrong_imports(here, imported)]
    assert wrong == []


@pytest.mark.parametrize(
    ("here", "there", "wrong"),
    [
        ("core", "config", ["config"]),
        ("config", "guard", ["guard"]),
        ("answering", "retrieval", []),
        ("retrieval", "ingestion", ["ingestion"]),
        ("cli", "the root", ["the root"]),
    ],
)
def test_imports_upwards_and_sideways_are_seen(here: str, there: str, wrong: list[str]) -> None:
    assert find_wrong_imports(here, {here, there}) == wrong


def test_no_file_is_too_long() -> None:
    lines = {str(path.relative_to(SOURCE)): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    lines = {
        f"{path.relative_to(SOURCE)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in FILES
        for node in list_nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: count for name, count in lines.items() if count > LONGEST_FUNCTION} == {}


def find_circles(arrows: dict[str, set[str]]) -> list[str]:
    """The names that import themselves by way of others."""
    out = []
    for start in arrows:
        reached: set[str] = set()
        todo = list(arrows[start])
        while todo:
            if (name := todo.pop()) not in reached:
                reached.add(name)
                todo += arrows.get(name, ())
        out += [start] * (start in reached)
    return out


def test_a_circle_is_seen() -> None:
    assert find_circles({"pdf": {"image", "record"}, "image": {"tables"}, "tables": {"pdf"}}) == [
        "pdf",
        "image",
        "tables",
    ]
    assert find_circles({"pdf": {"image", "record"}, "image": {"record"}}) == []


@pytest.mark.parametrize("depth", [2, 9], ids=["folders and modules of a package", "modules"])
def test_nothing_imports_in_a_circle(depth: int) -> None:
    """Neither `extraction.pdf` and `extraction.image` nor two modules do; an import inside a function counts too."""
    arrows: dict[str, set[str]] = {}
    for path in FILES:
        here = ".".join(module_of(path).split(".")[1 : depth + 1])
        there = {".".join(module.split(".")[1 : depth + 1]) for module in read_imports(path)}
        arrows.setdefault(here, set()).update(there - {here})
    assert find_circles(arrows) == []
