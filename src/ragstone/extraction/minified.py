"""Scripts and style sheets that a program has written: search indexes of sites, bundles."""

from ragstone.extraction.media_types import file_suffix

ENDINGS = frozenset((".js", ".mjs", ".cjs", ".css"))
# Of 5,357 scripts and style sheets of one machine 1,174 have more than half of their bytes in longer lines, 1,008 of
# them with no `.min.` in their names; looked at were some fifty, and people had written none.
LONG_LINE = 1_000
SAMPLE = 1_000_000  # bytes that are looked at


def is_minified(path: str, data: bytes) -> bool:
    """Whether most of a script is in lines that nobody could read.

    >>> is_minified("searchindex.js", b"window.search = {" + b"'a':1," * 900 + b"}"), is_minified("a.js", b"run();")
    (True, False)
    """
    if file_suffix(path) not in ENDINGS:
        return False
    sample = data[:SAMPLE]
    return 2 * sum(len(line) for line in sample.split(b"\n") if len(line) > LONG_LINE) > len(sample)
