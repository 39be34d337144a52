"""Types of documents in words, and what a file is whose content does not match its name."""

from ragstone.extraction.media_types import (
    BINARY,
    CONFLUENCE,
    CSV,
    DOC,
    DOCX,
    DRAWING,
    EML,
    EPUB,
    GZIPPED,
    MBOX,
    MEDIAWIKI,
    MHTML,
    MSG,
    NOTEBOOK,
    ODP,
    ODS,
    ODT,
    OLE,
    OLE_WORKBOOK,
    PDF,
    PPT,
    PPTX,
    PROMISED,
    PST,
    ROFF,
    RTF,
    SHAREPOINT,
    SHORTCUT,
    TNEF,
    TSV,
    VSDX,
    WIKI_PAGE,
    WIKIS,
    XLSX,
    XML_WORKBOOK,
    ZIP_END,
    ZIP_TAIL,
    file_suffix,
)

# What stands in a checkout in place of a large file.
POINTER = b"version https://git-lfs.github.com/spec/"
# What Google Drive writes for documents that its own editors keep.
LINKS = (".gdoc", ".gsheet", ".gslides", ".gform", ".gdraw", ".gjam", ".gsite", ".gmap", ".gscript", ".gtable")
LINK, LINK_SIZE = b'"doc_id"', 4000
DESCRIPTIONS = {
    SHORTCUT: "a shortcut of Windows",
    TNEF: "the attachment that Outlook packs a mail into (TNEF)",
    PDF: "a PDF",
    DOCX: "a Word document",
    XLSX: "an Excel workbook",
    OLE_WORKBOOK: "an Excel workbook of before 2007",
    ODS: "an OpenDocument spreadsheet",
    PPTX: "a PowerPoint presentation",
    EML: "an e-mail",
    MBOX: "an archive of e-mails",
    MHTML: "a saved web page",
    MEDIAWIKI: "a dump of a wiki",
    **dict.fromkeys((WIKI_PAGE, *WIKIS), "a page of a wiki"),
    XML_WORKBOOK: "an Excel workbook in XML",
    DRAWING: "a drawing of draw.io",
    CONFLUENCE: "an export of a space of Confluence",
    SHAREPOINT: "a page of SharePoint",
    **{f"image/{kind}": f"a {kind.upper()} picture" for kind in ("png", "jpeg", "gif", "webp", "bmp", "tiff")},
    EPUB: "an EPUB book",
    ODT: "an OpenDocument text",
    ODP: "an OpenDocument presentation",
    VSDX: "a Visio drawing",
    MSG: "an Outlook message",
    PST: "a data file of Outlook (PST or OST)",
    ROFF: "a manual page",
    NOTEBOOK: "a notebook",
    "application/zip": "a ZIP archive",
    DOC: "a Word document of before 2007",
    PPT: "a PowerPoint presentation of before 2007",
    OLE: "an Office file of before 2007",
    RTF: "an RTF document",
    CSV: "a CSV table",
    TSV: "a TSV table",
    GZIPPED: "a text packed by gzip",
    BINARY: "binary data",
    "text/utf-16": "UTF-16 text without a byte order mark",
}


def explain_link(data: bytes, path: str) -> str | None:
    """A sentence for a file that a synchronised folder has in place of a document on the web; None else."""
    if file_suffix(path) not in LINKS or len(data) > LINK_SIZE or LINK not in data:
        return None
    return f"{path} is a link to a document of Google, whose text is not in the file; download it as an Office file"


def explain_wrong_suffix(data: bytes, path: str, media_type: str) -> str | None:
    """A sentence for a document whose content does not match its name, with the remedy; None else.

    Only for content that is nothing known either: a PDF called `.docx` is a PDF.
    """
    promise = PROMISED.get(file_suffix(path))
    if promise is None:
        return None
    if data.startswith(POINTER):
        return f"{path} is a Git LFS pointer and not the file itself; fetch the file with `git lfs pull`"
    if media_type == "application/zip":
        if cut := explain_truncation(data, path):
            return cut
        why = "it is an archive that holds none"
    elif media_type in (BINARY, "text/utf-16"):
        why = "its content is of no kind that is known"
    else:
        return None
    return f"{path} is not {describe_type(promise)} as its name says: {why}; get the file anew, or leave it out"


def explain_truncation(data: bytes, path: str) -> str | None:
    """A sentence for a zip archive that lacks its end, where its directory is, with the remedy; None else."""
    if data.rfind(ZIP_END, -ZIP_TAIL) >= 0:
        return None
    return f"{path} is cut short: the end of its archive is missing; copy or download the file again"


def describe_type(media_type: str) -> str:
    """The type in words, for messages."""
    return DESCRIPTIONS.get(media_type, media_type)
