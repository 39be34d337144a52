"""Texts with and without attacks, each in the half that numbers are fitted on or in the half that is reported.

DATA holds `safety/` (bipia, deepset_prompt_injections, notinject), `kb/` (Markdown trees), `qa/` and `retrieval/`.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.chunking import make_chunker
from ragstone.core.errors import Refused
from ragstone.extraction import extract
from ragstone.providers import make_embedder

HELP = 3  # questions of a help page
FORMS = (
    "How do I find out about {}?",
    "Can I read about {} here?",
    "What should I know about {}?",
    "Where do I see {}?",
)
TREE = 400  # files of a tree that are read, unless all are asked for
PIECE = 4  # words that two texts share when one is made of the other
CELLS = 2  # separators of a line that is a row
SAME = 0.3  # of the shorter one's pieces


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a set; `attack` is what of it attacks, empty where it is clean; `fit` tells its half."""

    set: str
    kind: str
    text: str
    attack: str
    fit: bool


def in_fit(name: str) -> bool:
    """A coin that falls the same way each time."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 0


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def every(data: Path, *, more: Path | None = None, whole: bool = False) -> Iterator[Text]:
    """All texts, in a fixed order; `more` holds what `collect.py` and `tables.py` wrote."""
    yield from chunks(data / "kb", whole=whole)
    for name, path in (("clapnq", "qa/clapnq"), ("squad", "qa/squad_near"), ("prompting", "retrieval/anthropic_docs")):
        for row in rows(data / path / "corpus.jsonl"):
            yield Text(name, "", row["text"], "", in_fit(row["text"]))
    yield from answered(data / "qa/squad_near")
    yield from indirect(data / "safety/bipia/composed.jsonl", [p for _, p in parts(data / "kb", whole=False)])
    yield from direct(data / "safety/deepset_prompt_injections")
    for row in rows(data / "safety/notinject/all.jsonl"):
        fit = row["source"].startswith("wildguard") and in_fit(row["text"])
        yield Text("notinject", row["source"], row["text"], row["text"] if row["label"] else "", fit)
    for row in rows(more / "pages.jsonl") if more else ():
        yield Text(f"pages, {row['kind']}", row["set"], row["text"], "", row["fit"])
    tables = rows(more / "tables.jsonl") if more and (more / "tables.jsonl").exists() else []
    for row in tables:
        yield Text("tables", row["set"], row["text"], "", row["fit"])
    yield from in_cells(data / "safety/bipia/composed.jsonl", tables)
    for row in rows(more / "books.jsonl") if more and (more / "books.jsonl").exists() else ():
        family, _, name = row["set"].partition(", ")
        if row["kind"] == "chunks":
            yield Text(family, name, row["text"], "", row["fit"])
    for row in rows(more / "attacks.jsonl") if more else ():
        yield Text("other tools", row["set"], row["text"], row["text"], row["fit"])


def parts(kb: Path, *, whole: bool) -> Iterator[tuple[Path, str]]:
    """The chunks of the trees, as an ingestion with default settings cuts them, each with its file."""
    embedder = make_embedder("minilm")
    chunker = make_chunker("structure", tokenizer=embedder.tokenizer, reads=embedder.reads, options={})
    for tree in sorted(kb.iterdir()):
        files = sorted(tree.rglob("*.md"))
        for path in files if whole else sorted(random.Random(0).sample(files, min(len(files), TREE))):
            try:
                pieces = chunker.cut(extract(path.read_bytes(), path=path.name))
            except Refused:
                continue
            yield from ((path.relative_to(kb), piece.text) for piece in pieces)


def chunks(kb: Path, *, whole: bool) -> Iterator[Text]:
    for path, text in parts(kb, whole=whole):
        yield Text("kb", path.parts[0], text, "", in_fit(str(path)))


def answered(folder: Path) -> Iterator[Text]:
    """Questions with their answers below, as help pages have them: what people asked, or what a reader might ask."""
    asked: dict[str, str] = {}
    for row in rows(folder / "queries.jsonl"):
        if row["metadata"]["answerable"]:
            asked.setdefault(row["metadata"]["source_paragraph"], row["text"])
    paragraphs = [row for row in rows(folder / "corpus.jsonl") if row["_id"] in asked]
    for start in range(0, len(paragraphs), HELP):
        text = ""
        for n, row in enumerate(paragraphs[start : start + HELP]):
            lines = (asked[row["_id"]], *(form.format(row["title"].replace("_", " ")) for form in FORMS))
            text += f"{lines[(start // HELP + n) % len(lines)]}\n{row['text'][:300].rpartition('. ')[0]}.\n\n"
        yield Text("questions answered", "", text, "", in_fit(text))


def indirect(path: Path, documentation: Sequence[str]) -> Iterator[Text]:
    """E-mails and tables, clean, with an attack at the end as published, and made from these: with it in the middle
    or at the beginning, without line ends, and documentation with the attack between its paragraphs.

    Halves are by the context, so that no context is in both; attacks are, which is why whole kinds are left out too.
    """
    chance, long = random.Random(4), [text for text in documentation if len(text) > 300]
    for row in rows(path):
        context, fit = row["context"], in_fit(row["context"][:200])
        if not row["label"]:
            yield Text("bipia clean", row["task"], context, "", fit)
            continue
        attack, kind = row["attack"], row["category"]
        lines = context[: context.rindex(attack)].rstrip().split("\n")
        at, within = chance.randrange(len(lines)), chance.choice(long).split("\n\n")
        place = chance.randrange(len(within) + 1)
        yield Text("bipia", kind, context, attack, fit)
        yield Text("bipia, one line", kind, " ".join(context.split()), attack, fit)
        here = attack.rstrip(".!?") if len(attack) % 2 else attack  # half of them without the mark at the end
        yield Text("bipia, elsewhere", kind, "\n".join([*lines[:at], here, *lines[at:]]), here, fit)
        yield Text("in documentation", kind, "\n\n".join([*within[:place], attack, *within[place:]]), attack, fit)


def in_cells(path: Path, tables: Sequence[dict[str, Any]]) -> Iterator[Text]:
    """Rows of tables of the same half, with an attack in place of a cell."""
    chance = random.Random(5)
    held = {
        fit: [row["text"] for row in tables if row["fit"] == fit and is_table(row["text"])] for fit in (True, False)
    }
    for row in rows(path) if tables else ():
        fit = in_fit(row["context"][:200])
        if row["label"]:
            lines = chance.choice(held[fit]).split("\n")
            at = chance.choice([n for n, line in enumerate(lines) if line.count("|") > CELLS])
            cells = lines[at].split("|")
            attack = row["attack"].rstrip(".!?") if len(row["attack"]) % 2 else row["attack"]
            cells[chance.randrange(1, len(cells) - 1)] = f" {attack} "
            lines[at] = "|".join(cells)
            yield Text("in cells", row["category"], "\n".join(lines), attack, fit)


def is_table(text: str) -> bool:
    return any(line.count("|") > CELLS for line in text.split("\n"))


def direct(folder: Path) -> Iterator[Text]:
    """Prompts, half of which repeat another one behind some questions: `kind` is "own" where no text of the fitted
    half shares its words, else "near"."""
    found = rows(folder / "deepset_prompt_injections.jsonl")
    pieces = [list_pieces(row["text"]) for row in found]
    fitted = [piece for piece, row in zip(pieces, found, strict=True) if in_fit(row["text"])]
    for row, own in zip(found, pieces, strict=True):
        near = any(len(own & other) > SAME * min(len(own), len(other)) for other in fitted)
        yield Text("deepset", "near" if near else "own", row["text"], row["text"], in_fit(row["text"]))
    for row in rows(folder / "deepset_prompt_injections_ru.jsonl"):
        yield Text("deepset in Russian", "", row["text"], row["text"], in_fit(row["original_en"]))


def list_pieces(text: str) -> frozenset[str]:
    words = text.lower().split()
    return frozenset(" ".join(words[i : i + PIECE]) for i in range(max(1, len(words) - PIECE + 1)))
