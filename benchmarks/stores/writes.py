"""What small changes to a large collection write, in a directory: `python benchmarks/stores/writes.py --text FOLDER`.

    python benchmarks/stores/writes.py [--chunks 35082] [--text FOLDER]

Each change is a run of its own in a process of its own: revisions, vectors (at hand) and the end of a run. Printed are
the bytes that the process handed to the system (`wchar`), those that went to a disk (`write_bytes`), and milliseconds.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import CHUNKS, MODEL, VARIANT, Clusters, passages, revision, revisions

from ragstone.core.ports import Writer
from ragstone.core.types import Revision, Scope
from ragstone.stores.embedded import EmbeddedStore

SCOPE = Scope("bench", "notes")
VECTORS = Clusters()
COUNTED = Path("/proc/self/io")
CHANGES = {"an edited line": 3, "one removed document": 1, "ten removed documents": 1, "nothing": 1}


def written() -> dict[str, int]:
    """The bytes that this process has written so far."""
    pairs = (line.split(": ") for line in COUNTED.read_text().splitlines())
    return {name: int(value) for name, value in pairs if name in ("wchar", "write_bytes")}


async def take_in(writer: Writer, batch: Sequence[Revision]) -> None:
    """Write revisions with their vectors."""
    await writer.replace(batch)
    while chunks := await writer.find_unembedded(1_000):
        await writer.put({chunk.vector_key: VECTORS.of(int(chunk.vector_key[:8], 16)) for chunk in chunks})


async def build(root: Path, chunks: int, folder: Path | None) -> None:
    """The collection, as one run makes it."""
    store = EmbeddedStore(root)
    await store.admin.create(SCOPE, model=MODEL, variant=VARIANT, dimension=VECTORS.dimension)
    made = revisions(SCOPE, passages(folder), chunks)
    async with store.writer(SCOPE) as writer:
        while batch := list(islice(made, 50)):
            await take_in(writer, batch)
        await writer.settle()
    await store.close()


async def change(root: Path, folder: Path | None, kind: str, turn: int) -> None:
    """One change, printed as JSON."""
    before, start = written(), time.perf_counter()
    store = EmbeddedStore(root)
    async with store.writer(SCOPE) as writer:
        if kind == "an edited line":
            texts = list(islice(passages(folder), 40 * CHUNKS, 41 * CHUNKS))
            texts[7] += f" edited {turn}"
            keys = [f"{n:08x}" + ("" if n != 7 else f"-{turn}") for n in range(CHUNKS)]
            await take_in(writer, [revision(SCOPE, "docs/000040.md", texts, first=0, state=turn + 2, keys=keys)])
        elif kind != "nothing":
            listed = await store.ledger(SCOPE).documents()
            gone = listed[100:101] if kind == "one removed document" else listed[200:210]
            await writer.remove([document.id for document in gone])
        await writer.settle()
    spent = time.perf_counter() - start
    after = written()
    await store.close()
    print(json.dumps({"ms": 1000 * spent, **{name: after[name] - before[name] for name in before}}))


def main() -> None:
    """Build once, change in turn."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--chunks", type=int, default=35_082)
    options.add_argument("--text", type=Path)
    options.add_argument("--root", type=Path)
    options.add_argument("--change")
    options.add_argument("--turn", type=int, default=0)
    given = options.parse_args()
    if given.change:
        asyncio.run(change(given.root, given.text, given.change, given.turn))
        return
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "store"
        asyncio.run(build(root, given.chunks, given.text))
        sizes = {path.name: path.stat().st_size for path in root.rglob("*") if path.is_file()}
        print(f"{given.chunks:,} chunks, {sum(sizes.values()) / 1e6:.0f} MB:", end=" ")
        print(", ".join(f"{name} {size / 1e6:.1f}" for name, size in sorted(sizes.items()) if size > 1e6))
        for kind, times in CHANGES.items():
            for turn in range(times):
                own = [sys.executable, __file__, "--root", str(root), "--change", kind, "--turn", str(turn)]
                text = ["--text", str(given.text)] if given.text else []
                said = json.loads(subprocess.run([*own, *text], check=True, capture_output=True).stdout)
                megabytes = f"{said['wchar'] / 1e6:.2f} MB written, {said['write_bytes'] / 1e6:.2f} MB to disk"
                print(f"{kind}: {megabytes}, {said['ms']:.0f} ms")


if __name__ == "__main__":
    main()
