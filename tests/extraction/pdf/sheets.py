"""PDFs for tests, written by hand: text at places, lines, turned and cropped pages."""

from collections.abc import Sequence

Text = tuple[float, float, str]  # x, y from the top, text


def stream(data: str, dictionary: str = "") -> str:
    """The body of an object with a stream."""
    return f"<< {dictionary} /Length {len(data.encode('latin-1'))} >>\nstream\n{data}\nendstream"


def meanings(codes: dict[int, str], *, digits: int) -> str:
    """A ToUnicode map as an object: what each code stands for, in UTF-16 as hexadecimal."""
    rows = "\n".join(f"<{code:0{digits}X}> <{said}>" for code, said in codes.items())
    space = f"1 begincodespacerange <{'0' * digits}> <{'F' * digits}> endcodespacerange"
    head = f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap {space}"
    return stream(f"{head} {len(codes)} beginbfchar\n{rows}\nendbfchar endcmap end end")


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def shown(
    x: float, y: float, text: str, *, size: float = 10, font: str = "F1", height: float = 800, extra: str = ""
) -> str:
    """A text at a place counted from the top left; `extra` goes before it: a colour, a render mode."""
    return f"BT {extra} /{font} {size} Tf 1 0 0 1 {x} {height - y} Tm ({escaped(text)}) Tj ET"


def line(x0: float, y0: float, x1: float, y1: float, *, height: float = 800) -> str:
    return f"0.5 w {x0} {height - y0} m {x1} {height - y1} l S"


def pdf(
    pages: Sequence[str],
    *,
    width: float = 600,
    height: float = 800,
    page: str = "",
    catalog: str = "",
    font: str = "",
    resources: str = "",
    objects: Sequence[str] = (),
    title: str = "",
) -> bytes:
    """A PDF of content streams; `page` is added to each page's dictionary (/Rotate, /CropBox).

    More `objects` count from 3, and `catalog`, `resources` and `font` (F3) may speak of them.
    """
    parts = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", "", *objects]
    fonts = (
        "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> "
        "/F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >> "
        f"{'/F3 ' if font else ''}{font} >>"
    )
    kids = []
    for content in pages:
        parts.append(f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream")
        stream = len(parts)
        parts.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] {page} "
            f"/Resources << /Font {fonts} {resources} >> /Contents {stream} 0 R >>"
        )
        kids.append(f"{len(parts)} 0 R")
    info = f"/Info {len(parts) + 1} 0 R " if title else ""
    parts += [f"<< /Title ({title}) >>"] if title else []
    parts[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(parts, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{at:010d} 00000 n \n".encode() for at in places)
    out += f"trailer << /Size {len(parts) + 1} /Root 1 0 R {info}>>\nstartxref\n{table}\n%%EOF".encode()
    return bytes(out)


def paragraph(x: float, y: float, lines: Sequence[str], *, size: float = 10, step: float = 12) -> str:
    return "\n".join(shown(x, y + n * step, text, size=size) for n, text in enumerate(lines))
