"""Pages without a truth: how far our main text agrees with that of trafilatura, which says which pages to look at.

    pip install trafilatura lxml_html_clean
    python benchmarks/extraction/html_agreement.py FOLDER… [--worst 20]

Each FOLDER holds pages (*.html, also below it). The measure is that of `html_main_text.py`, with trafilatura's text in
place of the truth; pages of which it finds less than 300 characters are left out.
"""

import argparse
import importlib
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from html_main_text import compared, main_text, ratio

LEAST = 300
WIDE = "\u3040", "\u9fff"  # scripts without blanks between words: characters are compared


def split_wide(text: str) -> str:
    return "".join(f" {sign} " if WIDE[0] <= sign <= WIDE[1] else sign for sign in text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--worst", type=int, default=0)
    given = parser.parse_args()
    other = importlib.import_module("trafilatura")
    for folder in given.folders:
        pages = []
        for path in sorted(one for one in folder.rglob("*.html") if one.is_file()):
            data = path.read_bytes()
            wanted = other.extract(data, include_comments=False, include_tables=True) or ""
            if len(wanted) >= LEAST:
                tp, fp, fn = compared(split_wide(wanted), split_wide(main_text(data, path.name)))
                pages.append((tp, ratio(tp, fp), ratio(tp, fn), path))
        precision, recall = (statistics.mean(page[n] for page in pages) if pages else 0.0 for n in (1, 2))
        print(f"precision {precision:.3f}, recall {recall:.3f} of {len(pages)} pages: {folder}")
        for tp, right, found, path in sorted(pages)[: given.worst]:
            print(f"    {tp:.2f} precision {right:.2f} recall {found:.2f} {path.relative_to(folder)}")


if __name__ == "__main__":
    main()
