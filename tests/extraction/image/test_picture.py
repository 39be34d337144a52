"""A cited place on a picture is drawn where it is."""

import struct
import zlib

import numpy as np
import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.image.decode import load_opencv
from ragstone.extraction.image.page_image import LONGEST, draw_image_page
from ragstone.extraction.pdf.page_image import EDGE
from tests.extraction.image import made


def drawn(data: bytes, *, page: int = 1, boxes: tuple[tuple[float, ...], ...] = ()) -> np.ndarray:
    out = draw_image_page(data, path="a.png", page=page, boxes=boxes)
    assert out.startswith(b"\x89PNG")
    pixels: np.ndarray = load_opencv().imdecode(np.frombuffer(out, np.uint8), load_opencv().IMREAD_COLOR)[:, :, ::-1]
    return pixels


def edges(pixels: np.ndarray) -> tuple[int, int, int, int]:
    """The box around all pixels of the mark's edge."""
    y, x = np.nonzero((pixels == EDGE).all(axis=2))
    return int(x.min()), int(y.min()), int(x.max()), int(y.max())


def test_boxes_are_points_whatever_the_resolution() -> None:
    box = ((20.0, 30.0, 60.0, 40.0),)
    plain = drawn(made.png(made.blank(200, 100)), boxes=box)
    assert plain.shape == (100, 200, 3)
    assert edges(plain) == pytest.approx((18, 28, 62, 42), abs=1)
    fine = drawn(made.png(made.blank(400, 200), dpi=144), boxes=box)
    assert edges(fine) == pytest.approx((37, 57, 123, 83), abs=1)


def test_a_picture_that_lies_on_its_side_is_drawn_upright() -> None:
    assert drawn(made.png(made.blank(200, 100), orientation=6)).shape == (200, 100, 3)


def test_a_large_picture_is_drawn_smaller_and_its_boxes_with_it() -> None:
    pixels = drawn(made.png(made.blank(4000, 100)), boxes=((1000.0, 20.0, 2000.0, 60.0),))
    assert pixels.shape == (50, LONGEST, 3)
    assert edges(pixels) == pytest.approx((499, 9, 1001, 31), abs=1)


def test_each_page_of_a_file_can_be_drawn_and_no_other() -> None:
    data = made.tiff([np.full((60, 80), 10 * n, dtype=np.uint8) for n in range(3)])
    assert [int(drawn(data, page=page)[0, 0, 0]) for page in (1, 2, 3)] == [0, 10, 20]
    for page in (0, 4):
        with pytest.raises(Refused) as refused:
            draw_image_page(data, path="a.tiff", page=page)
        assert refused.value.reason == "unsupported"
        assert "3 pages" in str(refused.value)


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        draw_image_page(b"\x89PNG\r\n\x1a\n" + zlib.compress(b"x") + struct.pack(">I", 1), path="a.png", page=1)
    assert refused.value.reason == "broken"
