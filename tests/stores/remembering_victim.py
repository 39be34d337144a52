"""A process that keeps searches until it is killed: run as `python -m tests.stores.remembering_victim FILE`."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from ragstone.stores.search_cache_file import SearchCacheFile
from ragstone.testing.stores import make_search


def main() -> None:
    """Say each number that was kept."""
    file = SearchCacheFile(Path(sys.argv[1]))
    for number in count():
        file.put_search(replace(make_search(f"{number:06}"), at=datetime.now(UTC)), most=20)
        print(number, flush=True)


if __name__ == "__main__":
    main()
