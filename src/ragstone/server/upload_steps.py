"""The steps of an upload, in a folder that its process holds: after a kill the next start sees that nobody
holds it, and finishes or undoes the upload."""

import asyncio
import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path

from ragstone.core.errors import UsageError
from ragstone.core.types import Scope

STALE_SECONDS = 3600.0  # plain files: a client may let pass half a minute between two pieces of a body
FORMER, RECORD = "former", "record.json"
READ_ONLY_FOLDER = os.O_RDONLY | os.O_DIRECTORY


@dataclass(frozen=True, slots=True)
class Placing:
    """A file that took its place among the documents: `inode` tells it from later editions there."""

    tenant: str
    collection: str
    path: str
    place: str
    inode: int


@asynccontextmanager
async def hold_folder(root: Path) -> AsyncGenerator[Path]:
    """A new folder below `root` that this process holds until the block ends, when it is removed."""
    folder, handle = await asyncio.to_thread(_make_held, root)
    try:
        yield folder
    finally:
        await asyncio.shield(asyncio.to_thread(_remove_held, folder, handle))


def _make_held(root: Path) -> tuple[Path, int]:
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    root.mkdir(mode=0o700, exist_ok=True)
    while True:
        folder = root / uuid.uuid4().hex
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):  # a sweep came between
            handle = os.open(folder, READ_ONLY_FOLDER)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if folder.exists():
                return folder, handle
            os.close(handle)


def _remove_held(folder: Path, handle: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(handle)


def place_file(file: Path, place: Path, held: Path, scope: Scope, path: str) -> None:
    """Move a file to its place at once; its former edition and a record of the step stay in `held`."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(file, "rb") as written:
            os.fsync(written.fileno())
        if place.is_file():
            os.link(place, held / FORMER)
        record = Placing(scope.tenant, scope.collection, path, str(place), file.stat().st_ino)
        (held / RECORD).write_text(json.dumps(asdict(record)), "utf-8")
        os.replace(file, place)
    except (NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        raise UsageError(f"invalid path {path!r:.80}: a document and a folder cannot have one name") from error


def undo_placing(place: Path, held: Path) -> None:
    """Put back the former edition, or leave none."""
    with suppress(FileNotFoundError):
        if (held / FORMER).exists():
            os.replace(held / FORMER, place)
        else:
            place.unlink()


def list_left(root: Path) -> list[Path]:
    """The folders whose files took their place and whose process is gone; others that nobody holds are removed."""
    found = []
    with suppress(FileNotFoundError):
        for entry in sorted(root.iterdir()):
            with suppress(OSError):
                if not entry.is_dir():
                    if entry.stat().st_mtime < time.time() - STALE_SECONDS:
                        entry.unlink()
                    continue
                with take_over(entry) as is_left:
                    if is_left and (entry / RECORD).exists():
                        found.append(entry)
                    elif is_left:
                        shutil.rmtree(entry, ignore_errors=True)
    return found


@contextmanager
def take_over(folder: Path) -> Iterator[bool]:
    """Hold a folder while the block runs; gives False where another process holds it."""
    handle = os.open(folder, READ_ONLY_FOLDER)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield folder.exists()
    finally:
        os.close(handle)


def read_record(folder: Path) -> Placing | None:
    """The step of a folder; None where it was cut off before its file moved."""
    with suppress(OSError, ValueError, TypeError):
        return Placing(**json.loads((folder / RECORD).read_text("utf-8")))
    return None


def is_within(path: str, upload: str) -> bool:
    """Whether a document is an upload, or lies in the archive or mail that it is."""
    return path == upload or path.startswith(f"{upload}/")


def find_file(folder: Path, path: str) -> str | None:
    """The path of the file that a document was read from, which may be an archive on its way; None where it is gone."""
    names = path.split("/")
    paths = ("/".join(names[:at]) for at in range(len(names), 0, -1))
    return next((one for one in paths if (folder / one).is_file()), None)


def settle_left(folder: Path, placing: Placing, version: str | None) -> None:
    """Keep the file where the collection has it (`version`, the hash of its bytes), else undo its placing; a later
    edition stays as it is."""
    place = Path(placing.place)
    with suppress(FileNotFoundError):
        if place.stat().st_ino == placing.inode:
            with open(place, "rb") as file:
                if file_digest(file, "sha256").hexdigest() != version:
                    undo_placing(place, folder)
    shutil.rmtree(folder, ignore_errors=True)
