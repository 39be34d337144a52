"""From the coordinates of an object, and of the forms it stands in, to what a reader sees."""

import ctypes
from typing import Any

from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.glyphs import View

Matrix = tuple[Any, Any, Any, Any, Any, Any]  # a to f of PDF 32000-1, 8.3.3; numbers, or arrays of them
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

_BUFFER = (ctypes.c_float * 6)()
_AT = ctypes.byref(_BUFFER)


def read_matrix(item: Any) -> Matrix:
    """The matrix of one object."""
    if not pdfium.object_matrix_of(item, _AT):
        return IDENTITY
    return _BUFFER[0], _BUFFER[1], _BUFFER[2], _BUFFER[3], _BUFFER[4], _BUFFER[5]


def multiply_matrices(a: Matrix, b: Matrix) -> Matrix:
    """First a, then b."""
    return (
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    )


def map_to_page(x: Any, y: Any, m: Matrix, view: View) -> tuple[Any, Any]:
    """Where a reader sees a point, or arrays of them."""
    return view.map_point(m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5])
