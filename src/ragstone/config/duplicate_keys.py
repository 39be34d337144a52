"""A key that stands twice in a YAML mapping: the parser would keep the last one without a word."""

from typing import Any


def find_duplicate_key(root: Any) -> Any | None:
    """The first key node, in the order of the text, that comes again in its mapping; None when there is none.

    `root` is what `yaml.compose` gives. Nothing of yaml is imported: most runs have no such file to read.
    """
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        kind = getattr(node, "id", "")
        if id(node) in seen or kind not in ("sequence", "mapping"):
            continue
        seen.add(id(node))  # an alias: what it names is looked at once
        if kind == "sequence":
            todo += reversed(node.value)
            continue
        keys = set[str]()
        for key, value in node.value:
            if key.id == "scalar" and key.value in keys:
                return key
            keys.add(str(key.value))
            todo.append(value)
    return None
