"""Pages whose text is known, by site: precision and recall of 4-grams, and what is lost or taken in.

    python benchmarks/extraction/html_made.py FOLDER… [--half look|held] [--sites] [--worst 10] [--show SITE/PAGE.html]

Each FOLDER is one of `made_sites.py` or `html_known.py`: pages, and `truth.json` with the text of each. The measure is
that of `html_main_text.py`. `--half` takes half of the sites, by a checksum of their names: one half may be looked at.
"""

import argparse
import json
import statistics
import sys
import zlib
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from html_agreement import split_wide
from html_main_text import TARGET, compared, main_text, ratio

from ragstone.core.errors import Refused
from ragstone.extraction import extract


def is_looked_at(site: str) -> bool:
    """Whether a site is of the half that may be looked at."""
    return zlib.crc32(site.encode()) % 2 == 0


def show(path: Path) -> None:
    for block in extract(path.read_bytes(), path=path.name).blocks:
        print(f"{block.role:7} {block.type:9} {TARGET.sub(']', block.text)[:150]!r}")


def report(name: str, pages: list[tuple[float, float, str]]) -> None:
    precision, recall = (statistics.mean(page[n] for page in pages) for n in (0, 1))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    low = sum(page[1] < 0.8 for page in pages)
    print(
        f"F1 {f1:.3f} precision {precision:.3f} recall {recall:.3f}, {low} of {len(pages)} pages lose a fifth: {name}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--half", choices=("look", "held"))
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--show")
    given = parser.parse_args()
    sites: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for folder in given.folders:
        for name, truth in json.loads((folder / "truth.json").read_text()).items():
            site = name.rpartition("/")[0] or name
            if given.half and is_looked_at(site) != (given.half == "look"):
                continue
            if given.show:
                if given.show == name:
                    show(folder / name)
                continue
            try:
                found = main_text((folder / name).read_bytes(), name)
            except Refused:
                found = ""
            tp, fp, fn = compared(split_wide(truth), split_wide(found))
            sites[site].append((ratio(tp, fp), ratio(tp, fn), name))
    pages = [page for own in sites.values() for page in own]
    for site in sorted(sites, key=lambda one: min(page[1] for page in sites[one])) if given.sites else ():
        report(site, sites[site])
    for right, kept, name in sorted(pages, key=lambda page: (page[1], page[0]))[: given.worst]:
        print(f"    recall {kept:.2f} precision {right:.2f} {name}")
    if pages:
        report(f"all of {len(sites)} sites", pages)


if __name__ == "__main__":
    main()
