"""From bytes to a text of record and its blocks: the table of media types and their extractors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import TypeVar

from ragstone.core.errors import Refused
from ragstone.core.ports import Extractor
from ragstone.core.types import Extraction
from ragstone.extraction import sandbox
from ragstone.extraction.code_languages import lacks_grammars
from ragstone.extraction.decoding import encoding_from_bom
from ragstone.extraction.document_sizes import STANDARD, Limits, check_size, is_text
from ragstone.extraction.export_formats import EXPORTS
from ragstone.extraction.gzipped import unpack_text
from ragstone.extraction.media_types import (
    ARCHIVES,
    BIBLIOGRAPHY,
    BY_NAME,
    CALENDAR,
    CANVAS,
    CARD,
    CODE,
    CSV,
    DOC,
    DOCX,
    EML,
    EPUB,
    GZIP,
    GZIPPED,
    HTML,
    IMAGES,
    JSON,
    MARKUP,
    MBOX,
    MEDIAWIKI,
    MHTML,
    MSG,
    NOTEBOOK,
    ODP,
    ODT,
    OLE,
    OLE_WORKBOOK,
    PDF,
    PPT,
    PPTX,
    PST,
    ROFF,
    RTF,
    SPREADSHEETS,
    SUBTITLES,
    TNEF,
    TSV,
    VSDX,
    WIKI_PAGE,
    WIKIS,
    XML,
    YAML,
    ZIP,
    detect,
    file_suffix,
)
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.sandbox.document_limits import Bounds
from ragstone.extraction.type_names import describe_type, explain_link, explain_wrong_suffix

__all__ = [
    "EXTRACTORS",
    "SANDBOXED_FORMATS",
    "Bounds",
    "Limits",
    "SandboxedFormat",
    "check_size",
    "detect",
    "extract",
    "recipe",
    "refuse_binary",
    "try_passwords",
]

T = TypeVar("T")


# Imported when the first document of a type comes: a search needs no parser and should not wait for one.
def _make_markdown() -> Extractor:
    from ragstone.extraction.markdown.parse import Markdown

    return Markdown()


def _make_text(media_type: str, people: Mapping[str, str] | None = None) -> Extractor:
    from ragstone.extraction.plain_text import PlainText

    return PlainText(media_type=media_type, people=people or {})


def _load(place: str, *media_type: str) -> Extractor:
    """An extractor by "module:class", for a media type where it reads several."""
    module, _, name = place.partition(":")
    made: Extractor = getattr(import_module(f"ragstone.extraction.{module}"), name)(*media_type)
    return made


EXTRACTORS: Mapping[str, Callable[[], Extractor]] = MappingProxyType(
    {
        "text/markdown": _make_markdown,
        "text/plain": lambda: _make_text("text/plain"),
        JSON: lambda: _make_text(JSON),
        SUBTITLES: partial(_load, "subtitles:Subtitles"),
        YAML: partial(_load, "yaml_outline:Yaml"),
        **{kind: partial(_load, "cards:Cards", kind) for kind in (CALENDAR, CARD)},
        **{kind: partial(_load, "markup.parse:Markup", kind) for kind in MARKUP},
    }
)


@dataclass(frozen=True, slots=True)
class SandboxedFormat:
    """A format whose parser runs in a process of its own: recipe, "module:function", whether it takes a password."""

    recipe: str
    parser: str
    locked: bool = False


UNDECIDED = (ZIP, OLE, GZIPPED, "text/utf-16")  # by the start of a file alone
CONVERTED: Mapping[str, str] = MappingProxyType({DOC: DOCX, PPT: PPTX})  # by another program, before they are read
# Text formats whose first lines may say who sees them, beside what their parsers read.
HEADED = (XML, EML, MHTML, CODE, ROFF, WIKI_PAGE, *WIKIS)
HEADED_RECORDS = (NOTEBOOK, RTF, ODT, ODP, EPUB, *EXPORTS)  # formats whose text may begin with such lines
WORKBOOK = SandboxedFormat("workbook/9", "ragstone.extraction.spreadsheet.workbook:parse_workbook")
IMAGE = SandboxedFormat("image/3", "ragstone.extraction.image.parse:parse_image")
LARGE_JSON = SandboxedFormat("", "ragstone.extraction.plain_text:parse_json")
DELIMITED = SandboxedFormat("csv/8", "ragstone.extraction.spreadsheet.delimited:parse_delimited")
SANDBOXED_FORMATS: Mapping[str, SandboxedFormat] = MappingProxyType(
    {
        HTML: SandboxedFormat("html/17", "ragstone.extraction.html.parse:parse_html"),
        XML: SandboxedFormat("feed/11", "ragstone.extraction.xml_formats.parse:parse_xml_file"),
        MEDIAWIKI: SandboxedFormat("mediawiki/1", "ragstone.extraction.mediawiki.dump:parse_dump"),
        WIKI_PAGE: SandboxedFormat("wiki-page/1", "ragstone.extraction.mediawiki.dump:parse_page"),
        **{kind: SandboxedFormat("wiki/1", f"ragstone.extraction.wiki.parse:parse_{kind[7:]}") for kind in WIKIS},
        MHTML: SandboxedFormat("mhtml/13", "ragstone.extraction.mail.mhtml:parse_mhtml"),
        PDF: SandboxedFormat("pdf/12", "ragstone.extraction.image.pdf_with_ocr:parse_pdf", locked=True),
        DOCX: SandboxedFormat("docx/8", "ragstone.extraction.docx.parse:parse_docx"),
        PPTX: SandboxedFormat("pptx/8", "ragstone.extraction.pptx.parse:parse_pptx"),
        EML: SandboxedFormat("eml/15", "ragstone.extraction.mail.eml:parse_eml"),
        MBOX: SandboxedFormat("mbox/6", "ragstone.extraction.mail.mbox:parse_mbox"),
        CSV: DELIMITED,
        TSV: DELIMITED,
        CODE: SandboxedFormat("code/5", "ragstone.extraction.source_code:parse_code"),
        EPUB: SandboxedFormat("epub/8", "ragstone.extraction.epub:parse_epub"),
        MSG: SandboxedFormat("msg/11", "ragstone.extraction.mail.msg:parse_msg"),
        TNEF: SandboxedFormat("tnef/1", "ragstone.extraction.mail.winmail:parse_tnef"),
        BIBLIOGRAPHY: SandboxedFormat("bibliography/1", "ragstone.extraction.bibliographies:parse_bibliography"),
        NOTEBOOK: SandboxedFormat("notebook/4", "ragstone.extraction.notebook:parse_notebook"),
        ROFF: SandboxedFormat("roff/2", "ragstone.extraction.roff.parse:parse_roff"),
        ODT: SandboxedFormat("odt/3", "ragstone.extraction.odt:parse_odt"),
        ODP: SandboxedFormat("odp/2", "ragstone.extraction.odp:parse_odp"),
        VSDX: SandboxedFormat("vsdx/3", "ragstone.extraction.vsdx:parse_vsdx"),
        RTF: SandboxedFormat("rtf/3", "ragstone.extraction.rtf:parse_rtf"),
        **{kind: SandboxedFormat(*how) for kind, how in EXPORTS.items()},
        OLE_WORKBOOK: WORKBOOK,
        **dict.fromkeys(SPREADSHEETS, WORKBOOK),
        **dict.fromkeys(IMAGES, IMAGE),
    }
)


@cache
def _find_extractor(media_type: str) -> Extractor | None:
    return maker() if (maker := EXTRACTORS.get(media_type)) is not None else None


def extract(
    data: bytes,
    *,
    path: str,
    limits: Limits = STANDARD,
    passwords: Sequence[str] = (),
    processes: sandbox.Sandbox | None = None,
    people: Mapping[str, str] | None = None,
) -> Extraction:
    """The text of record and the blocks of a document; `path` gives the name for messages and for its ending.

    `passwords` are tried in turn on encrypted documents. `processes` run the parsers of other formats, else those that
    all share who have none of their own. `people` are names that an export of a chat tells in another file.
    Raises `Refused` and nothing else: empty, too_large, not_text (binary under a
    text's name), encoding, unsupported (a format without an extractor), and what a parser of another format
    finds (encrypted, broken, no_text, too_slow, too_big, sandbox); binary (no document).
    """
    if not data or data.isspace():
        raise Refused("empty", f"{path} is empty")
    media_type = detect(data, path)
    check_size(len(data), media_type, path=path, limits=limits)
    if link := explain_link(data, path):
        raise Refused("unsupported", link)
    if wrong := explain_wrong_suffix(data, path, media_type):
        raise Refused("broken", wrong)
    if media_type == GZIPPED:
        text, name = unpack_text(data, path=path, most=limits.text)
        if not is_text(detect(text, name)):
            raise _refuse_unread(GZIP, path)
        return extract(text, path=name, limits=limits, processes=processes, people=people)
    reader = processes or sandbox.get_shared()
    if media_type == JSON and (len(data) > limits.text or file_suffix(path) == CANVAS):
        return _extract_in_sandbox(LARGE_JSON, data, path, limits.bounds, (), reader, people=people)
    if media_type == JSON and people:
        return _make_text(JSON, people).extract(data, path=path)
    extractor = _find_extractor(media_type)
    if extractor is not None:
        return extractor.extract(data, path=path)
    if media_type in CONVERTED:
        return _extract_converted(data, media_type, path, limits.bounds, reader)
    if media_type in SANDBOXED_FORMATS:
        return _extract_in_sandbox(SANDBOXED_FORMATS[media_type], data, path, limits.bounds, passwords, reader)
    if file_suffix(path) in (*BY_NAME, ".txt") and not media_type.startswith("text/"):
        raise Refused(
            "not_text", f"{path} is not text: it looks like {describe_type(media_type)}; rename it to match its content"
        )
    raise _refuse_unread(media_type, path)


def _extract_converted(
    data: bytes, media_type: str, path: str, bounds: Bounds, processes: sandbox.Sandbox
) -> Extraction:
    """A document of an older format, as the parser of today's reads it."""
    from ragstone.extraction import old_office

    made = old_office.convert(data, media_type, path=path, bounds=bounds)
    found = _extract_in_sandbox(SANDBOXED_FORMATS[CONVERTED[media_type]], made, path, bounds, (), processes)
    return replace(found, media_type=media_type)


def _refuse_unread(media_type: str, path: str) -> Refused:
    """The refusal of a type without an extractor."""
    what = describe_type(media_type)
    if media_type == OLE:
        return Refused("unsupported", f"{path} is {what}: save it as DOCX, PPTX or PDF")
    if media_type == PST:
        return Refused("unsupported", f"{path} is {what}: export its mails as .msg, .eml or mbox")
    why = "which Ragstone does not open: unpack it" if media_type in ARCHIVES else "of no format that Ragstone reads"
    if media_type == ZIP and file_suffix(path) in (".zip", ""):
        why = f"whose files are documents of their own, such as {path}/FILE: name one, or unpack it"
    return Refused("binary", f"{path} is {what}, {why}")


def refuse_binary(media_type: str, *, path: str) -> None:
    """Raises `Refused` (binary) for a type that Ragstone never reads."""
    known = (*UNDECIDED, *CONVERTED, *SANDBOXED_FORMATS)
    if media_type not in known and _find_extractor(media_type) is None:
        raise _refuse_unread(media_type, path)


def _extract_in_sandbox(
    foreign: SandboxedFormat,
    data: bytes,
    path: str,
    bounds: Bounds,
    passwords: Sequence[str],
    processes: sandbox.Sandbox,
    people: Mapping[str, str] | None = None,
) -> Extraction:
    """What the parser makes of it in the sandbox."""
    known: Mapping[str, object] = {"people": dict(people)} if people else {}

    def read(options: Mapping[str, object]) -> Extraction:
        return processes.run(foreign.parser, data, path=path, options={**options, **known}, bounds=bounds)

    found = try_passwords(read, passwords if foreign.locked else ())
    marked = encoding_from_bom(data)
    head = data.decode(marked[0] if marked else "utf-8", errors="replace") if found.media_type in HEADED else ""
    return close_if_marked(found, found.record if found.media_type in HEADED_RECORDS else head)


def try_passwords(read: Callable[[Mapping[str, object]], T], passwords: Sequence[str]) -> T:
    """Call `read` with the options of the first password that opens a document; none is tried first."""
    tries: list[Mapping[str, object]] = [{}, *({"password": password} for password in passwords)]
    while True:
        try:
            return read(tries.pop(0))
        except Refused as error:
            if error.reason != "encrypted" or not tries:
                raise


def recipe(media_type: str) -> str:
    """Name and version of the extractor for a media type; "" where there is none."""
    if media_type == CODE and lacks_grammars():
        return "code-paragraphs/4"
    if media_type in CONVERTED:
        return f"libreoffice-{SANDBOXED_FORMATS[CONVERTED[media_type]].recipe}"
    if media_type in SANDBOXED_FORMATS:
        return SANDBOXED_FORMATS[media_type].recipe
    return extractor.recipe if (extractor := _find_extractor(media_type)) is not None else ""
