"""Where a store keeps what: a directory for each tenant and collection, names that any file system takes."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from ragstone.core.errors import Corrupt, StoreError, StoreTooNew, UsageError
from ragstone.core.types import Scope
from ragstone.stores.crypt import Secret
from ragstone.stores.durable import make_directory, remains, sync_directory, write_aside

FORMAT = 1
MAGIC = "ragstone"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
LONGEST = 200  # bytes; common file systems take 255 for a name
CATALOGUE = "store.json"
GATE = "store.lock"
DATABASE = "collection.sqlite"
LOCKS = "locks"
KEYS = "tenant.key"
RECORD = "tenant.json"
TURN = "rekey.lock"
MARK = re.compile(r"key-(\d+)")
GONE = ".gone-"
ERASING = ".erasing-"  # a file: the tenant is to be erased
REKEY = ".rekey-"  # a collection that is being put under another key
NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|ncpfs|afs|9p|ceph|lustre|glusterfs|fuse\.(sshfs|glusterfs|s3fs|rclone|ceph).*"
)


def encoded(name: str) -> str:
    """A name as one path part: only a-z, 0-9, _ and - stand as they are; a very long one becomes a digest."""
    data = name.encode("utf-8", "surrogatepass")
    part = "".join(chr(byte) if chr(byte) in PLAIN else f"%{byte:02x}" for byte in data)
    return part if len(part) <= LONGEST else "~" + hashlib.sha256(data).hexdigest()


def decoded(part: str) -> str | None:
    """The name behind a path part, None for a digest."""
    return None if part.startswith("~") else unquote(part)


@dataclass(frozen=True, slots=True)
class Place:
    """The files of one collection; `key` is what they are encrypted with."""

    directory: Path
    key: Secret | None = field(default=None, repr=False, compare=False)

    @property
    def database(self) -> Path:
        return self.directory / DATABASE

    @property
    def locks(self) -> Path:
        return self.directory / LOCKS

    def lock(self, source: str) -> Path:
        """The file whose lock an ingestion of this source holds."""
        name = encoded(source) if self.key is None else f"~{self.key.named('locks', source)}"
        return self.locks / f"{name}.lock"

    def vectors(self, number: int) -> Path:
        return self.directory / f"vectors-{number}.f32"

    def index(self, generation: int) -> Path:
        return self.directory / f"index-{generation}.bin"

    def numbered(self, kind: str) -> dict[int, Path]:
        """The files `kind-<number>.*` that are there, by number: kind is vectors or index."""
        found = re.compile(rf"{kind}-(\d+)\.(?:f32|bin)")
        return {int(m[1]): path for path in self.directory.iterdir() if (m := found.fullmatch(path.name))}

    def bytes(self) -> int:
        """The size of all files; one that another process removes meanwhile counts nothing."""
        total = 0
        for path in self.directory.iterdir():
            with contextlib.suppress(FileNotFoundError):
                total += path.stat().st_size if path.is_file() else 0
        return total

    def check_whole(self) -> None:
        """Raises `Corrupt` when the database is gone or empty although there is more: it comes before all the rest.

        Through one descriptor, because the directory may be erased meanwhile, and another be made in its place.
        """
        try:
            descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        except (FileNotFoundError, NotADirectoryError):
            return
        try:
            what = _lacking(descriptor) if _used(descriptor) else None
            if what and os.path.samestat(os.fstat(descriptor), self.directory.stat()):
                raise Corrupt(f"{self.database} is damaged ({what}); ingest anew with --recreate")
        except FileNotFoundError:
            return  # erased
        finally:
            os.close(descriptor)

    @property
    def key_number(self) -> int | None:
        """Which of the tenant's keys the files are encrypted with, None for none; the name of a file says so."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return max((int(m[1]) for name in os.listdir(self.directory) if (m := MARK.fullmatch(name))), default=None)
        return None

    def mark(self, number: int) -> Path:
        """The file that says so."""
        return self.directory / f"key-{number}"

    def leftovers(self) -> list[Path]:
        """Files that a crash left before their rename."""
        return remains(self.directory)


def _used(descriptor: int) -> bool:
    """Whether a collection's directory holds what is only made when its database is."""
    names = os.listdir(descriptor)
    if any(name.startswith(("vectors-", "index-")) for name in names):
        return True
    if LOCKS not in names:
        return False
    locks = os.open(LOCKS, os.O_RDONLY | os.O_DIRECTORY, dir_fd=descriptor)
    try:
        return bool(os.listdir(locks))
    finally:
        os.close(locks)


def _lacking(descriptor: int) -> str | None:
    """What is wrong with the database file of a directory, seen from outside."""
    try:
        found = os.stat(DATABASE, dir_fd=descriptor)
    except FileNotFoundError:
        return "it is gone"
    if not stat.S_ISREG(found.st_mode):
        return "it is no file"
    return None if found.st_size else "it is empty"


def discard(path: Path) -> None:
    """Remove a file of the store, or a folder that stands in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def place(root: Path, scope: Scope) -> Place:
    """Where a scope's files are, whether they exist or not."""
    return Place(root / encoded(scope.tenant) / encoded(scope.collection))


