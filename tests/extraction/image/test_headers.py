import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.extraction.image.headers import read_header
from tests.extraction.image.made import blank, exif, png, tiff

GREY = np.zeros((20, 30), dtype=np.uint8)
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\1\0\xc8\0\xc8\0\0\xff\xe1"
    + struct.pack(">H", 8 + len(exif(6)))
    + b"Exif\0\0"
    + exif(6)
    + b"\xff\xc4\0\x04ab\xff\xc0\0\x0b\x08\0\x14\0\x1e\1\1\x11\0\xff\xda\0\x08\1\1\0\0?\0\x7f\xff\xd9"
)
GIF = b"GIF89a\x1e\0\x14\0\x80\0\0\0\0\0\xff\xff\xff"
PICTURE = b",\0\0\0\0\x1e\0\x14\0\0\x02\x03abc\0"
BMP = b"BM" + struct.pack("<IIIIiiHHIIii", 48, 0, 54, 40, 30, -20, 1, 24, 0, 0, 7874, 7874)


def size(data: bytes) -> tuple[int, int]:
    about = read_header(data)
    assert about is not None
    return about.frames[0].width, about.frames[0].height


def test_a_png_says_its_size_and_resolution() -> None:
    about = read_header(png(GREY, dpi=200))
    assert about is not None
    assert about.media_type == "image/png"
    assert size(png(GREY)) == (30, 20)
    assert about.frames[0].dpi == pytest.approx((200, 200), abs=0.1)
    assert about.whole
    assert not about.moving


def test_a_jpeg_says_its_size_its_resolution_and_which_way_is_up() -> None:
    about = read_header(JPEG)
    assert about is not None
    assert size(JPEG) == (30, 20)
    assert (about.frames[0].dpi, about.frames[0].orientation) == ((200, 200), 6)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (GIF + PICTURE + b";", "image/gif"),
        (BMP, "image/bmp"),
        (b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f" + struct.pack("<I", 29 | 19 << 14) + b"\0" * 9, "image/webp"),
        (b"RIFF\x1e\0\0\0WEBPVP8 \x12\0\0\0\0\0\0\x9d\1\x2a\x1e\0\x14\0" + b"\0" * 8, "image/webp"),
        (b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x1d\0\0\x13\0\0", "image/webp"),
        (tiff([GREY]), "image/tiff"),
    ],
)
def test_other_formats_say_their_size(data: bytes, kind: str) -> None:
    about = read_header(data)
    assert about is not None
    assert about.media_type == kind
    assert size(data) == (30, 20)


def test_a_tiff_has_as_many_frames_as_pages() -> None:
    about = read_header(tiff([GREY, GREY[:10]], dpi=(204, 98)))
    assert about is not None
    assert [(frame.width, frame.height, frame.index) for frame in about.frames] == [(30, 20, 0), (30, 10, 1)]
    assert about.frames[1].dpi == (204, 98)


def test_a_tiff_whose_directories_lead_in_a_circle_ends() -> None:
    data = bytearray(tiff([GREY]))
    struct.pack_into("<I", data, len(data) - 4, struct.unpack_from("<I", data, 4)[0])
    about = read_header(bytes(data))
    assert about is not None
    assert len(about.frames) == 1


@pytest.mark.parametrize("dpi", [(1, 1), (0, 0), (5000, 5000)])
def test_a_resolution_that_nothing_has_is_none(dpi: tuple[int, int]) -> None:
    about = read_header(tiff([GREY], dpi=dpi))
    assert about is not None
    assert about.frames[0].dpi is None


def test_a_second_picture_makes_a_gif_move() -> None:
    found = [read_header(GIF + PICTURE * pictures + b";") for pictures in (1, 2)]
    assert [about and about.moving for about in found] == [False, True]


@pytest.mark.parametrize("data", [png(blank(30, 20)), JPEG, GIF + PICTURE + b";", BMP + b"\0\0"])
def test_a_file_that_is_cut_off_is_not_whole(data: bytes) -> None:
    whole, cut = read_header(data), read_header(data[:-2])
    assert whole is not None
    assert cut is not None
    assert (whole.whole, cut.whole) == (True, False)


def test_a_picture_without_width_is_none() -> None:
    assert read_header(png(np.zeros((20, 0), dtype=np.uint8))) is None


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"II*\0", b"II*\0\xff\xff\xff\xff", b"BM\0"])
def test_a_header_that_ends_too_soon_is_none(data: bytes) -> None:
    assert read_header(data) is None


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([png(GREY, dpi=200, orientation=6), JPEG, GIF + PICTURE, BMP, tiff([GREY, GREY])]),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), max_size=8),
)
def test_any_damage_gives_a_header_or_none(data: bytes, damage: list[tuple[int, int]]) -> None:
    broken = bytearray(data)
    for at, value in damage:
        broken[at % len(broken)] = value
    about = read_header(bytes(broken))
    assert about is None or all(frame.width > 0 and 1 <= frame.orientation <= 8 for frame in about.frames)
