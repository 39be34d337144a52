"""The few calls of pdfium that are made for each character, as cheap as Python can call them."""

import ctypes
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ragstone.errors import Refused

Pointer, Int, UInt, Float = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_float
PASSWORD = 4  # FPDF_ERR_PASSWORD
PASSWORD_CLASH = 5  # FPDF_ERR_SECURITY


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """A foreign function that keeps the interpreter's lock: two to three times cheaper for short calls."""
    address = ctypes.cast(getattr(raw, name), Pointer).value
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


unicode_of = _function("FPDFText_GetUnicode", UInt, Pointer, Int)
text_of = _function("FPDFText_GetText", Int, Pointer, Int, Int, Pointer)
object_of = _function("FPDFText_GetTextObject", ctypes.c_size_t, Pointer, Int)
box_of = _function("FPDFText_GetCharBox", Int, Pointer, Int, Pointer, Pointer, Pointer, Pointer)
origin_of = _function("FPDFText_GetCharOrigin", Int, Pointer, Int, Pointer, Pointer)
matrix_of = _function("FPDFText_GetMatrix", Int, Pointer, Int, Pointer)
size_of = _function("FPDFTextObj_GetFontSize", Int, Pointer, Pointer)
mode_of = _function("FPDFTextObj_GetTextRenderMode", Int, Pointer)
font_of = _function("FPDFTextObj_GetFont", ctypes.c_size_t, Pointer)
font_name_of = _function("FPDFFont_GetBaseFontName", ctypes.c_size_t, Pointer, Pointer, ctypes.c_size_t)
font_weight_of = _function("FPDFFont_GetWeight", Int, Pointer)
font_flags_of = _function("FPDFFont_GetFlags", Int, Pointer)
glyph_width_of = _function("FPDFFont_GetGlyphWidth", Int, Pointer, UInt, Float, Pointer)
fill_of = _function("FPDFPageObj_GetFillColor", Int, Pointer, Pointer, Pointer, Pointer, Pointer)
stroke_of = _function("FPDFPageObj_GetStrokeColor", Int, Pointer, Pointer, Pointer, Pointer, Pointer)
width_of = _function("FPDFPageObj_GetStrokeWidth", Int, Pointer, Pointer)
type_of = _function("FPDFPageObj_GetType", Int, Pointer)
bounds_of = _function("FPDFPageObj_GetBounds", Int, Pointer, Pointer, Pointer, Pointer, Pointer)
object_matrix_of = _function("FPDFPageObj_GetMatrix", Int, Pointer, Pointer)
objects_of_page = _function("FPDFPage_CountObjects", Int, Pointer)
object_of_page = _function("FPDFPage_GetObject", Pointer, Pointer, Int)
objects_of_form = _function("FPDFFormObj_CountObjects", Int, Pointer)
object_of_form = _function("FPDFFormObj_GetObject", Pointer, Pointer, ctypes.c_ulong)
segments_of = _function("FPDFPath_CountSegments", Int, Pointer)
segment_of = _function("FPDFPath_GetPathSegment", Pointer, Pointer, Int)
point_of = _function("FPDFPathSegment_GetPoint", Int, Pointer, Pointer, Pointer)
kind_of = _function("FPDFPathSegment_GetType", Int, Pointer)
closed_of = _function("FPDFPathSegment_GetClose", Int, Pointer)
drawn_of = _function("FPDFPath_GetDrawMode", Int, Pointer, Pointer, Pointer)


PREPARED = 2048  # calls; most pages need no more
_NUMBERS: list[ctypes.c_int] = []


def numbers(count: int) -> Iterable[Any]:
    """0, 1 … as arguments of foreign calls; those that are made once for all calls cost a third less."""
    if not _NUMBERS:
        _NUMBERS.extend(map(Int, range(PREPARED)))
    return _NUMBERS[:count] if count <= PREPARED else chain(_NUMBERS, range(PREPARED, count))


@cache
def _slots(kind: str, columns: int, addresses: int) -> tuple[npt.NDArray[Any], list[list[ctypes.c_void_p]]]:
    """A buffer of `PREPARED` rows, and the addresses of the first values of each, column by column."""
    buffer = np.zeros((PREPARED, columns), dtype=kind)
    rows = range(buffer.ctypes.data, buffer.ctypes.data + buffer.nbytes, buffer.strides[0])
    return buffer, [[Pointer(row + buffer.itemsize * k) for row in rows] for k in range(addresses)]


def asked(
    function: Any, kind: str, count: int, *arguments: Iterable[Any], columns: int = 1, addresses: int = 1
) -> npt.NDArray[Any]:
    """What a foreign function writes for each of `count` calls, (count, columns); zeros where it fails.

    It is given one of each of `arguments` and then as many `addresses`: of the first value, the second …
    """
    out = np.zeros((count, columns), dtype=kind)
    buffer, places = _slots(kind, columns, addresses)
    rest = [iter(each) for each in arguments]
    for first in range(0, count, PREPARED):
        end = min(count, first + PREPARED)
        buffer[: end - first] = 0
        parts = [islice(each, end - first) for each in rest]
        deque(map(function, *parts, *places), maxlen=0)
        out[first:end] = buffer[: end - first]
    return out


def address(handle: Any) -> int:
    """The address behind a handle of the wrapper or of its raw layer."""
    return int(ctypes.cast(getattr(handle, "raw", handle), Pointer).value or 0)


@contextmanager
def opened(data: bytes, *, path: str, password: str | None) -> Iterator[Any]:
    """The document behind `data`; raises `Refused`: encrypted, broken."""
    try:
        document = pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (PASSWORD, PASSWORD_CLASH):
            wrong = "the password does not open it" if password else "it is protected by a password"
            raise Refused("encrypted", f"{path}: {wrong}; give the right one with --password") from error
        raise Refused("broken", f"{path} is no PDF that can be read; export or repair it again") from error
    try:
        yield document
    finally:
        document.close()
