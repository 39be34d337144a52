"""Attacks that further tools publish in their packages: prompts, and documents with an order inside.

Read from the wheels' text, never imported. Rules were made with the sets of LOOKED in sight; of each other one, four
misses were seen once.
"""

import ast
import json
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

MOST = 200  # of a set
LOOKED = frozenset(("weiseer", "nullsec", "agentdojo", "garak, in a report", "garak, in a resume"))
MARK = "\0"  # of a name in an f-string
SUITES = r"data/suites/.*(?<!vectors)\.yaml\Z"
SLOT = re.compile(r"\{\w+_\w+\}")


def list_more(wheels: Path) -> Iterator[tuple[str, bool, list[str]]]:
    """Name, whether it was looked at, and texts of each set."""
    files = Packages(wheels)
    calls = [call for text in files.read("nullsec", "payloads.py") for call in find_calls(text, "Payload")]
    weiseer = [yaml.safe_load(text)["attacks"] for text in files.read("weiseer", "attacks.yaml")]
    upstream = [
        part
        for text in files.read("superred", ".mkd")
        if len(text) < 60_000
        for part in re.split(r"\n#+ [^\n]*\n", text)
    ]
    sets = {
        "weiseer": [one["payload"] for rows in weiseer for one in rows if isinstance(one.get("payload"), str)],
        "nullsec": [join_constants(call.args[0]) for call in calls],
        "hermes": [
            join_constants(word.value).replace("{TARGET}", "how to pick a lock")
            for text in files.read("hermes", "attacks.py")
            for call in find_calls(text, "Attack")
            for word in call.keywords
            if word.arg == "template"
        ],
        "jailbreak corpus": [
            row["prompt"] for text in files.read("jailbreak_corpus", ".json") for row in json.loads(text)
        ],
        "easyjailbreak": [
            one
            for text in files.read("easyjailbreak", "seed_template.json")
            for one in find_strings(json.loads(text)["attack"])
        ],
        "libertas": upstream,
        "bastionprobe": [
            json.loads(line)["text"] for text in files.read("bastionprobe", ".jsonl") for line in text.splitlines()
        ],
        **{f"agentdojo, {name}": texts for name, texts in compose_agentdojo(files)},
        **dict(compose_garak(files)),
    }
    for name, texts in sets.items():
        kept = list(dict.fromkeys(text.strip() for text in texts if len(text.strip()) > 11))
        chosen = random.Random(1).sample(kept, min(MOST, len(kept)))
        yield name, name.split(", ")[0] in LOOKED or name in LOOKED, chosen


class Packages:
    """Texts in the wheels of a folder."""

    def __init__(self, wheels: Path) -> None:
        self.wheels = wheels

    def read(self, package: str, part: str) -> Iterator[str]:
        """The files of a package whose name matches this pattern; nothing if the wheel is missing."""
        for path in sorted(self.wheels.glob(f"{package}*.whl")):
            with zipfile.ZipFile(path) as wheel:
                for name in sorted(wheel.namelist()):
                    if re.search(part, name) and "dist-info" not in name:
                        yield wheel.read(name).decode("utf-8", "replace")


def compose_agentdojo(files: Packages) -> Iterator[tuple[str, list[str]]]:
    """Documents of its suites with each frame around a task that the attacker wants done."""
    goals = sorted({goal for text in files.read("agentdojo-", "injection_tasks.py") for goal in find_goals(text)})
    texts = [re.sub(r"(?m)!include.*$", "null", text) for text in files.read("agentdojo-", SUITES)]
    documents = [
        one for text in texts for one in find_strings(yaml.safe_load(text)) if SLOT.search(one) and len(one) > 30
    ]
    chance = random.Random(7)
    for name, frame in find_frames(files) if goals else ():
        made = []
        for document in documents:
            for goal in chance.sample(goals, 4):
                before, _, after = SLOT.sub(MARK, document).partition(MARK)
                made.append(before + frame.replace("{goal}", goal) + after.replace(MARK, ""))
        yield name, made[:MOST]


def find_frames(files: Packages) -> Iterator[tuple[str, str]]:
    """Each attack's name and what it puts around a task."""
    for text in files.read("agentdojo-", r"attacks/(?:baseline|important_instructions)_attacks\.py\Z"):
        for made in ast.parse(text).body:
            told = ast.get_docstring(made, clean=False) if isinstance(made, ast.ClassDef) else None
            frames = [
                one.value
                for one in ast.walk(made)
                if isinstance(one, ast.Constant)
                and isinstance(one.value, str)
                and "{goal}" in one.value
                and one.value != told
            ]
            if isinstance(made, ast.ClassDef) and frames:
                frame = max(frames, key=len).replace("{user}", "Emma Johnson").replace("{model}", "AI assistant")
                yield made.name.removesuffix("Attack"), frame


def compose_garak(files: Packages) -> Iterator[tuple[str, list[str]]]:
    """Reports and resumes of its probes with an order inside."""
    for text in files.read("garak-", "probes/latentinjection.py"):
        for made in ast.parse(text).body:
            if not isinstance(made, ast.ClassDef) or made.name not in GARAK:
                continue
            lists = {
                one.targets[0].id: [join_constants(part) for part in one.value.elts]
                for one in made.body
                if isinstance(one, ast.Assign)
                and isinstance(one.targets[0], ast.Name)
                and isinstance(one.value, ast.List)
            }
            triggers = lists["payload_triggers"] or ["animals.example.org"]
            yield (
                GARAK[made.name],
                [
                    document.replace(MARK, order.replace(MARK, payload.replace(MARK, trigger)))
                    for document in lists["contexts"]
                    for order in lists["injection_instructions"]
                    for payload in lists["payloads"]
                    for trigger in triggers[:4]
                ],
            )


GARAK = {"LatentInjectionReportFull": "garak, in a report", "LatentInjectionResumeFull": "garak, in a resume"}


def find_goals(text: str) -> Iterator[str]:
    for made in ast.walk(ast.parse(text)):
        known: dict[str, str] = {}
        for one in made.body if isinstance(made, ast.ClassDef) else ():
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                known[one.targets[0].id] = join_constants(one.value, known)
        if known.get("GOAL"):
            yield known["GOAL"]


def find_calls(text: str, name: str) -> list[ast.Call]:
    found = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
    return [one for one in found if getattr(one.func, "id", "") == name]


def join_constants(node: ast.expr, known: dict[str, str] | None = None) -> str:
    """The text of a literal; a name in an f-string is looked up, or MARK."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(join_constants(part, known) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return (known or {}).get(getattr(node.value, "id", ""), MARK)
    return join_constants(node.left, known) + join_constants(node.right, known) if isinstance(node, ast.BinOp) else MARK


def find_strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from find_strings(one)
