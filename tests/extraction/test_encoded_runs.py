"""Data in base64 within text is left out and counted; what people wrote stays, on the lines where it stood."""

import base64
import json
import random

import pytest

from ragstone.extraction import extract
from ragstone.extraction.encoded_runs import leave_out_encoded

PICTURE = base64.b64encode(random.Random(1).randbytes(3000)).decode()
TEXTS = {
    "plan.md": f"The pump stops at nine. ![plan][one]\n\n[one]: <data:image/png;base64,{PICTURE}>\n\nThe end.\n",
    "plan.txt": f"The pump stops at nine.\n\n{PICTURE}\n\nThe end.\n",
    "plan.json": json.dumps({"picture": PICTURE, "text": "The pump stops at nine.", "last": "The end."}, indent=1),
    "plan.jsonl": json.dumps({"picture": PICTURE, "text": "The pump stops at nine. The end."}) + "\n",
    "plan.yaml": f"picture: {PICTURE}\ntext: The pump stops at nine.\nlast: The end.\n",
    "plan.csv": f"text,picture\nThe pump stops at nine.,{PICTURE}\nThe end.,\n",
    "plan.py": f'"""The pump stops at nine."""\nPICTURE = "{PICTURE}"\n# The end.\n',
    "plan.rst": f"Plan\n====\n\nThe pump stops at nine.\n\n{PICTURE}\n\nThe end.\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_picture_is_left_out_and_counted(name: str) -> None:
    found = extract(TEXTS[name].encode(), path=name)
    assert PICTURE[:100] not in found.record
    assert PICTURE[-100:] not in found.record
    assert all(words in found.record for words in ("The pump stops at nine.", "The end."))
    assert [one for one in found.warnings if "base64" in one] == [
        f"{len(PICTURE):,} characters of encoded data (base64) were left out in 1 place"
    ]


@pytest.mark.parametrize(("width", "indent"), [(76, ""), (74, " "), (60, "    ")])
def test_wrapped_data_is_left_out_and_lines_keep_their_numbers(width: int, indent: str) -> None:
    rows = [PICTURE[at : at + width] for at in range(0, len(PICTURE), width)]
    lines = ["FN:Ines Costa", "PHOTO;ENCODING=b:" + rows[0], *(indent + row for row in rows[1:]), "NOTE:Call at nine."]
    kept, warnings = leave_out_encoded("\n".join(lines))
    assert kept.split("\n") == [lines[0], "PHOTO;ENCODING=b:…", *[""] * (len(rows) - 1), lines[-1]]
    assert warnings == (f"{len(PICTURE):,} characters of encoded data (base64) were left out in 1 place",)


def test_lines_keep_their_numbers() -> None:
    text = TEXTS["plan.txt"]
    kept, _ = leave_out_encoded(text)
    assert kept.split("\n") == [line if line != PICTURE else "…" for line in text.split("\n")]


@pytest.mark.parametrize(
    "text",
    [
        "ACGT" * 500,
        "0123456789abcdef" * 100,
        "word " * 400,
        "Donaudampfschifffahrtsgesellschaft" * 40,
        PICTURE[:900],
        "\n".join(PICTURE[at : at + 76] for at in range(0, 900, 76)),
        "-----BEGIN CERTIFICATE-----\n" + "\n".join(PICTURE[at : at + 64] for at in range(0, len(PICTURE), 64)),
        "\n".join(f"https/example/org/Page{n}/" + "Name/of/a/longer/folder/" * 3 for n in range(40)),
        "https://example.org/?" + "&".join(f"page={n}&Name=A{n}" for n in range(200)),
        "样品保存两周" * 300,
    ],
    ids=lambda text: text[:20],
)
def test_other_long_runs_stay(text: str) -> None:
    assert leave_out_encoded(text) == (text, ())


def test_the_time_grows_with_the_length_alone() -> None:
    for unit in ("a" * 999 + " ", "aB3" * 400, "=", "+/", "aB3" * 20 + "\n", ("aB3" * 20 + "\n") * 8 + "x y\n"):
        assert len(leave_out_encoded(unit * (2_000_000 // len(unit)))[0]) <= 2_000_000
