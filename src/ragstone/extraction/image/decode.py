"""An image's bytes to pixels as a reader sees them: upright, in colour, on a plain ground."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.core.errors import Refused
from ragstone.extraction.image.headers import Header
from ragstone.extraction.image.ocr_result import Pixels
from ragstone.extraction.image.tiff import Frame

LARGE = 3000  # pixels of the shorter side: nobody prints so small that a page needs more
BRIGHT = 170  # of 255: visible parts so bright are text for a dark ground
SQUARE = 0.05  # resolutions of both sides that differ by more: a fax, whose pixels are no squares


def decode_pictures(data: bytes, about: Header, *, path: str) -> Iterator[tuple[Pixels, float]]:
    """Each frame upright, and the pixels of a point (1/72 inch) in it; a frame that says no resolution has one.

    Raises `Refused`: broken, unsupported (cv2 is not installed).
    """
    for frame in about.frames:
        stored, factor = _decode_frame(data, about, frame, path)
        pixels = _to_rgb(stored)
        del stored
        x, y = frame.dpi or (72.0, 72.0)
        if abs(x - y) > SQUARE * max(x, y):
            pixels, x = _square_pixels(pixels, x, y), max(x, y)
        # OpenCV turns the pages of a TIFF itself, and nothing else that is decoded as it is stored.
        turned = 1 if about.media_type == "image/tiff" else frame.orientation
        yield np.ascontiguousarray(_turn_upright(pixels, turned)), x / 72 / factor


def _decode_frame(data: bytes, about: Header, frame: Frame, path: str) -> tuple[npt.NDArray[Any], float]:
    """The pixels as they are stored, of large pictures fewer: also how many of the file's stand for one."""
    cv2 = load_opencv()
    raw = np.frombuffer(data, dtype=np.uint8)
    try:
        if about.media_type == "image/tiff":
            _, found = cv2.imdecodemulti(raw, cv2.IMREAD_UNCHANGED, range=(frame.index, frame.index + 1))
            picture = found[0] if found else None
        elif about.media_type == "image/jpeg" and min(frame.width, frame.height) >= 2 * LARGE:
            factor = min(8, 1 << (min(frame.width, frame.height) // LARGE).bit_length() - 1)
            smaller = {2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4, 8: cv2.IMREAD_REDUCED_COLOR_8}
            picture = cv2.imdecode(raw, smaller[factor] | cv2.IMREAD_IGNORE_ORIENTATION)
        else:
            picture = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED)
    except (cv2.error, MemoryError) as error:
        if isinstance(error, MemoryError) or "nsufficient memory" in str(error):
            raise MemoryError from error
        picture = None
    if picture is None or not picture.size:
        what = f"picture {frame.index + 1} of {path}" if len(about.frames) > 1 else path
        why = "the file is damaged or of a rare kind" if about.whole else "the file is cut off"
        raise Refused("broken", f"{what} cannot be decoded: {why}; save it again as PNG")
    shorter = min(picture.shape[:2])
    if shorter > LARGE:
        size = tuple(max(1, round(side * LARGE / shorter)) for side in picture.shape[1::-1])
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return picture, max(frame.width, frame.height) / max(picture.shape[:2])


def load_opencv() -> Any:
    """OpenCV, which takes 0.2 s to load; raises `Refused` where it is not installed."""
    try:
        import cv2
    except ImportError as error:
        raise Refused(
            "unsupported", "images are read with OpenCV, which is not installed: pip install 'ragstone[ocr]'"
        ) from error
    cv2.setNumThreads(1)
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what it says of damaged files, we say
    return cv2


def _to_rgb(stored: npt.NDArray[Any]) -> Pixels:
    """8 bits of red, green and blue; what is transparent shows white, or black under bright text."""
    picture = _to_bytes(stored)
    if picture.ndim == 2:
        return np.repeat(picture[:, :, None], 3, axis=2)
    channels = picture.shape[2]
    if channels == 1:
        return np.repeat(picture, 3, axis=2)
    if channels == 2:
        return _blend_ground(np.repeat(picture[:, :, :1], 3, axis=2), picture[:, :, 1])
    colours: Pixels = picture[:, :, 2::-1]
    return colours if channels == 3 else _blend_ground(colours, picture[:, :, 3])


def _to_bytes(stored: npt.NDArray[Any]) -> Pixels:
    if stored.dtype == np.uint8:
        return stored
    if stored.dtype == np.uint16:
        return (stored >> 8).astype(np.uint8)
    values = np.nan_to_num(stored.astype(np.float32))
    low, high = float(values.min()), float(values.max())
    return ((values - low) * (255.0 / max(high - low, 1e-6))).astype(np.uint8)


def _blend_ground(colours: Pixels, alpha: Pixels) -> Pixels:
    if alpha.min() == 255:
        return colours
    seen = alpha > 127
    ground = 0 if seen.any() and colours[seen].mean() > BRIGHT else 255
    out = np.empty(colours.shape, dtype=np.uint8)
    weight = alpha.astype(np.uint16)
    for channel in range(3):
        mixed = colours[:, :, channel] * weight + ground * (255 - weight)
        out[:, :, channel] = mixed // 255
    return out


def _square_pixels(pixels: Pixels, x: float, y: float) -> Pixels:
    height, width = pixels.shape[:2]
    most = max(x, y)
    size = (round(width * most / x), round(height * most / y))
    cv2 = load_opencv()
    made: Pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_LINEAR)
    return made


def _turn_upright(pixels: Pixels, orientation: int) -> Pixels:
    """As EXIF's orientation asks: mirrored for 2, 4, 5 and 7, then turned."""
    if orientation in (2, 4, 5, 7):
        pixels = pixels[:, ::-1]
    return np.rot90(pixels, {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0))
