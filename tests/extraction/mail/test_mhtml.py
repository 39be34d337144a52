"""Saved pages: the page, the frames that are its own, where and when they were saved."""

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.mail.mhtml import parse_mhtml

SAVED = """From: <Saved by Blink>
Snapshot-Content-Location: https://e.org/page
Subject: A page
Date: Tue, 19 Nov 2024 13:30:02 -0000
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="b"

--b
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable
Content-Location: https://e.org/page

<html lang=3D"en"><h1>Caf=C3=A9</h1><p>Te=
xt</p></html>
--b
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b--
"""


def test_a_saved_page_is_read_and_knows_where_it_comes_from() -> None:
    extraction = parse_mhtml(SAVED.encode(), path="a.mhtml")
    assert extraction.record == "# Café\n\nText"
    assert extraction.meta == {"url": "https://e.org/page", "date": "2024-11-19T13:30:02+00:00", "language": "en"}


@pytest.mark.parametrize("data", [b"\x00\x01", b"Subject: x\n\nplain text", SAVED.encode()[:200]])
def test_what_holds_no_page_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        parse_mhtml(data, path="a.mhtml")
    assert refusal.value.reason == "broken"


def frame(text: str, place: str = "") -> str:
    where = f"Content-Location: {place}\n" if place else ""
    return f"--b\nContent-Type: text/html\n{where}\n<html><p>{text}</p></html>\n"


def with_frames(*frames: str) -> bytes:
    return SAVED.replace("--b--", "".join(frames) + "--b--").encode()


def test_frames_of_the_page_are_read_and_those_of_others_named() -> None:
    data = with_frames(
        frame("Ours", "https://www.e.org/menu"), frame("Buy!", "https://ads.org/1"), frame("Written in", "about:srcdoc")
    )
    extraction = parse_mhtml(data, path="a.mhtml")
    assert extraction.record == "# Café\n\nText\n\nOurs\n\nWritten in"
    assert extraction.warnings == ("frames from other places were not read: https://ads.org/1",)
    assert (extraction.title, extraction.media_type) == ("Café", "multipart/related")


def test_a_page_of_frames_alone_is_read() -> None:
    data = with_frames(frame("Words")).replace(b"<h1>Caf=C3=A9</h1><p>Te=\nxt</p>", b"<frameset><frame></frameset>")
    assert parse_mhtml(data, path="a.mhtml").record == "Words"


def test_a_page_without_its_boundary_is_found() -> None:
    data = SAVED.replace('; boundary="b"', "").replace("--b", "------=_Part").encode()
    extraction = parse_mhtml(data, path="a.mhtml")
    assert extraction.record == "# Café\n\nText"
    assert len(extraction.warnings) == 1


def test_addresses_in_other_letters_are_text() -> None:
    extraction = parse_mhtml(SAVED.replace("https://e.org/page", "https://e.org/é").encode(), path="a.mhtml")
    assert extraction.meta["url"] == "https://e.org/é"
