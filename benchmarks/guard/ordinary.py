"""How much of ordinary text is masked: files that hold no secrets, folder by folder.

    python benchmarks/guard/ordinary.py FOLDER … [--most 30000000] [--show 20]

Text files, drawn at random, 100,000 characters of each, up to so many characters of a folder. Of translations (`.po`)
the pairs are read as JSON and as YAML as well, under their English words: `"Password": "Hasło"`.
"""

import argparse
import json
import random
import re
from pathlib import Path

from ragstone.guard import find_secrets

ENDINGS = frozenset(
    ".md .txt .html .json .jsonl .csv .tsv .xml .py .pyi .yaml .yml .toml .rst .js .ts .sh .cfg .conf .ini .po".split()
)
LARGEST = 2_000_000  # bytes of a file
READ = 100_000  # characters of a file
PAIR = re.compile(r'msgid "([^"\n]{3,80})"\nmsgstr "([^"\n]{3,200})"')
AROUND = 60


def main() -> None:
    """Print a line for each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=30_000_000)
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    for folder in args.folders:
        files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
        files = [path for path in files if path.stat().st_size < LARGEST]
        random.Random(9).shuffle(files)
        size, places = 0, []
        for path in files:
            if size > args.most:
                break
            for text in read_texts(path):
                size += len(text)
                places += [text[max(0, one.start - AROUND) : one.end + 10] for one in find_secrets(text)]
        print(f"{folder}: {len(places)} places in {size / 1e6:.1f} million characters")
        for place in random.Random(1).sample(places, min(args.show, len(places))):
            print(f"    {place!r}")


def read_texts(path: Path) -> list[str]:
    """A file's text, and its translations."""
    text = path.read_text("utf-8", errors="replace")
    if path.suffix != ".po":
        return [text[:READ]]
    pairs = dict(PAIR.findall(text))
    lines = [f"{name.lower().replace(' ', '_')}: {value}" for name, value in pairs.items()]
    return [text, json.dumps(pairs, ensure_ascii=False, indent=1), "\n".join(lines)]


if __name__ == "__main__":
    main()
