"""Annotations of a page: values of forms, typed notes, comments, files."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from ragstone.core.page_layout import Box
from ragstone.core.types import Json
from ragstone.extraction.pdf.characters.glyphs import View

MOST = 5_000  # annotations of one page
LONGEST = 100_000  # bytes of one text
UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
SECRET = 1 << 13  # PDF 32000-1, table 228: the field holds a password
TEXTS = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
TICKS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
SILENT = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)  # a link says nothing, a popup what its remark says
OPTIONS = 1_000  # of one field
UNNAMED = "a file"
FONT_SIZE = re.compile(r"([\d.]{1,10})\s+Tf")


class BoxText(NamedTuple):
    """Text typed into a box of the page; `size` of its letters in points, 0 where the file leaves it open."""

    text: str
    box: Box
    size: float


@dataclass(slots=True)
class Annotations:
    """Texts that a reader sees on the page, remarks that open at a click, and the names of attached files."""

    typed: list[BoxText] = field(default_factory=list)
    remarks: list[Json] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    hidden: int = 0  # letters that nobody can see


def read_annotations(page: Any, number: int, view: View) -> Annotations:
    """Read the annotations of a page; `number` counts from 1."""
    out = Annotations()
    form = page.pdf.formenv.raw if page.pdf.formenv else None
    for at in range(min(raw.FPDFPage_GetAnnotCount(page.raw), MOST)):
        with _open_annotation(page, at) as one:
            kind = raw.FPDFAnnot_GetSubtype(one) if one else raw.FPDF_ANNOT_LINK
            if kind not in SILENT:
                _take_annotation(one, kind, form, number, view, out)
    return out


@contextmanager
def _open_annotation(page: Any, at: int) -> Iterator[Any]:
    one = raw.FPDFPage_GetAnnot(page.raw, at)
    try:
        yield one
    finally:
        if one:
            raw.FPDFPage_CloseAnnot(one)


def _take_annotation(one: Any, kind: int, form: Any, number: int, view: View, out: Annotations) -> None:
    if kind == raw.FPDF_ANNOT_FILEATTACHMENT:
        out.files.append(_attachment_name(one))
    elif kind in (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT):
        text = _string_value(one, b"Contents") if kind == raw.FPDF_ANNOT_FREETEXT else _field_value(one, form)
        if not text.strip():
            return
        box = _visible_box(one, view)
        if raw.FPDFAnnot_GetFlags(one) & UNSEEN or box is None:
            out.hidden += sum(not letter.isspace() for letter in text)
        else:
            size = FONT_SIZE.search(_string_value(one, b"DA"))
            out.typed.append(BoxText(text, box, _parse_number(size[1]) if size else 0.0))
    elif text := _string_value(one, b"Contents").strip():
        about = {"author": _string_value(one, b"T"), "date": _string_value(one, b"M"), "text": text}
        out.remarks.append({"page": number, **{key: said for key, said in about.items() if said}})


def _field_value(one: Any, form: Any) -> str:
    """What a field shows: its text, the names of what is chosen, a tick or an empty box."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, one) if form else -1
    if kind in TICKS:
        return "☒" if raw.FPDFAnnot_IsChecked(form, one) else "☐"
    if kind in TEXTS:
        if raw.FPDFAnnot_GetFormFieldFlags(form, one) & SECRET:
            return ""
        chosen = list(_read_selected_options(one, form)) if kind in CHOICES else []
        return "\n".join(chosen) or _read_text(raw.FPDFAnnot_GetFormFieldValue, form, one)
    known = kind > raw.FPDF_FORMFIELD_UNKNOWN or _string_value(one, b"FT") != "Tx"
    return "" if known else _string_value(one, b"V")  # a field that the document's form does not list


def _read_selected_options(one: Any, form: Any) -> Iterator[str]:
    for at in range(min(raw.FPDFAnnot_GetOptionCount(form, one), OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, one, at):
            yield _read_text(raw.FPDFAnnot_GetOptionLabel, form, one, at)


def _attachment_name(one: Any) -> str:
    attached = raw.FPDFAnnot_GetFileAttachment(one)
    return (_read_text(raw.FPDFAttachment_GetName, attached) if attached else "") or UNNAMED


def _visible_box(one: Any, view: View) -> Box | None:
    """Where a reader sees it; None where that is not on the page."""
    rect = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(one, ctypes.byref(rect)):
        return None
    ax, ay = view.map_point(rect.left, rect.top)
    bx, by = view.map_point(rect.right, rect.bottom)
    x0, y0, x1, y1 = min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
    on = x1 > x0 and y1 > y0 and 0 <= (x0 + x1) / 2 <= view.width and 0 <= (y0 + y1) / 2 <= view.height
    return (max(0.0, x0), max(0.0, y0), min(x1, view.width), min(y1, view.height)) if on else None


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _string_value(one: Any, key: bytes) -> str:
    return _read_text(raw.FPDFAnnot_GetStringValue, one, key)


def iterate_embedded(document: Any) -> Iterator[tuple[str, Any]]:
    """The names and handles of the files that a document embeds as a whole."""
    for at in range(min(raw.FPDFDoc_GetAttachmentCount(document), MOST)):
        one = raw.FPDFDoc_GetAttachment(document, at)
        yield (_read_text(raw.FPDFAttachment_GetName, one) if one else "") or UNNAMED, one


def iterate_attached(page: Any) -> Iterator[tuple[str, Any]]:
    """The names and handles of the files that are attached to a page."""
    for at in range(min(raw.FPDFPage_GetAnnotCount(page.raw), MOST)):
        with _open_annotation(page, at) as one:
            if one and raw.FPDFAnnot_GetSubtype(one) == raw.FPDF_ANNOT_FILEATTACHMENT:
                yield _attachment_name(one), raw.FPDFAnnot_GetFileAttachment(one)


def _read_text(function: Any, *arguments: Any) -> str:
    """A text as pdfium gives it, in UTF-16: first its length, then itself."""
    length = function(*arguments, None, 0)
    if not 2 < length <= LONGEST:
        return ""
    buffer = ctypes.create_string_buffer(length)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")
