"""Functions are named by verbs, and a name of one word says which function it is."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

from tests.house.imports import FILES, MODULES, SOURCE, list_nodes

MOST_PARTICIPLES = 0.02
MOST_HOMES = 1  # modules that a name of one word is imported bare from
# Participles that do not end in -ed; forms that equal the verb (`put`, `read`, `split`) are left out.
IRREGULAR = frozenset(
    """
    begun bitten blown borne bought bound bred broken brought built burnt caught chosen clung dealt
    done drawn dreamt driven dug eaten fallen fed felt flown forgotten fought found frozen given
    gone got grown heard held hidden hung kept known laid lain learnt led left lent lit lost made
    meant met mistaken mown paid rebuilt remade resent retold rewritten ridden risen said seen sent
    shown shrunk slept sold sought spent spoken stolen stood struck stuck sunk swept sworn taken
    taught thought told torn undone understood withdrawn woken won worn wound woven written
    """.split()
)
NO_PARTICIPLES = frozenset(
    """
    bed bleed breed embed exceed feed heed hundred indeed need proceed seed shed speed succeed weed
    """.split()
)


def is_participle(name: str) -> bool:
    """Whether the first word of a function's name is a past participle: `told`, `_gathered_words`."""
    word = name.strip("_").split("_")[0]
    return (len(word) > 3 and word.endswith("ed") and word not in NO_PARTICIPLES) or word in IRREGULAR


def list_functions() -> Iterator[tuple[str, str]]:
    """File and name of each function and method; `__init__` and its like are Python's."""
    for path in FILES:
        for node in list_nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.endswith("__"):
                yield str(path.relative_to(SOURCE)), node.name


def find_homonyms(imported: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """The names of one word that are imported from several modules, with these modules."""
    homes: dict[str, set[str]] = defaultdict(set)
    for module, name in imported:
        if name.islower() and "_" not in name.strip("_"):
            homes[name].add(module)
    return {name: modules for name, modules in homes.items() if len(modules) > MOST_HOMES}


def list_imported_names() -> Iterator[tuple[str, str]]:
    """Module and name of each function or value that is imported bare; `from … import a as b` counts as `b`."""
    for path in FILES:
        for node in list_nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ragstone":
                for alias in node.names:
                    if f"{node.module}.{alias.name}" not in MODULES:
                        yield str(node.module), alias.asname or alias.name


def test_functions_are_named_by_verbs() -> None:
    functions = list(list_functions())
    named = [f"{file}:{name}" for file, name in functions if is_participle(name)]
    assert len(named) < MOST_PARTICIPLES * len(functions), named


@pytest.mark.parametrize("name", ["told", "_gathered", "shown_hits", "found_json", "reembed"])
def test_a_participle_is_seen(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["embed", "read_page", "_feed", "split", "put", "is_held", "parse_pdf"])
def test_a_verb_is_none(name: str) -> None:
    assert not is_participle(name)


def test_a_bare_name_of_one_word_comes_from_one_module() -> None:
    assert find_homonyms(list_imported_names()) == {}


def test_homonyms_are_seen() -> None:
    imported = [("ragstone.a", "parse"), ("ragstone.b", "parse"), ("ragstone.a", "parse_pdf"), ("ragstone.b", "Parse")]
    assert find_homonyms([*imported, ("ragstone.b", "parse_pdf")]) == {"parse": {"ragstone.a", "ragstone.b"}}


if __name__ == "__main__":
    names = [name for _, name in list_functions()]
    print(f"{sum(map(is_participle, names))} of {len(names)} functions are named by a participle")
