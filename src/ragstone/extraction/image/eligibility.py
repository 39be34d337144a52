"""Pictures among a folder's documents: which are worth a look, and whether anything here can read them."""

from ragstone.extraction.media_types import IMAGES, PROMISED, file_suffix

ENDINGS = frozenset(name for name, kind in PROMISED.items() if kind in IMAGES)
# Pixels: what is lower or narrower is an icon, a badge, a button. A line of print is some 20 high.
NARROW, LOW = 100, 50


def is_picture(path: str) -> bool:
    """Whether the name says so."""
    return file_suffix(path) in ENDINGS


def is_small(data: bytes) -> bool:
    """Whether a picture is too small to hold text, by what its header says; False for what is none."""
    from ragstone.extraction.image.headers import read_header

    about = read_header(data)
    return about is not None and all(frame.width < NARROW or frame.height < LOW for frame in about.frames)


def ocr_install_hint() -> str:
    """The package to install for OCR; "" where they are."""
    from ragstone.extraction.image import rapid, tesseract
    from ragstone.extraction.image.engines import INSTALL_HINT

    return INSTALL_HINT if rapid.is_missing() and not tesseract.find_program("") else ""
