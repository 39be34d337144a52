"""Every package that the source imports is declared: by the project, or by an extra; one extra names all others."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.house.imports import FILES, ROOT, list_nodes

BROUGHT = {  # by another one that is declared
    "anyio": "mcp",
    "loguru": "fastembed",
    "mcp-types": "mcp",
    "psycopg-pool": "psycopg",
    "pydantic": "fastapi",
    "starlette": "fastapi",
}


def list_imported() -> set[str]:
    """The first parts of the names of all modules that are imported anywhere in the source."""
    found = set()
    for file in FILES:
        for node in list_nodes(file):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - {"ragstone", *sys.stdlib_module_names}


def test_every_imported_package_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name, each in extras.items() if name != "check" for one in each)]
    declared = {re.split(r"[\[<>=!~; ]", one)[0].lower().replace("_", "-") for one in wanted}
    homes = packages_distributions()
    lacking = {
        name
        for name in list_imported()
        for home in [{one.lower().replace("_", "-") for one in homes.get(name, [name])}]
        if not home & declared and not any(BROUGHT.get(one) in declared for one in home)
    }
    assert lacking == set()


def test_one_extra_names_all_others_that_are_not_for_developers() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    [named] = [re.fullmatch(r"ragstone\[(.+)\]", one) for one in extras["all"]]
    assert named is not None
    assert named[1].split(",") == sorted(set(extras) - {"all", "check", "test"})
