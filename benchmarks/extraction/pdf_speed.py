"""Pages a CPU second and peak memory, beside the bare engine that was measured first.

    python benchmarks/extraction/pdf_speed.py FILE … [--engine ragstone|liteparse] [--pages 3000]

With `--pages` the files' pages are repeated in one PDF of so many pages before the clock starts. CPU time is of
this process; run both engines one after the other on the same machine and compare the ratio.
"""

import argparse
import io
import json
import resource
import tempfile
import time
from pathlib import Path

import pypdfium2


def repeated(paths: list[Path], pages: int) -> bytes:
    """One PDF with the pages of the files again and again."""
    out = pypdfium2.PdfDocument.new()
    sources = [pypdfium2.PdfDocument(path.read_bytes()) for path in paths]
    while len(out) < pages:
        for source in sources:
            out.import_pages(source, list(range(min(len(source), pages - len(out)))))
    buffer = io.BytesIO()
    out.save(buffer)
    return buffer.getvalue()


def ragstone(data: bytes) -> int:
    from ragstone.extraction.image.pdf_with_ocr import parse_pdf

    return int(parse_pdf(data, path="speed.pdf", ocr=False).meta["pages"])


def liteparse(data: bytes) -> int:
    from liteparse import LiteParse

    parser = LiteParse(output_format="json", image_mode="off", ocr_enabled=False, quiet=True, extract_blocks=True)
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(data)
        file.flush()
        return len(parser.parse(file.name).pages)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", type=Path, nargs="+")
    arguments.add_argument("--engine", choices=("ragstone", "liteparse"), default="ragstone")
    arguments.add_argument("--pages", type=int, help="repeat the pages in one file of so many")
    options = arguments.parse_args()
    datas = [repeated(options.files, options.pages)] if options.pages else [path.read_bytes() for path in options.files]
    read = ragstone if options.engine == "ragstone" else liteparse
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    pages = sum(read(data) for data in datas)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "engine": options.engine,
                "pages": pages,
                "pages_per_cpu_second": round(pages / seconds, 1),
                "peak_mb": round(peak / 1024),
                "before_mb": round(before / 1024),
            }
        )
    )


if __name__ == "__main__":
    main()
