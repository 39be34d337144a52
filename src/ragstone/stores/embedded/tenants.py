"""The tenants of a store: their directories, their keys, and the model that their vectors are of.

Beside its collections a tenant's directory holds `tenant.key`, its wrapped keys, where it is encrypted, and
`tenant.json`, its record, which is then encrypted too. A collection says by a file `key-<number>` which key its
files are under; one without is plain.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ragstone.core.errors import Corrupt, NoKey, NotAStore, UsageError
from ragstone.core.records import Tenant
from ragstone.core.types import Json, Scope
from ragstone.stores.collection_errors import erasure_notice
from ragstone.stores.durable_files import make_directory, replace_file
from ragstone.stores.embedded.database import open_database
from ragstone.stores.embedded.key_marks import has_encrypted_files, is_tenant_encrypted, list_key_marked, write_key_mark
from ragstone.stores.embedded.mirror_updates import read_state
from ragstone.stores.embedded.paths import (
    KEY_FILE,
    RECORD_FILE,
    CollectionFiles,
    collection_directories,
    collections_under,
    files_of_scope,
    is_store,
    is_tenant_home,
    store_lock_path,
)
from ragstone.stores.embedded.tenant_marks import check_not_erasing, list_erasing
from ragstone.stores.embedded.tenant_record import parse_record, record_error
from ragstone.stores.encryption import SecretKey, check_installed, is_box, open_box, seal_box
from ragstone.stores.fault_points import reach_point
from ragstone.stores.file_locks import brief_lock
from ragstone.stores.file_names import decode_name, encode_name
from ragstone.stores.master_key import (
    MasterKey,
    key_fingerprint,
    key_numbers,
    missing_keys_error,
    read_tenant_name,
    stale_keys_error,
    unwrap_keys,
    wrapping_fingerprints,
)
from ragstone.stores.model_checks import model_pin_error

RECORD_PURPOSE = "record"


class Tenants:
    """Those of one root. `master` wraps the keys of new ones; None leaves them plain."""

    def __init__(self, root: Path, master: MasterKey | None = None) -> None:
        self.root = root
        self.master = master

    def tenant_directory(self, tenant: str) -> Path:
        """A tenant's directory, whether it exists or not; raises `UsageError` for a name that leads to none."""
        if not (name := encode_name(tenant)):
            raise UsageError(f"tenant name {tenant!r} is not usable: it is empty")
        if is_store(home := self.root / name):
            raise NotAStore(f"{home} is a store of its own: name tenant {tenant!r} otherwise, or move that store")
        return home

    def read_keys(self, tenant: str) -> dict[int, SecretKey]:
        """A tenant's keys by number, {} where it is plain.

        Raises `NoKey`, also where the tenant is encrypted and its key file is gone or an older one, and `Corrupt` for a
        damaged one.
        """
        keys = self._unwrap_keys(tenant)
        for collection in list_key_marked(self.tenant_directory(tenant)) if keys else ():
            self._check_key(collection, keys, tenant)
        return keys

    def _check_key(self, place: CollectionFiles, keys: dict[int, SecretKey], tenant: str) -> None:
        """Raises `NoKey` unless a collection's key is among these: another may bear its number."""
        number, told = place.key_number, b""
        if number is None:
            return
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # erased meanwhile
            told = place.key_mark(number).read_bytes()
        if number not in keys or told not in (b"", key_fingerprint(keys[number]).encode()):
            raise stale_keys_error(tenant, self.tenant_directory(tenant) / KEY_FILE, place.directory, number)

    def _unwrap_keys(self, tenant: str) -> dict[int, SecretKey]:
        file = self.tenant_directory(tenant) / KEY_FILE
        try:
            data = file.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            if is_tenant_encrypted(file.parent):
                raise missing_keys_error(tenant, file) from None
            return {}
        check_installed()
        return unwrap_keys(data, tenant, self.master, place=file)

    def write_keys(self, tenant: str, keys: dict[int, SecretKey]) -> None:
        """Wrap a tenant's keys with the present master key, in place of what stood there."""
        if self.master is None:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        make_directory(self.tenant_directory(tenant))
        replace_file(self.tenant_directory(tenant) / KEY_FILE, self.master.wrap_keys(tenant, keys))
        reach_point("keys.kept")

    def ensure_key(self, tenant: str) -> None:
        """Give a new tenant its key, where a master key is configured; one that has a collection stays as it is."""
        if self.master is None or (self.tenant_directory(tenant) / KEY_FILE).is_file():
            return
        with brief_lock(store_lock_path(self.root)):
            if any(collection_directories(self.root, tenant)) or self.read_keys(tenant):
                return
            self.check_usable(tenant)
            self.create_first_key(tenant)

    def check_usable(self, tenant: str) -> None:
        """Raises `Busy` for a tenant that is being erased, and `NotAStore` where other files have its folder."""
        check_not_erasing(self.root, tenant)
        home = self.tenant_directory(tenant)
        if home.is_dir() and not is_tenant_home(home) and not all(_is_empty_folder(entry) for entry in home.iterdir()):
            raise NotAStore(f"{home} holds other files: name tenant {tenant!r} otherwise, or move them away")

    def create_first_key(self, tenant: str) -> dict[int, SecretKey]:
        """Give a tenant its first key; raises `NoKey` when the master key is not the one of the other tenants."""
        self.check_master()
        self.write_keys(tenant, keys := {1: SecretKey.generate()})
        return keys

    def check_master(self) -> None:
        """Raises `NoKey` when a tenant's keys are wrapped by a master key that is not configured. It does not name
        the tenant: the reader may be another one."""
        known = self.master.fingerprints if self.master is not None else set()
        for home in self._find_homes() if known else ():
            with contextlib.suppress(Corrupt, FileNotFoundError):
                if other := sorted(
                    wrapping_fingerprints((home / KEY_FILE).read_bytes(), place=home / KEY_FILE) - known
                ):
                    raise NoKey(
                        f"the tenants of {self.root} are encrypted with another master key (wrapped by {other[0]}, "
                        f"configured is {', '.join(sorted(known))}): set encryption.key, or encryption.previous, to "
                        "that one"
                    )

    def files_of(self, scope: Scope) -> CollectionFiles:
        """Where a scope's files are and what they are encrypted with, whether they exist or not."""
        return self.with_key(files_of_scope(self.root, scope), scope.tenant)

    def list_files(self, tenant: str) -> list[CollectionFiles]:
        """Those of all its collections, in a fixed order."""
        return [
            self.with_key(CollectionFiles(directory), tenant) for directory in collection_directories(self.root, tenant)
        ]

    def with_key(self, plain: CollectionFiles, tenant: str) -> CollectionFiles:
        """A place with the key that its files are under."""
        number = plain.key_number
        if number is None and plain.database.is_file() and not has_encrypted_files(plain):
            return plain
        if not (keys := self.read_keys(tenant) if number is None else self._unwrap_keys(tenant)):
            return plain
        if number is None and plain.database.is_file():
            mark = plain.key_mark(max(keys))
            raise Corrupt(f"{plain.directory} is encrypted, and the file that marks it is gone; run: touch '{mark}'")
        self._check_key(plain, keys, tenant)
        return replace(plain, key=keys[max(keys) if number is None else number])

    def mark_key(self, here: CollectionFiles, tenant: str) -> None:
        """Say in a new collection's directory which key it is under, before it holds anything else."""
        if here.key is not None and here.key_number is None:
            number = next(number for number, key in self.read_keys(tenant).items() if key == here.key)
            write_key_mark(here, number, here.key)

    def list_unencrypted(self, tenant: str) -> list[CollectionFiles]:
        """The collections that are not encrypted."""
        return [
            CollectionFiles(d)
            for d in collection_directories(self.root, tenant)
            if CollectionFiles(d).key_number is None
        ]

    # The record

    def read_record(self, tenant: str) -> Json:
        """The record of a tenant, {} without one. Raises `NoKey`."""
        file = self.tenant_directory(tenant) / RECORD_FILE
        try:
            data = file.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return parse_record(file, self._open_record(tenant, data, file) if is_box(data) else data)

    def _open_record(self, tenant: str, data: bytes, file: Path) -> bytes:
        for _, key in sorted(self.read_keys(tenant).items(), reverse=True):
            try:
                return open_box(key, RECORD_PURPOSE, data, about=RECORD_FILE)
            except Corrupt:
                continue
        raise record_error(file)

    def write_record(self, tenant: str, model: str | None, dimension: int | None) -> None:
        """Write down a tenant's model, encrypted where the tenant is."""
        about = {"tenant": tenant, "embedding_model": model, "embedding_dim": dimension}
        data = json.dumps({"magic": "ragstone-tenant", "format": 1, **about}).encode()
        keys = self.read_keys(tenant)
        make_directory(self.tenant_directory(tenant))
        replace_file(
            self.tenant_directory(tenant) / RECORD_FILE,
            seal_box(keys[max(keys)], RECORD_PURPOSE, data, about=RECORD_FILE) if keys else data,
        )

    def pin_model(self, tenant: str, model: str, dimension: int, *, without: str | None) -> None:
        """Pins a tenant to one model and dimension; implements `Admin.pin`."""
        with brief_lock(store_lock_path(self.root)):
            held = self.read_record(tenant)
            if (held.get("model"), held.get("dimension")) == (model, dimension):
                return
            old = (held.get("model"), held.get("dimension"))
            others = [d for d in collection_directories(self.root, tenant) if d.name != encode_name(without or "")]
            if old[0] is not None and any(self._read_model(directory, tenant) == old for directory in others):
                raise model_pin_error(tenant, (held["model"], held["dimension"]), (model, dimension))
            self.write_record(tenant, model, dimension)

    def _read_model(self, directory: Path, tenant: str) -> tuple[str | None, int | None]:
        """The model and dimension of a collection's vectors."""
        place = self.with_key(CollectionFiles(directory), tenant)
        connection = open_database(place.database, place.key)
        if connection is None:
            return None, None
        with contextlib.closing(connection):
            state = read_state(connection)
            return state.model, state.dimension

    # All of them

    def list_tenants(self) -> list[Tenant]:
        """Every tenant, by name. Fields that a missing key hides are None; what is wrong with one is said of it."""
        found = {tenant.name: tenant for tenant in map(self._describe_tenant, self._find_homes())}
        for name in list_erasing(self.root):
            found[name] = replace(found.get(name, Tenant(name, 0)), problem=erasure_notice(name))
        return sorted(found.values(), key=lambda tenant: tenant.name)

    def _find_homes(self) -> Iterator[Path]:
        for home in sorted(self.root.iterdir()):
            if not home.name.startswith(".") and is_tenant_home(home):
                yield home

    def _describe_tenant(self, home: Path) -> Tenant:
        wrapped_by, written, problem = self._inspect_keys(home)
        name = decode_name(home.name) or written
        known: Json = {}
        with contextlib.suppress(Corrupt, NoKey, UsageError, OSError):
            known = (
                self.read_record(name)
                if name is not None
                else parse_record(home / RECORD_FILE, (home / RECORD_FILE).read_bytes())
            )
        return Tenant(
            name or known.get("name") or home.name,
            collections=sum(1 for _ in collections_under(home)),
            encrypted=bool(wrapped_by) or is_tenant_encrypted(home),
            model=known.get("model"),
            dimension=known.get("dimension"),
            wrapped_by=wrapped_by,
            problem=problem,
        )

    def _inspect_keys(self, home: Path) -> tuple[tuple[str, ...], str | None, str | None]:
        """Of a tenant's keys the checks of what wrapped them, the name in their file, and what is wrong with it."""
        file = home / KEY_FILE
        try:
            data = file.read_bytes()
            said, held = decode_name(home.name) or read_tenant_name(data) or home.name, key_numbers(data, place=file)
            lacking = [place for place in list_key_marked(home) if place.key_number not in held]
            problem = (
                str(stale_keys_error(said, file, lacking[0].directory, lacking[0].key_number)) if lacking else None
            )
            return tuple(sorted(wrapping_fingerprints(data, place=file))), read_tenant_name(data), problem
        except (FileNotFoundError, IsADirectoryError):
            return (
                (),
                None,
                str(missing_keys_error(decode_name(home.name) or home.name, file))
                if is_tenant_encrypted(home)
                else None,
            )
        except (Corrupt, OSError) as error:
            return (), None, str(error)


def _is_empty_folder(path: Path) -> bool:
    """As a process leaves it that ends while it makes a collection."""
    return path.is_dir() and not any(path.iterdir())
