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

from ragstone.core.errors import Corrupt, NoKey, UsageError
from ragstone.core.types import Json, Scope, Tenant
from ragstone.stores.absent import unfinished
from ragstone.stores.crypt import Secret, boxed, check_installed, is_box, unboxed
from ragstone.stores.durable import make_directory, write_aside
from ragstone.stores.embedded.database import connect
from ragstone.stores.embedded.evidence import encrypted, marked, sealed_files, write_mark
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.paths import (
    KEYS,
    RECORD,
    Place,
    collection_directories,
    collections_in,
    decoded,
    encoded,
    gate_of,
    is_home,
    is_store,
    place,
)
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.embedded.turns import all_doomed, check_not_doomed
from ragstone.stores.held import pinned
from ragstone.stores.locks import gate
from ragstone.stores.master import Master, check, checks, lost, numbers, older, tenant_of, unwrapped

PURPOSE = "record"


class Tenants:
    """Those of one root. `master` wraps the keys of new ones; None leaves them plain."""

    def __init__(self, root: Path, master: Master | None = None) -> None:
        self.root = root
        self.master = master

    def home(self, tenant: str) -> Path:
        """A tenant's directory, whether it exists or not; raises `UsageError` for a name that leads to none."""
        if not (name := encoded(tenant)):
            raise UsageError(f"tenant name {tenant!r} is not usable: it is empty")
        if is_store(home := self.root / name):
            raise UsageError(f"{home} is a store of its own: name tenant {tenant!r} otherwise, or move that store")
        return home

    def keys(self, tenant: str) -> dict[int, Secret]:
        """A tenant's keys by number, {} where it is plain.

        Raises `NoKey`, also where the tenant is encrypted and its key file is gone or an older one, and `Corrupt` for a
        damaged one.
        """
        keys = self._unwrapped(tenant)
        for collection in marked(self.home(tenant)) if keys else ():
            self._check_held(collection, keys, tenant)
        return keys

    def _check_held(self, place: Place, keys: dict[int, Secret], tenant: str) -> None:
        """Raises `NoKey` unless a collection's key is among these: another may bear its number."""
        number, told = place.key_number, b""
        if number is None:
            return
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # erased meanwhile
            told = place.mark(number).read_bytes()
        if number not in keys or told not in (b"", check(keys[number]).encode()):
            raise older(tenant, self.home(tenant) / KEYS, place.directory, number)

    def _unwrapped(self, tenant: str) -> dict[int, Secret]:
        file = self.home(tenant) / KEYS
        try:
            data = file.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            if encrypted(file.parent):
                raise lost(tenant, file) from None
            return {}
        check_installed()
        return unwrapped(data, tenant, self.master, place=file)

    def keep(self, tenant: str, keys: dict[int, Secret]) -> None:
        """Wrap a tenant's keys with the present master key, in place of what stood there."""
        if self.master is None:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        make_directory(self.home(tenant))
        write_aside(self.home(tenant) / KEYS, self.master.wrapped(tenant, keys))
        reach("keys.kept")

    def prepare(self, tenant: str) -> None:
        """Give a new tenant its key, where a master key is configured; one that has a collection stays as it is."""
        if self.master is None or (self.home(tenant) / KEYS).is_file():
            return
        with gate(gate_of(self.root)):
            if any(collection_directories(self.root, tenant)) or self.keys(tenant):
                return
            self.check_open(tenant)
            self.first(tenant)

    def check_open(self, tenant: str) -> None:
        """Raises `Busy` for a tenant that is being erased, and `UsageError` where other files have its folder."""
        check_not_doomed(self.root, tenant)
        home = self.home(tenant)
        if home.is_dir() and any(home.iterdir()) and not is_home(home):
            raise UsageError(f"{home} holds other files: name tenant {tenant!r} otherwise, or move them away")

    def first(self, tenant: str) -> dict[int, Secret]:
        """Give a tenant its first key; raises `NoKey` when the master key is not the one of the other tenants."""
        self.check_master()
        self.keep(tenant, keys := {1: Secret.random()})
        return keys

    def check_master(self) -> None:
        """Raises `NoKey` when a tenant's keys are wrapped by a master key that is not configured. Whose is not said:
        whoever reads this may be another tenant."""
        known = self.master.checks if self.master is not None else set()
        for home in self._homes() if known else ():
            with contextlib.suppress(Corrupt, FileNotFoundError):
                if other := sorted(checks((home / KEYS).read_bytes(), place=home / KEYS) - known):
                    raise NoKey(
                        f"the tenants of {self.root} are encrypted with another master key (wrapped by {other[0]}, "
                        f"configured is {', '.join(sorted(known))}): set encryption.key, or encryption.previous, to "
                        "that one"
                    )

    def place(self, scope: Scope) -> Place:
        """Where a scope's files are and what they are encrypted with, whether they exist or not."""
        return self.keyed(place(self.root, scope), scope.tenant)

    def places(self, tenant: str) -> list[Place]:
        """Those of all its collections, in a fixed order."""
        return [self.keyed(Place(directory), tenant) for directory in collection_directories(self.root, tenant)]

    def keyed(self, plain: Place, tenant: str) -> Place:
        """A place with the key that its files are under."""
        number = plain.key_number
        if number is None and plain.database.is_file() and not sealed_files(plain):
            return plain
        if not (keys := self.keys(tenant) if number is None else self._unwrapped(tenant)):
            return plain
        if number is None and plain.database.is_file():
            mark = plain.mark(max(keys))
            raise Corrupt(f"{plain.directory} is encrypted, and the file that says so is gone; run: touch '{mark}'")
        self._check_held(plain, keys, tenant)
        return replace(plain, key=keys[max(keys) if number is None else number])

    def mark(self, here: Place, tenant: str) -> None:
        """Say in a new collection's directory which key it is under, before it holds anything else."""
        if here.key is not None and here.key_number is None:
            number = next(number for number, key in self.keys(tenant).items() if key == here.key)
            write_mark(here, number, here.key)

    def plain(self, tenant: str) -> list[Place]:
        """The collections that are not encrypted."""
        return [Place(d) for d in collection_directories(self.root, tenant) if Place(d).key_number is None]

    # The record

    def record(self, tenant: str) -> Json:
        """What is written of a tenant, {} when nothing is. Raises `NoKey`."""
        file = self.home(tenant) / RECORD
        try:
            data = file.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return _read(file, self._opened(tenant, data, file) if is_box(data) else data)

    def _opened(self, tenant: str, data: bytes, file: Path) -> bytes:
        for _, key in sorted(self.keys(tenant).items(), reverse=True):
            try:
                return unboxed(key, PURPOSE, data, about=RECORD)
            except Corrupt:
                continue
        raise _damaged(file)

    def write_record(self, tenant: str, model: str | None, dimension: int | None) -> None:
        """Write down a tenant's model, encrypted where the tenant is."""
        about = {"tenant": tenant, "embedding_model": model, "embedding_dim": dimension}
        data = json.dumps({"magic": "ragstone-tenant", "format": 1, **about}).encode()
        keys = self.keys(tenant)
        make_directory(self.home(tenant))
        write_aside(self.home(tenant) / RECORD, boxed(keys[max(keys)], PURPOSE, data, about=RECORD) if keys else data)

    def pin(self, tenant: str, model: str, dimension: int, *, without: str | None) -> None:
        """See `ragstone.core.ports.Admin.pin`."""
        with gate(gate_of(self.root)):
            held = self.record(tenant)
            if (held.get("model"), held.get("dimension")) == (model, dimension):
                return
            old = (held.get("model"), held.get("dimension"))
            others = [d for d in collection_directories(self.root, tenant) if d.name != encoded(without or "")]
            if old[0] is not None and any(self._model_of(directory, tenant) == old for directory in others):
                raise pinned(tenant, (held["model"], held["dimension"]), (model, dimension))
            self.write_record(tenant, model, dimension)

    def _model_of(self, directory: Path, tenant: str) -> tuple[str | None, int | None]:
        """The model and dimension of a collection's vectors."""
        place = self.keyed(Place(directory), tenant)
        connection = connect(place.database, place.key)
        if connection is None:
            return None, None
        with contextlib.closing(connection):
            state = state_of(connection)
            return state.model, state.dimension

    # All of them

    def listed(self) -> list[Tenant]:
        """Every tenant, by name. What a missing key hides is None; what is wrong with one is said of it."""
        found = {tenant.name: tenant for tenant in map(self._said, self._homes())}
        for name in all_doomed(self.root):
            found[name] = replace(found.get(name, Tenant(name, 0)), problem=unfinished(name))
        return sorted(found.values(), key=lambda tenant: tenant.name)

    def _homes(self) -> Iterator[Path]:
        for home in sorted(self.root.iterdir()):
            if not home.name.startswith(".") and is_home(home):
                yield home

    def _said(self, home: Path) -> Tenant:
        wrapped_by, written, problem = self._keys_of(home)
        name = decoded(home.name) or written
        known: Json = {}
        with contextlib.suppress(Corrupt, NoKey, UsageError, OSError):
            known = self.record(name) if name is not None else _read(home / RECORD, (home / RECORD).read_bytes())
        return Tenant(
            name or known.get("name") or home.name,
            collections=sum(1 for _ in collections_in(home)),
            encrypted=bool(wrapped_by) or encrypted(home),
            model=known.get("model"),
            dimension=known.get("dimension"),
            wrapped_by=wrapped_by,
            problem=problem,
        )

    def _keys_of(self, home: Path) -> tuple[tuple[str, ...], str | None, str | None]:
        """Of a tenant's keys the checks of what wrapped them, the name in their file, and what is wrong with it."""
        file = home / KEYS
        try:
            data = file.read_bytes()
            said, held = decoded(home.name) or tenant_of(data) or home.name, numbers(data, place=file)
            lacking = [place for place in marked(home) if place.key_number not in held]
            problem = str(older(said, file, lacking[0].directory, lacking[0].key_number)) if lacking else None
            return tuple(sorted(checks(data, place=file))), tenant_of(data), problem
        except (FileNotFoundError, IsADirectoryError):
            return (), None, str(lost(decoded(home.name) or home.name, file)) if encrypted(home) else None
        except (Corrupt, OSError) as error:
            return (), None, str(error)


def _read(file: Path, data: bytes) -> Json:
    try:
        read = json.loads(data)
        return {"model": read["embedding_model"], "dimension": read["embedding_dim"], "name": read["tenant"]}
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file) from error


def _damaged(file: Path) -> Corrupt:
    return Corrupt(f"{file} is damaged; remove it: the next ingest writes it anew")
