"""The command line of benchmarks that measure several ways over BEIR folders: a row of means for each folder."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path


def print_rows(description: str | None, measure: Callable[[Path, Path], Awaitable[Mapping[str, float]]]) -> None:
    """Read `FOLDER [FOLDER ...] --stores DIR`, and print what `measure` gives for each folder and the stores."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--stores", type=Path, required=True)
    given = parser.parse_args()
    for folder in given.folders:
        means = asyncio.run(_wait(measure(folder, given.stores)))
        print(folder.name, "  ".join(f"{way} {mean:.4f}" for way, mean in means.items()), flush=True)


async def _wait(one: Awaitable[Mapping[str, float]]) -> Mapping[str, float]:
    return await one
