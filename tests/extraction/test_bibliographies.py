"""Lists of literature: each work is a section with who, where and when, and its abstract."""

import pytest

from ragstone.extraction.bibliographies import parse_bibliography
from ragstone.extraction.media_types import BIBLIOGRAPHY, detect
from ragstone.testing.extractors import check_spans
from tests.speed import in_step

BIBTEX = r"""% Encoding: UTF-8
@string{jm = "J. Mech."}
@article{mueller2019,
  author = {M{\"u}ller, J{\"o}rg and Lee, Ann}, title = "Fatigue of {Steel \& \TeX} Bolts", journal = jm # { B},
  year = 2019, volume = 12, number = 3, pages = {34--56}, doi = {10.1/x}, keywords = {bolt}, file = {:C:/x.pdf:PDF},
  abstract = {We test 40 bolts.}, isbn = {1-2}
}
@book(knuth, title={The {TeXbook}}, editor={Knuth, Donald E.}, publisher={AW}, note={unfinished
@comment{jabref-meta: x}
@misc{empty,}
"""
RIS = """TY  - JOUR
AU  - M\u00fcller, J\u00f6rg
AU  - Lee, Ann
TI  - Bolts
JO  - J. Mech.
PY  - 2019/03/
VL  - 12
SP  - 34
EP  - 56
AB  - We test
 40 bolts.
KW  - bolt
KW  - steel
ER  -

TY  - CONF
TI  - Rust
ER  -
"""
NBIB = """PMID- 123
TI  - Corrosion at
      Sea
FAU - Ray, Kim
AU  - Ray K
DP  - 2021 Mar
"""
ENW = "%0 Journal Article\n%A Ray, Kim\n%T Sea\n%D 2021\n%X Salt water.\n"


@pytest.mark.parametrize(
    ("text", "path", "record"),
    [
        (
            BIBTEX,
            "a.bib",
            "## Fatigue of Steel & TeX Bolts\n\nJ\u00f6rg M\u00fcller; Ann Lee\nJ. Mech. B, 12(3):34\u201356, 2019\n"
            "doi:10.1/x, mueller2019\n\nWe test 40 bolts.\n\nKeywords: bolt\n\nisbn: 1-2\n\n"
            "## The TeXbook\n\nDonald E. Knuth\nAW\nknuth\n\nunfinished",
        ),
        (
            RIS,
            "a.ris",
            "## Bolts\n\nJ\u00f6rg M\u00fcller; Ann Lee\nJ. Mech., 12:34\u201356, 2019-03\n\nWe test 40 bolts.\n\n"
            "Keywords: bolt, steel\n\n## Rust",
        ),
        (NBIB, "a.nbib", "## Corrosion at Sea\n\nKim Ray\n2021 Mar"),
        (ENW, "a.enw", "## Sea\n\nKim Ray\n2021\n\nSalt water."),
        ("Not a list.", "a.bib", "Not a list."),
    ],
)
def test_each_work_is_a_section(text: str, path: str, record: str) -> None:
    assert detect(text.encode(), path) == BIBLIOGRAPHY
    found = parse_bibliography(text.encode(), path=path)
    check_spans(found)
    assert (found.record, found.media_type) == (record, BIBLIOGRAPHY)


def test_addresses_stay_as_they_are() -> None:
    text = r"""@book(k, title = {T}, url={http://a.b/~c/\~{}d\_e%20f--g}, doi={10.1/a--b}, year = 1999)"""
    record = parse_bibliography(text.encode(), path="a.bib").record
    assert record == "## T\n\n1999\ndoi:10.1/a--b, http://a.b/~c/~d_e%20f--g, k"


@pytest.mark.parametrize("unit", ["@a{b,c={\n", "@a{b,c=d#", '@a{b,c="\n', '@a{b,c={\\"{', "AU  - a\nb\n", "c={"])
def test_lists_that_are_damaged_are_read_in_step(unit: str) -> None:
    in_step(
        lambda times: parse_bibliography(f"@a{{b,title={{x}},\n{unit * times}".encode(), path="a"), 500, 2000, most=8
    )
