"""The reader of manual pages against the contract of extractors."""

from collections.abc import Mapping

import pytest

from ragstone.core.ports import Extractor
from ragstone.core.types import Extraction
from ragstone.extraction.roff.parse import parse_roff
from ragstone.testing.extractors import ExtractorContract
from tests.extraction.roff.test_parse import MAN, MDOC

DEFINED = r""".TH A 1
.SH B
.de XX
.ie \\n(.g=1 \{\
.IP "\\$1" 4
.\}
.el \\$*
..
.ds Nx na\(:ive
.XX "\*(Nx" b
Text.
.TS
tab(;);
l l.
T{
a
T};b
.TE
.nf
 x
"""


class ManualPages:
    """The reader as an extractor."""

    recipe = "roff/1"
    media_type = "text/troff"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        return parse_roff(data, path=path)


class TestManualPages(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return ManualPages()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"xargs.1": MAN.encode(), "ssh_config.5": MDOC.encode(), "a.1": DEFINED.encode()}

    @pytest.mark.parametrize("unit", [b".if n \\{\n", b".de a\n", b"\\*[", b".Op Oo a ", b".IP a\n", b".TS\n", b"\\}"])
    def test_time_grows_with_the_page_and_not_with_its_square(self, extractor: Extractor, unit: bytes) -> None:
        self.test_time_grows_with_the_input_and_not_with_its_square(extractor, unit)
