"""A package imports packages of lower layers and itself; files and functions stay short enough to read."""

from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "ragstone"
LAYERS = (
    {"core"},
    {"config", "guard"},
    {"access", "providers", "extraction", "chunking", "stores"},
    {"ingestion", "retrieval"},
    {"answering"},
    {"engine"},
    {"evaluation", "testing"},
    {"cli", "server", "mcp"},
)
LAYER = {package: number for number, packages in enumerate(LAYERS, 1) for package in packages}
ROOT = {"__init__", "__main__"}
FILES = sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    """The package, or the module of the root, that a file belongs to."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def test_the_root_holds_packages_alone() -> None:
    assert {package_of(path) for path in FILES} <= set(LAYER) | ROOT
