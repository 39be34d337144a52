"""One edited line in a document of 2,000 chunks: how much is embedded again, and how long it takes.

python benchmarks/spine/one_line.py
"""

import json
import random
import tempfile
import time
from pathlib import Path

import ragstone

WORDS = "river stone copper engine letter harbour window garden market signal winter copper thread bridge".split()


def main() -> None:
    """Ingest, edit one line in the middle, ingest again."""
    rng = random.Random(7)
    sections = [
        f"## Section {i}\n\n" + " ".join(rng.choice(WORDS) for _ in range(60)) + f" {i}.\n" for i in range(2000)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "docs" / "long.md"
        file.parent.mkdir()
        file.write_text("# Long\n\n" + "\n".join(sections), encoding="utf-8")
        with ragstone.open(f"{scratch}/store") as kb:
            [first] = kb.ingest(file.parent)
            chunks = kb.info().chunks
            sections[1000] = sections[1000].replace("copper", "silver", 1)
            file.write_text("# Long\n\n" + "\n".join(sections), encoding="utf-8")
            start = time.monotonic()
            [second] = kb.ingest(file.parent)
            seconds = time.monotonic() - start
    print(
        json.dumps(
            {
                "chunks": chunks,
                "embedded_first": first.stats["embedded"],
                "embedded_after_edit": second.stats["embedded"],
                "seconds_after_edit": round(seconds, 2),
                "seconds_first": first.stats["seconds"],
            }
        )
    )


if __name__ == "__main__":
    main()
