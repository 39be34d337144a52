"""What the pixels of an image look like to who reads them."""

import io
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.image.decode import decode_pictures
from ragstone.extraction.image.headers import read_header
from tests.extraction.image.made import Pixels, bits, png, tiff
from tests.parts import lacking

CORNER = np.full((40, 60), 255, dtype=np.uint8)
CORNER[:10, :20] = 0  # dark where the page begins


@pytest.fixture(autouse=True)
def vision() -> Any:
    if find_spec("cv2") is None:
        lacking("OpenCV (pip install 'ragstone[ocr]')")
    import cv2

    return cv2


def decoded(data: bytes) -> list[tuple[Pixels, float]]:
    about = read_header(data)
    assert about is not None
    return list(decode_pictures(data, about, path="test"))


def colour(*values: int) -> npt.NDArray[np.uint8]:
    return np.tile(np.array(values, dtype=np.uint8), (40, 60, 1))


def test_colours_keep_their_order() -> None:
    [(pixels, _)] = decoded(png(colour(200, 100, 50)))
    assert pixels.shape == (40, 60, 3)
    assert pixels[0, 0].tolist() == [200, 100, 50]


def test_one_bit_and_sixteen_bits_become_eight() -> None:
    [(one, _)] = decoded(bits(CORNER > 0))
    [(sixteen, _)] = decoded(png(CORNER.astype(np.uint16) * 257))
    for pixels in (one, sixteen):
        assert pixels[0, 0].tolist() == [0, 0, 0]
        assert pixels[39, 59].tolist() == [255, 255, 255]


def test_what_is_transparent_is_white_under_dark_text_and_black_under_bright_text() -> None:
    for letter, ground in ((0, 255), (255, 0)):
        picture = colour(letter, letter, letter, 0)
        picture[:5, :5, 3] = 255
        [(pixels, _)] = decoded(png(picture))
        assert pixels[0, 0].tolist() == [letter] * 3
        assert pixels[39, 59].tolist() == [ground] * 3


def test_half_transparent_is_half_way_to_the_ground() -> None:
    [(pixels, _)] = decoded(png(colour(0, 0, 0, 128)))
    assert abs(int(pixels[0, 0, 0]) - 127) <= 1


@pytest.mark.parametrize("make", [lambda n: png(CORNER, orientation=n), lambda n: tiff([CORNER], orientation=n)])
@pytest.mark.parametrize(
    ("orientation", "corner", "shape"),
    [
        (1, (0, 0), (40, 60)),
        (2, (0, -1), (40, 60)),
        (3, (-1, -1), (40, 60)),
        (4, (-1, 0), (40, 60)),
        (5, (0, 0), (60, 40)),
        (6, (0, -1), (60, 40)),
        (7, (-1, -1), (60, 40)),
        (8, (-1, 0), (60, 40)),
    ],
)
def test_an_image_is_turned_as_its_notes_ask(
    make: Any, orientation: int, corner: tuple[int, int], shape: tuple[int, int]
) -> None:
    [(pixels, _)] = decoded(make(orientation))
    assert pixels.shape[:2] == shape
    dark = [(y, x) for y in (0, -1) for x in (0, -1) if pixels[y, x, 0] == 0]
    assert dark == [corner]


def test_a_jpeg_in_the_colours_of_print_is_read() -> None:
    if find_spec("PIL") is None:
        lacking("Pillow (comes with rapidocr)")
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.stack([CORNER] * 3, axis=2)).convert("CMYK").save(out, "JPEG", quality=95)
    [(pixels, _)] = decoded(out.getvalue())
    assert pixels[2, 2].max() < 40
    assert pixels[35, 55].min() > 215


def test_each_page_of_a_tiff_comes_in_turn() -> None:
    found = decoded(tiff([CORNER, 255 - CORNER, CORNER[:20]]))
    assert [(pixels.shape[0], int(pixels[0, 0, 0])) for pixels, _ in found] == [(40, 0), (40, 255), (20, 0)]


def test_pixels_of_a_fax_become_squares() -> None:
    [(pixels, scale)] = decoded(tiff([CORNER], dpi=(204, 102)))
    assert pixels.shape[:2] == (80, 60)
    assert scale == pytest.approx(204 / 72)


def test_a_point_has_as_many_pixels_as_the_resolution_says() -> None:
    [(_, said)] = decoded(png(CORNER, dpi=300))
    [(_, unsaid)] = decoded(png(CORNER))
    assert said == pytest.approx(300 / 72, rel=1e-3)
    assert unsaid == 1.0


def test_a_very_large_picture_is_made_smaller_and_a_point_with_it(vision: Any) -> None:
    large = np.full((3600, 6400), 255, dtype=np.uint8)
    [(pixels, scale)] = decoded(png(large, dpi=144))
    assert pixels.shape[:2] == (3000, 5333)
    assert scale == pytest.approx(2 * 3000 / 3600, rel=1e-3)
    done, jpeg = vision.imencode(".jpg", np.full((6200, 6200), 255, dtype=np.uint8))
    assert done
    [(pixels, scale)] = decoded(jpeg.tobytes())
    assert max(pixels.shape[:2]) <= 3100
    assert scale == pytest.approx(pixels.shape[0] / 6200, rel=1e-2)


@pytest.mark.parametrize("ending", [".webp", ".bmp", ".gif", ".jpg", ".tiff"])
def test_other_formats_are_decoded(ending: str, vision: Any) -> None:
    done, data = vision.imencode(ending, np.stack([CORNER] * 3, axis=2))
    assert done
    [(pixels, _)] = decoded(data.tobytes())
    assert pixels[2, 2].max() < 40
    assert pixels[35, 55].min() > 215


@pytest.mark.parametrize("data", [png(CORNER)[:40], tiff([CORNER])[:8] + tiff([CORNER])[2000:]])
def test_a_file_without_its_pixels_is_broken(data: bytes) -> None:
    about = read_header(data) or read_header(png(CORNER))
    assert about is not None
    with pytest.raises(Refused) as caught:
        list(decode_pictures(data, about, path="x.png"))
    assert caught.value.reason == "broken"
