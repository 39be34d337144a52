"""Small Word documents, written as XML."""

import io
import zipfile
from collections.abc import Mapping

from ragstone.core.types import Extraction
from ragstone.extraction.docx import parse_docx

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>'
)


def relationships(*links: tuple[str, str, str, bool]) -> str:
    """A part's relationships: id, kind, target, whether it leads outside."""
    mode = {True: ' TargetMode="External"', False: ""}
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        + "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{k}" Target="{t}"{mode[out]}/>' for i, k, t, out in links)
        + "</Relationships>"
    )


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these members, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def document(body: str, *, links: Mapping[str, str] | None = None, core: str = "", **parts: str) -> bytes:
    """`assembled` with the parts as keywords."""
    return assembled(body, parts, links=links, core=core)


def assembled(body: str, parts: Mapping[str, str], *, links: Mapping[str, str] | None = None, core: str = "") -> bytes:
    """A document with this body. `links` are addresses by relationship id; `parts` are the insides of `styles`,
    `numbering`, `footnotes`, `comments`, `header1`, `footer1`, `chart1`, with their own names as ids."""
    kinds = [(name, name.rstrip("0123456789"), f"{name}.xml", False) for name in parts]
    outside = [(name, "hyperlink", target, True) for name, target in (links or {}).items()]
    members = {
        "_rels/.rels": relationships(
            ("a", "officeDocument", "word/document.xml", False), ("b", "core-properties", "docProps/core.xml", False)
        ),
        "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relationships(*kinds, *outside),
        **{f"word/{name}.xml": f"<w:{name} {NAMES}>{text}</w:{name}>" for name, text in parts.items()},
    }
    if core:
        members["docProps/core.xml"] = CORE.format(core)
    return archive(members)


def read(body: str, *, links: Mapping[str, str] | None = None, core: str = "", **parts: str) -> Extraction:
    return parse_docx(assembled(body, parts, links=links, core=core), path="a.docx")


def shown(body: str, **parts: str) -> list[tuple[str, int, str]]:
    """The type, level and text of each block."""
    extraction = parse_docx(assembled(body, parts), path="a.docx")
    return [(block.type, block.level, block.text) for block in extraction.blocks]


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*inside: str, style: str = "", properties: str = "") -> str:
    """A paragraph; what is no XML is a run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    runs = "".join(one if one.startswith("<") else run(one) for one in inside)
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def item(text: str, num: int = 1, level: int = 0) -> str:
    return p(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>')


def style(
    name: str, *, called: str, based: str = "", paragraph: str = "", runs: str = "", kind: str = "paragraph"
) -> str:
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{called}"/>{on}'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{runs}</w:rPr></w:style>"
    )


def level(at: int, shape: str, text: str, *, start: int = 1, more: str = "") -> str:
    left = 720 * (at + 1)
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{shape}"/>{more}<w:lvlText w:val="{text}"/>'
        f'<w:pPr><w:ind w:left="{left}"/></w:pPr></w:lvl>'
    )


def numbering(*lists: str, nums: Mapping[int, tuple[int, str]] | None = None) -> str:
    """The levels of lists 0, 1, …; number n+1 is list n unless `nums` says which list, with which overrides."""
    given = nums if nums is not None else {n + 1: (n, "") for n in range(len(lists))}
    return "".join(
        f'<w:abstractNum w:abstractNumId="{n}">{text}</w:abstractNum>' for n, text in enumerate(lists)
    ) + "".join(
        f'<w:num w:numId="{num}"><w:abstractNumId w:val="{n}"/>{text}</w:num>' for num, (n, text) in given.items()
    )


def cell(*inside: str, properties: str = "") -> str:
    paragraphs = "".join(one if one.startswith("<") else p(one) for one in inside) or p()
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraphs}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(one if one.startswith("<w:tc>") else cell(one) for one in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def table(*rows: str, look: str = "", properties: str = "") -> str:
    looks = f"<w:tblLook {look}/>" if look else ""
    return f"<w:tbl><w:tblPr>{looks}{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def field(code: str, result: str) -> str:
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
