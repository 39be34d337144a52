"""Where a store keeps what: a directory for each tenant and collection, names that any file system takes."""

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragstone.core.errors import Corrupt, NotAStore, StoreError, StoreTooNew
from ragstone.core.types import Scope
from ragstone.stores.durable_files import list_temporary_files, make_directory, replace_file
from ragstone.stores.encryption import SecretKey
from ragstone.stores.file_names import encode_name

FORMAT = 1
MAGIC = "ragstone"
CATALOGUE = "store.json"
STORE_LOCK = "store.lock"
DATABASE = "collection.sqlite"
LOCKS_FOLDER = "locks"
KEY_FILE = "tenant.key"
RECORD_FILE = "tenant.json"
REKEY_LOCK = "rekey.lock"
NOT_OURS = (STORE_LOCK, "lost+found")  # what may stand in a folder that becomes a store: a lock, a disk's own folder
KEY_MARK = re.compile(r"key-(\d+)")
GONE_PREFIX = ".gone-"
ERASURE_PREFIX = ".erasing-"  # a file: the tenant is to be erased
REKEY_PREFIX = ".rekey-"  # a collection that is being put under another key
NETWORK_FILE_SYSTEM = re.compile(
    r"nfs\d?|cifs|smb\w*|ncpfs|afs|9p|ceph|lustre|glusterfs|fuse\.(sshfs|glusterfs|s3fs|rclone|ceph).*"
)


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """The files of one collection; `key` is what they are encrypted with."""

    directory: Path
    key: SecretKey | None = field(default=None, repr=False, compare=False)

    @property
    def database(self) -> Path:
        return self.directory / DATABASE

    @property
    def locks(self) -> Path:
        return self.directory / LOCKS_FOLDER

    def lock_file(self, source: str) -> Path:
        """The file whose lock an ingestion of this source holds."""
        name = encode_name(source) if self.key is None else f"~{self.key.derive_name('locks', source)}"
        return self.locks / f"{name}.lock"

    def vector_file(self, number: int) -> Path:
        return self.directory / f"vectors-{number}.f32"

    def index_file(self, generation: int) -> Path:
        return self.directory / f"index-{generation}.bin"

    def find_numbered(self, kind: str) -> dict[int, Path]:
        """The files `kind-<number>.*` that are there, by number: kind is vectors or index."""
        found = re.compile(rf"{kind}-(\d+)\.(?:f32|bin)")
        return {int(m[1]): path for path in self.directory.iterdir() if (m := found.fullmatch(path.name))}

    def total_bytes(self) -> int:
        """The size of all files; one that another process removes meanwhile counts nothing."""
        total = 0
        with os.scandir(self.directory) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    total += entry.stat().st_size if entry.is_file() else 0
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
            what = _find_database_fault(descriptor) if _has_content(descriptor) else None
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
            return max(
                (int(m[1]) for name in os.listdir(self.directory) if (m := KEY_MARK.fullmatch(name))), default=None
            )
        return None

    def key_mark(self, number: int) -> Path:
        """The file that says so."""
        return self.directory / f"key-{number}"

    def find_leftovers(self) -> list[Path]:
        """Files that a crash left before their rename."""
        return list_temporary_files(self.directory)


def _has_content(descriptor: int) -> bool:
    """Whether a collection's directory holds what is only made when its database is."""
    names = os.listdir(descriptor)
    if any(name.startswith(("vectors-", "index-")) for name in names):
        return True
    if LOCKS_FOLDER not in names:
        return False
    locks = os.open(LOCKS_FOLDER, os.O_RDONLY | os.O_DIRECTORY, dir_fd=descriptor)
    try:
        return bool(os.listdir(locks))
    finally:
        os.close(locks)


def _find_database_fault(descriptor: int) -> str | None:
    """What is wrong with the database file of a directory, seen from outside."""
    try:
        found = os.stat(DATABASE, dir_fd=descriptor)
    except FileNotFoundError:
        return "it is gone"
    if not stat.S_ISREG(found.st_mode):
        return "it is not a file"
    return None if found.st_size else "it is empty"


def files_of_scope(root: Path, scope: Scope) -> CollectionFiles:
    """Where a scope's files are, whether they exist or not."""
    return CollectionFiles(root / encode_name(scope.tenant) / encode_name(scope.collection))


