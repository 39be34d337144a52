"""What a picture says of itself before it is decoded: by Ragstone's own reading and by Pillow's.

    python benchmarks/extraction/picture_headers.py FOLDER

Pictures below FOLDER, those inside its office documents, and made ones in every format and depth that Pillow writes.
Then each of them cut off at twenty places, as by a broken download.
"""

import io
import statistics
import struct
import sys
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageSequence, UnidentifiedImageError

from ragstone.extraction.image.headers import read_header

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
CUTS = 20
Facts = tuple[str, tuple[tuple[int, int], ...], int, bool]  # type, sizes, orientation, moving


def main() -> None:
    warnings.simplefilter("ignore")
    pictures = [*read_pictures(Path(sys.argv[1])), *make_pictures()]
    both = [(name, read(data), read_pillow(data)) for name, data in pictures]
    differing = [(name, ours, theirs) for name, ours, theirs in both if ours != theirs]
    print(f"{len(pictures)} pictures, {len(differing)} read differently")
    for name, ours, theirs in differing:
        print(f"  {name}: {ours} · Pillow: {theirs}")
    cut = [data[: len(data) * place // CUTS] for _, data in pictures for place in range(1, CUTS)]
    told = sum((about := read_header(data)) is None or not about.whole for data in cut)
    opened = sum(read_pillow(data) is None for data in cut)
    print(f"cut off, {len(cut)}: told before decoding by ours {told}, by Pillow {opened}")
    for label, judge in (("ours", read), ("Pillow", read_pillow)):
        print(f"{label}: {1e6 * measure(judge, [data for _, data in pictures]):.0f} µs a picture (median)")


def read(data: bytes) -> Facts | None:
    """By our own reading."""
    about = read_header(data)
    if about is None:
        return None
    sizes = tuple((frame.width, frame.height) for frame in about.frames)
    return about.media_type, sizes, about.frames[0].orientation, about.moving


def read_pillow(data: bytes) -> Facts | None:
    """By Pillow's; several pictures in a TIFF are pages, elsewhere they are a film."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            kind = Image.MIME.get(picture.format or "", "")
            count = getattr(picture, "n_frames", 1)
            first = picture.size
            sizes = tuple(frame.size for frame in ImageSequence.Iterator(picture)) if kind == "image/tiff" else (first,)
            picture.seek(0)
            return kind, sizes, picture.getexif().get(274, 1), count > 1 and kind != "image/tiff"
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, struct.error):
        return None


def read_pictures(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Pictures in files and in office documents."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in ENDINGS:
            yield path.name, path.read_bytes()
        elif path.suffix.lower() in (".docx", ".pptx", ".xlsx", ".epub"):
            try:
                with zipfile.ZipFile(path) as package:
                    for name in package.namelist():
                        if name.lower().endswith(ENDINGS):
                            yield f"{path.name}/{name}", package.read(name)
            except (zipfile.BadZipFile, RuntimeError):
                continue


def make_pictures() -> Iterator[tuple[str, bytes]]:
    """One of each kind."""
    exif = Image.Exif()
    exif[274] = 6
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"):
        for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"):
            for how in ({}, {"dpi": (200, 200)}, {"exif": exif}, {"save_all": True, "append_images": True}):
                out, given = io.BytesIO(), dict[str, Any](how)
                picture = Image.new(mode, (301, 203))
                if "append_images" in given:
                    given["append_images"] = [Image.new(mode, (301, 203), 1 if mode in "1LPI;16" else None)]
                try:
                    picture.save(out, kind, **given)
                except (OSError, ValueError, KeyError, TypeError):
                    continue  # a depth that the format does not have
                yield f"{kind} {mode} {' '.join(how)}", out.getvalue()


def measure(judge: Callable[[bytes], object], pictures: list[bytes]) -> float:
    """Seconds of CPU for one picture."""
    spent = []
    for data in pictures * 3:
        begun = time.process_time()
        judge(data)
        spent.append(time.process_time() - begun)
    return statistics.median(spent)


if __name__ == "__main__":
    main()