def check_store(root: Path) -> bool:
    """Whether a store stands here; raises when it is a newer one, a broken one, or on a network."""
    catalogue = root / CATALOGUE
    if not catalogue.is_file():
        if root.exists() and not root.is_dir():
            raise UsageError(f"{root} is not a Ragstone store: it is no folder; name another --store")
        return False
    _refuse_network(root)
    try:
        found = json.loads(catalogue.read_bytes())
        if found["magic"] != MAGIC:
            raise ValueError("another kind of file")
        version = int(found["format"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Corrupt(f"{catalogue} is damaged; write into it: {_catalogue()}") from error
    if version > FORMAT:
        raise StoreTooNew(
            f"{root} has store format {version}, this program reads up to {FORMAT}: "
            "upgrade ragstone (pip install -U ragstone)"
        )
    return True


def make_store(root: Path) -> None:
    """Make the root of a store, unless it stands; refuses a folder that holds other files."""
    if check_store(root):
        return
    # Looked at again, because what stands there may be a store that another process has made meanwhile.
    if _foreign(root) and not check_store(root):
        raise UsageError(f"{root} is not a Ragstone store and not empty; name a new directory for the store")
    make_directory(root)
    _refuse_network(root)
    write_aside(root / CATALOGUE, _catalogue().encode())


def _foreign(root: Path) -> bool:
    """Whether something else than the beginnings of a store, and stores within it, stands there."""
    return root.exists() and (
        not root.is_dir()
        or any(p.name != GATE and not p.name.startswith(CATALOGUE) and not is_store(p) for p in root.iterdir())
    )


def is_store(directory: Path) -> bool:
    """Whether a folder is a store of its own, such as the ledger of a Qdrant store."""
    return (directory / CATALOGUE).is_file()


def gate_of(root: Path) -> Path:
    """The file that keeps making and erasing collections apart from each other and from starting runs."""
    return root / GATE


def _catalogue() -> str:
    return json.dumps({"magic": MAGIC, "format": FORMAT})


def sweep(root: Path) -> None:
    """Remove what an interrupted erasure left, of a tenant or a collection, where this user may."""
    for directory in (d for d in (root, *root.iterdir()) if d.is_dir() and os.access(d, os.W_OK)):
        for gone in directory.glob(GONE + "*"):
            shred(gone / KEYS)
            shutil.rmtree(gone, ignore_errors=True)


def shred(path: Path) -> None:
    """Overwrite a small file before it is removed with its directory; nothing happens where there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.pwrite(fd, bytes(os.fstat(fd).st_size), 0)
            os.fsync(fd)
        finally:
            os.close(fd)


def aside(directory: Path) -> Path:
    """Rename a directory to a name that nobody opens and the next sweep removes; durable when it returns."""
    number = 0
    while (gone := directory.with_name(f"{GONE}{number}-{directory.name}")).exists():
        number += 1
    directory.rename(gone)
    sync_directory(gone.parent)
    return gone


def asides(directory: Path) -> list[Path]:
    """What a directory was renamed to by erasures that did not end."""
    own = re.compile(rf"{re.escape(GONE)}\d+-{re.escape(directory.name)}")
    return sorted(path for path in directory.parent.glob(GONE + "*") if own.fullmatch(path.name))


def check_no_link(directory: Path) -> None:
    """Raises `StoreError` for a link: to remove it would leave what it leads to."""
    if directory.is_symlink():
        raise StoreError(
            f"{directory} is a link to {directory.resolve()}, which would stay: put that folder in the link's place "
            "first; nothing was erased"
        )


def erase(directory: Path) -> None:
    """Remove a directory with all that it holds, also while another process removes it too."""
    while directory.exists():
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(directory)


def collection_directories(root: Path, tenant: str) -> Iterator[Path]:
    """The directories of a tenant's collections, in a fixed order."""
    yield from collections_in(root / encoded(tenant))


def collections_in(home: Path) -> Iterator[Path]:
    """Those in a tenant's directory."""
    if home.is_dir():
        yield from sorted(d for d in home.iterdir() if not d.name.startswith(".") and _is_collection(d))


def is_home(directory: Path) -> bool:
    """Whether a folder is a tenant's: something of ours stands in it, and it is no store of its own."""
    try:
        if not directory.is_dir() or is_store(directory):
            return False
        entries = sorted(directory.iterdir())
    except PermissionError:  # not ours, or not for us
        return False
    return any(entry.name.startswith((KEYS, RECORD, TURN)) or is_part(entry) for entry in entries)


def is_part(directory: Path) -> bool:
    """Whether a folder is a collection, be it half made, half removed, or being put under another key."""
    if not directory.is_dir():
        return False
    own = Place(directory)
    return (
        directory.name.startswith((GONE, REKEY))
        or own.key_number is not None
        or own.locks.is_dir()
        or _is_collection(directory)
    )


def _is_collection(directory: Path) -> bool:
    """Whether there is one, be it a damaged one."""
    try:
        Place(directory).check_whole()
    except Corrupt:
        return True
    return Place(directory).database.is_file()


def _refuse_network(root: Path) -> None:
    try:
        mounts = Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    except OSError:  # a system that does not tell
        return
    kind = file_system(root.resolve(), mounts)
    if NETWORK.fullmatch(kind):
        raise StoreError(f"{root} is on a network file system ({kind}), where locks do not hold: use a local directory")


def file_system(path: Path, mounts: str) -> str:
    """The kind of file system that holds a path, after a table of mounts as in /proc/mounts; "" for none.

    >>> file_system(Path("/mnt/team share/x"), "/dev/a / ext4 rw 0 0\\nhost:/s /mnt/team\\\\040share nfs4 rw 0 0")
    'nfs4'
    """
    best, kind = -1, ""
    for fields in (line.split(" ") for line in mounts.splitlines()):
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[1])
        if len(point) >= best and path.is_relative_to(point):
            best, kind = len(point), fields[2]
    return kind