def check_store(root: Path) -> bool:
    """Whether a store stands here; raises when it is a newer one, a broken one, or on a network."""
    catalogue = root / CATALOGUE
    if not catalogue.is_file():
        if root.exists() and not root.is_dir():
            raise NotAStore(f"{root} is not a Ragstone store: it is not a folder; name another --store")
        return False
    _check_not_network(root)
    try:
        found = json.loads(catalogue.read_bytes())
        if found["magic"] != MAGIC:
            raise ValueError("another kind of file")
        version = int(found["format"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Corrupt(f"{catalogue} is damaged; run: ragstone doctor --repair") from error
    if version > FORMAT:
        raise StoreTooNew(
            f"{root} has store format {version}, this program reads up to {FORMAT}: "
            "upgrade ragstone (pip install -U ragstone)"
        )
    return True


def check_place(root: Path) -> bool:
    """Whether a store stands here; raises `NotAStore` where none can be made, because other files are there."""
    if check_store(root):
        return True
    # Looked at again, because what stands there may be a store that another process has made meanwhile.
    if _holds_other_files(root) and not check_store(root):
        raise NotAStore(f"{root} is not a Ragstone store and not empty; name a new directory for the store")
    return is_store(root)


def make_store(root: Path) -> None:
    """Make the root of a store, unless it stands; refuses a folder that holds other files."""
    if check_place(root):
        return
    make_directory(root)
    _check_not_network(root)
    write_catalogue(root)


def _holds_other_files(root: Path) -> bool:
    """Whether something else than the beginnings of a store, and stores within it, stands there."""
    return root.exists() and (
        not root.is_dir()
        or any(p.name not in NOT_OURS and not p.name.startswith(CATALOGUE) and not is_store(p) for p in root.iterdir())
    )


def is_store(directory: Path) -> bool:
    """Whether a folder is a store of its own, such as the ledger of a Qdrant store."""
    return (directory / CATALOGUE).is_file()


def store_lock_path(root: Path) -> Path:
    """The file that keeps making and erasing collections apart from each other and from starting runs."""
    return root / STORE_LOCK


def write_catalogue(root: Path) -> None:
    """Write the file that says that a folder is a store, and of which format."""
    replace_file(root / CATALOGUE, json.dumps({"magic": MAGIC, "format": FORMAT}).encode())


def collection_directories(root: Path, tenant: str) -> Iterator[Path]:
    """The directories of a tenant's collections, in a fixed order."""
    yield from collections_under(root / encode_name(tenant))


def collections_under(home: Path) -> Iterator[Path]:
    """Those in a tenant's directory."""
    if home.is_dir():
        yield from sorted(d for d in home.iterdir() if not d.name.startswith(".") and _has_collection(d))


def is_tenant_home(directory: Path) -> bool:
    """Whether a folder is a tenant's: it holds files of Ragstone, and is not a store of its own."""
    try:
        if not directory.is_dir() or is_store(directory):
            return False
        entries = sorted(directory.iterdir())
    except PermissionError:  # not ours, or not for us
        return False
    return any(
        entry.name.startswith((KEY_FILE, RECORD_FILE, REKEY_LOCK)) or is_collection_part(entry) for entry in entries
    )


def is_collection_part(directory: Path) -> bool:
    """Whether a folder is a collection, be it half made, half removed, or being put under another key."""
    if not directory.is_dir():
        return False
    own = CollectionFiles(directory)
    return (
        directory.name.startswith((GONE_PREFIX, REKEY_PREFIX))
        or own.key_number is not None
        or own.locks.is_dir()
        or _has_collection(directory)
    )


def _has_collection(directory: Path) -> bool:
    """Whether there is one, be it a damaged one."""
    try:
        CollectionFiles(directory).check_whole()
    except Corrupt:
        return True
    return CollectionFiles(directory).database.is_file()


def _check_not_network(root: Path) -> None:
    try:
        mounts = Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    except OSError:  # a system that does not tell
        return
    kind = file_system_kind(root.resolve(), mounts)
    if NETWORK_FILE_SYSTEM.fullmatch(kind):
        raise StoreError(f"{root} is on a network file system ({kind}), where locks do not hold: use a local directory")


def file_system_kind(path: Path, mounts: str) -> str:
    """The kind of file system that holds a path, after a table of mounts as in /proc/mounts; "" for none.

    >>> file_system_kind(Path("/mnt/team share/x"), "/dev/a / ext4 rw 0 0\\nhost:/s /mnt/team\\\\040share nfs4 rw 0 0")
    'nfs4'
    """
    best, kind = -1, ""
    for fields in (line.split(" ") for line in mounts.splitlines()):
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[1])
        if len(point) >= best and path.is_relative_to(point):
            best, kind = len(point), fields[2]
    return kind
