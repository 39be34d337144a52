"""The few calls of pdfium that are made for each character, as cheap as Python can call them."""

import ctypes
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice, starmap
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ragstone.core.errors import Refused

Pointer, Int, UInt, Size = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_size_t
Float = ctypes.c_float
PASSWORD = 4  # FPDF_ERR_PASSWORD
PASSWORD_CLASH = 5  # FPDF_ERR_SECURITY


def _bind_function(name: str, result: Any, *arguments: Any) -> Any:
    """A foreign function that keeps the interpreter's lock: two to three times cheaper for short calls.

    Without kinds of `arguments` it must be given whole numbers of 32 bits as they are, and every address
    as `pointer` or `ctypes.byref` makes it: what is ready to be passed takes half the time of what is
    converted at each call.
    """
    address = ctypes.cast(getattr(raw, name), Pointer).value
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


pointer: Any = Pointer.from_param  # an address, ready to be passed

# Asked for each character, text object or path.
unicode_of = _bind_function("FPDFText_GetUnicode", UInt)
object_of = _bind_function("FPDFText_GetTextObject", Size)
box_of = _bind_function("FPDFText_GetCharBox", None)
origin_of = _bind_function("FPDFText_GetCharOrigin", None)
matrix_of = _bind_function("FPDFText_GetMatrix", None)
size_of = _bind_function("FPDFTextObj_GetFontSize", None)
mode_of = _bind_function("FPDFTextObj_GetTextRenderMode", Int)
font_of = _bind_function("FPDFTextObj_GetFont", Size)
fill_of = _bind_function("FPDFPageObj_GetFillColor", None)
stroke_of = _bind_function("FPDFPageObj_GetStrokeColor", None)
object_of_page = _bind_function("FPDFPage_GetObject", Size)
type_of = _bind_function("FPDFPageObj_GetType", Int)
bounds_of = _bind_function("FPDFPageObj_GetBounds", None)
object_matrix_of = _bind_function("FPDFPageObj_GetMatrix", Int)
segments_of = _bind_function("FPDFPath_CountSegments", Int)
segment_of = _bind_function("FPDFPath_GetPathSegment", Size)
point_of = _bind_function("FPDFPathSegment_GetPoint", None)
kind_of = _bind_function("FPDFPathSegment_GetType", Int)
closes_path = _bind_function("FPDFPathSegment_GetClose", Int)
draw_mode_of = _bind_function("FPDFPath_GetDrawMode", None)
has_unicode_error = _bind_function("FPDFText_HasUnicodeMapError", Int)
is_hyphen = _bind_function("FPDFText_IsHyphen", Int)
activate = _bind_function("FPDFPageObj_SetIsActive", Int)

# Asked for each page, form or font.
text_of = _bind_function("FPDFText_GetText", Int, Pointer, Int, Int, Pointer)
font_name_of = _bind_function("FPDFFont_GetBaseFontName", Size, Pointer, Pointer, Size)
font_weight_of = _bind_function("FPDFFont_GetWeight", Int, Pointer)
font_flags_of = _bind_function("FPDFFont_GetFlags", Int, Pointer)
glyph_width_of = _bind_function("FPDFFont_GetGlyphWidth", Int, Pointer, UInt, Float, Pointer)
objects_of_page = _bind_function("FPDFPage_CountObjects", Int, Pointer)
objects_of_form = _bind_function("FPDFFormObj_CountObjects", Int, Pointer)
object_of_form = _bind_function("FPDFFormObj_GetObject", Size, Pointer, ctypes.c_ulong)


def call_each(function: Any, *arguments: Iterable[Any]) -> Iterator[Any]:
    """Call a function with each item of `arguments` in turn: a tenth cheaper than `map`."""
    return starmap(function, zip(*arguments))  # noqa: B905  # some go on for ever


SLOTS = 1024  # addresses that are made once for all calls: 256 to 4096 are equally fast, and more take longer to make


@cache
def _result_slots(kind: str, columns: int, addresses: int) -> tuple[npt.NDArray[Any], list[list[Any]]]:
    """A buffer of `SLOTS` rows, and the addresses of the first values of each, column by column."""
    buffer = np.zeros((SLOTS, columns), dtype=kind)
    block = (ctypes.c_char * buffer.nbytes).from_buffer(buffer.data)
    rows = range(0, buffer.nbytes, buffer.strides[0])
    return buffer, [[ctypes.byref(block, row + buffer.itemsize * k) for row in rows] for k in range(addresses)]


def call_into_array(
    function: Any,
    kind: str,
    count: int,
    *arguments: Iterable[Any],
    columns: int = 1,
    addresses: int = 1,
    unknown: int = 0,
) -> npt.NDArray[Any]:
    """The values that a foreign function writes in `count` calls, shape (count, columns); `unknown` where it fails.

    It is given one of each of `arguments` and then as many `addresses`: of the first value, the second …
    """
    out = np.zeros((count, columns), dtype=kind)
    buffer, places = _result_slots(kind, columns, addresses)
    leading, *rest = [iter(each) for each in arguments]
    for first in range(0, count, SLOTS):
        end = min(count, first + SLOTS)
        buffer[: end - first] = unknown
        deque(call_each(function, islice(leading, end - first), *rest, *places), maxlen=0)
        out[first:end] = buffer[: end - first]
    return out


def address_of(handle: Any) -> int:
    """The address behind a handle of the wrapper or of its raw layer."""
    return int(ctypes.cast(getattr(handle, "raw", handle), Pointer).value or 0)


def _init_forms(document: Any) -> None:
    """Make what a document's form is filled in with known and drawn; to be called before its pages are loaded.

    The wrapper's own call writes to the log about forms of XFA, of which the plain fields are read as all are.
    """
    if document.get_formtype() == raw.FORMTYPE_NONE:
        return
    config = raw.FPDF_FORMFILLINFO(version=2)
    if handle := raw.FPDFDOC_InitFormFillEnvironment(document, config):
        document.formenv = pdfium.PdfFormEnv(handle, config)


@contextmanager
def open_document(data: bytes, *, path: str, password: str | None) -> Iterator[Any]:
    """The document behind `data`, its form included; raises `Refused`: encrypted, broken."""
    try:
        document = pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (PASSWORD, PASSWORD_CLASH):
            wrong = "the password does not open it" if password else "it is protected by a password"
            raise Refused("encrypted", f"{path}: {wrong}; give the right one with --password") from error
        raise Refused("broken", f"{path} is not a readable PDF; export or repair it again") from error
    try:
        _init_forms(document)
        yield document
    finally:
        document.close()
