"""The contract of every extractor, as tests to inherit."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import get_args

import pytest

from ragstone.core.errors import Refused
from ragstone.core.ports import Extractor
from ragstone.core.types import Block, BlockType, Extraction, Role

SEEDS = 12
# What a careless parser reads to the end of the document again and again, once for each of them.
REPEATED_UNITS = (
    *(b">", b"[", b"<", b"*", b"`", b"- ", b"|", b"&", b"<b>", b"\r", b"\n", b" ", b"a_", b"](", b"![](", b"<<"),
    *(b"<!--", b"<!-->", b"<!-- x -->", b"<!-- x -->\n\n", b"text <!-- x --> ", b"-->", b"<![CDATA[x]]>", b"<?x?>"),
    *(
        b"<div>",
        b"<ul><li>",
        b"<table><tr><td>",
        b"<table>",
        b"</p>",
        b"<details>",
        b"<script>x</script>",
        b"<a href=x>",
    ),
    *(b"# h\n", b"> ", b"1. ", b"```\n", b"---\n", b"a\n===\n", b"[^1]: x\n", b"[a]: b\n", b"|a|b|\n|-|-|\n", b"{{% x"),
)
SIZES = (8_000, 32_000, 128_000)  # bytes, each four times the one before
MAX_GROWTH = 9.0  # four times the input may take nine times as long: n log n passes, n squared takes sixteen times
FREE_SECONDS = 2.0  # seconds that no step needs to justify: a busy machine makes single runs ten times as long
MIN_SECONDS = 0.005  # seconds that a smaller input is counted as


class ExtractorContract:
    """Inherit and give two fixtures: `extractor`, and `samples`, documents by name that it must read.

    The hostile inputs are made of the samples (cut, repeated, overwritten) and of what breaks parsers. Time is
    bounded by how it grows with the input, in CPU seconds, so that a slow or busy machine changes nothing.
    """

    @pytest.fixture
    def extractor(self) -> Extractor:
        pytest.fail("who inherits this kit gives this fixture")

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        pytest.fail("who inherits this kit gives this fixture")

    @pytest.fixture
    def extractions(self, extractor: Extractor, samples: Mapping[str, bytes]) -> list[Extraction]:
        return [extractor.extract(data, path=path) for path, data in samples.items()]

    def test_the_recipe_names_a_version(self, extractor: Extractor) -> None:
        assert any(letter.isdigit() for letter in extractor.recipe)

    def test_samples_give_body_blocks(self, extractions: list[Extraction]) -> None:
        assert extractions
        for extraction in extractions:
            assert any(block.role == "body" for block in extraction.blocks)

    def test_spans_lie_in_the_record_in_order_and_apart(self, extractions: list[Extraction]) -> None:
        for extraction in extractions:
            check_spans(extraction)

    def test_blocks_are_well_formed(self, extractions: list[Extraction]) -> None:
        for extraction in extractions:
            for block in extraction.blocks:
                check_block(block, extraction.record)

    def test_metadata_is_safe_for_json(self, extractions: list[Extraction]) -> None:
        for extraction in extractions:
            meta = dict(extraction.meta)
            assert json.loads(json.dumps(meta, allow_nan=False)) == meta

    def test_the_same_bytes_give_the_same(
        self, extractor: Extractor, samples: Mapping[str, bytes], extractions: list[Extraction]
    ) -> None:
        assert [extractor.extract(data, path=path) for path, data in samples.items()] == extractions

    def test_hostile_input_is_read_or_refused(self, extractor: Extractor, samples: Mapping[str, bytes]) -> None:
        for data in make_hostile_inputs(samples):
            try:
                extraction = extractor.extract(data, path="hostile")
            except Refused:
                continue
            check_spans(extraction)
            for block in extraction.blocks:
                check_block(block, extraction.record)

    @pytest.mark.parametrize("unit", REPEATED_UNITS, ids=repr)
    def test_time_grows_with_the_input_and_not_with_its_square(self, extractor: Extractor, unit: bytes) -> None:
        def work(size: int) -> None:
            with suppress(Refused):
                extractor.extract(unit * (size // len(unit)), path="hostile")

        check_growth(work)


def check_growth(work: Callable[[int], None]) -> None:
    """Work on inputs of `SIZES` bytes takes little CPU time, or grows by at most `MAX_GROWTH` from size to size.

    Stops at the first size that grows too fast: what is quadratic is never run on the largest.
    """
    before: float | None = None
    for size in SIZES:
        seconds = _cpu_seconds(work, size)
        if before is not None and seconds > max(FREE_SECONDS, MAX_GROWTH * before):
            seconds = min(seconds, _cpu_seconds(work, size))  # once more: it may have paid for another's garbage
            assert seconds <= max(FREE_SECONDS, MAX_GROWTH * before), (
                f"{size} bytes took {seconds:.2f} s, a quarter of them {before:.3f} s: the time grows with the square"
            )
        if seconds > MIN_SECONDS and size < SIZES[-1]:
            seconds = min(seconds, _cpu_seconds(work, size))  # a hiccup here would excuse the next size
        before = max(seconds, MIN_SECONDS)


def _cpu_seconds(work: Callable[[int], None], size: int) -> float:
    start = time.process_time()
    work(size)
    return time.process_time() - start


def check_spans(extraction: Extraction) -> None:
    """Every span is a piece of the record, and none begins before the one before it ends."""
    behind, number, counted = 0, 1, 0
    for block in extraction.blocks:
        assert block.spans
        for span in block.spans:
            assert behind <= span.char_start < span.char_end <= len(extraction.record), (block, behind)
            assert extraction.record[span.char_start : span.char_end].strip()
            if "\r" not in extraction.record:
                number += extraction.record.count("\n", counted, span.char_start)
                counted = span.char_start
                inside = extraction.record.count("\n", span.char_start, span.char_end - 1)
                assert (span.line_start, span.line_end) == (number, number + inside)
            behind = span.char_end


def check_block(block: Block, record: str) -> None:
    """Type, role and level are known ones; the cells of a table lie in its spans."""
    assert block.type in get_args(BlockType)
    assert block.role in get_args(Role)
    assert block.text.strip()
    assert (1 <= block.level <= 6) if block.type == "heading" else block.level >= 0
    assert bool(block.cells) == (block.type == "table")
    for cell in block.cells:
        assert cell.row >= 0
        assert cell.col >= 0
        assert cell.rowspan >= 1
        assert cell.colspan >= 1
        if cell.char_start is not None and cell.char_end is not None:
            assert record[cell.char_start : cell.char_end].strip()
            assert block.spans[0].char_start <= cell.char_start < cell.char_end <= block.spans[-1].char_end


def make_hostile_inputs(samples: Mapping[str, bytes]) -> Iterator[bytes]:
    """Inputs that are empty, cut, overwritten, of wrong encoding, or nested by the thousand."""
    yield from (b"", b" \n\t", b"\0" * 1000, bytes(range(256)) * 40, b"\xff\xfe", b"\xef\xbb\xbf", b"\xff" * 999)
    yield from (unit * 2000 + b"x" for unit in REPEATED_UNITS)
    yield b"<!--" + b" x " * 2000 + b"-->" + b"<!-- closed -->" * 2000 + b"after"
    yield from (b"|a" * 2000 + b"|\n" + b"|-" * 2000 + b"|\n" + b"|x" * 5000, b"---\na: [" + b"[" * 9000 + b"\n---\nx")
    yield b"---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\nbody"
    yield b"<table><tr><td colspan=99999999 rowspan=99999999>x</td><td>y</td></tr></table>" * 50
    for data in samples.values():
        yield from (data[: len(data) * part // SEEDS] for part in range(SEEDS))
        yield from (
            data[: len(data) * part // SEEDS] + b"\xc3(\0<" + data[len(data) * part // SEEDS :] for part in range(SEEDS)
        )
        yield data * 50
        yield data.decode("latin-1").encode("utf-16")
        yield data[::-1]
