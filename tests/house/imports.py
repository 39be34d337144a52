"""Packages and the packages that they import; `python -m tests.house.imports` prints the table of the layout page."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "ragstone"
FILES = sorted(SOURCE.rglob("*.py"))
LAYERS = (
    {"core"},
    {"config", "guard"},
    {"access", "providers", "extraction", "chunking", "stores"},
    {"ingestion", "retrieval"},
    {"answering"},
    {"engine"},
    {"evaluation", "testing"},
    {"server", "mcp"},
    {"cli"},
)
LAYER = {package: number for number, packages in enumerate(LAYERS, 1) for package in packages}


def module_of(path: Path) -> str:
    """The module that a file is: `ragstone.stores.bm25`."""
    return ".".join(("ragstone", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def parse_file(path: Path) -> ast.Module:
    """The syntax tree of a file, which several laws look at."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def list_nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's tree, from the outermost in."""
    return tuple(ast.walk(parse_file(path)))


MODULES = {module_of(path) for path in FILES}


def package_of(path: Path) -> str:
    """The package, or the module of the root, that a file belongs to."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def read_imports(path: Path) -> Iterator[str]:
    """The modules of Ragstone that a file imports, wherever in the file: `ragstone.stores.bm25`."""
    for node in list_nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ragstone":
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "ragstone")


def read_arrows() -> dict[str, set[str]]:
    """Each package and module of the root, with the packages that it imports."""
    arrows: dict[str, set[str]] = {package_of(path): set() for path in FILES}
    for path in FILES:
        there = {module.split(".")[1] for module in read_imports(path) if "." in module}
        arrows[package_of(path)] |= there - {package_of(path)}
    return arrows


def draw_table() -> str:
    """The packages with their layers and arrows, as rows of Markdown."""
    rows = ["| layer | package | imports |", "|---|---|---|"]
    arrows = read_arrows()
    for package in sorted(arrows, key=lambda name: (LAYER.get(name, 99), name)):
        there = sorted(arrows[package], key=lambda name: (LAYER[name], name))
        listed = ", ".join(f"`{name}`" for name in there) or "–"
        rows.append(f"| {LAYER.get(package, 'root')} | `{package}` | {listed} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(draw_table())
    print(f"\n{len(read_arrows())} at the root, {sum(map(len, read_arrows().values()))} arrows")
