"""Which engine reads pictures: the one that is asked for, or the first that is installed."""

from ragstone.core.errors import Refused
from ragstone.extraction.image import rapid, tesseract
from ragstone.extraction.image.ocr_result import OcrEngine

AUTO = "auto"
INSTALL_HINT = "pip install 'ragstone[ocr]' or install tesseract"


def choose_engine(engine: str = AUTO, *, path: str, languages: str = "eng", program: str = "") -> OcrEngine:
    """The engine by name: auto, rapidocr or tesseract, with tesseract's languages and its path where it is not usual.

    Raises `Refused` (unsupported) where it is not installed.
    """
    if engine in (AUTO, rapid.NAME) and not rapid.is_missing():
        return rapid.RapidEngine()
    if engine in (AUTO, tesseract.NAME) and (place := tesseract.find_program(program)):
        return tesseract.TesseractEngine(place, languages)
    raise Refused("unsupported", f"{path} shows text as pixels and no OCR engine is here to read it; {INSTALL_HINT}")
