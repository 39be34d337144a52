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

from ragstone.errors import Corrupt, NoKey, UsageError
from ragstone.stores.crypt import Secret, boxed, check_installed, is_box, unboxed
from ragstone.stores.durable import make_directory, write_aside
from ragstone.stores.embedded.database import connect
from ragstone.stores.embedded.paths import (
    KEYS,
    RECORD,
    Place,
    collection_directories,
    collections_in,
    decoded,
    encoded,
    gate_of,
    place,
)
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.held import pinned
from ragstone.stores.locks import gate
from ragstone.stores.master import Master, checks, unwrapped
from ragstone.types import Json, Scope, Tenant

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
        return self.root / name

    def keys(self, tenant: str) -> dict[int, Secret]:
        """A tenant's keys by number, {} where it is plain. Raises `NoKey`, and `Corrupt` for a damaged file."""
        file = self.home(tenant) / KEYS
        try:
            data = file.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}
        check_installed()
        return unwrapped(data, tenant, self.master, place=file)

    def keep(self, tenant: str, keys: dict[int, Secret]) -> None:
        """Wrap a tenant's keys with the present master key, in place of what stood there."""
        if self.master is None:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        make_directory(self.home(tenant))
        write_aside(self.home(tenant) / KEYS, self.master.wrapped(tenant, keys))

    def prepare(self, tenant: str) -> None:
        """Give a new tenant its key, where a master key is configured; one that has a collection stays as it is."""
        if self.master is None or (self.home(tenant) / KEYS).is_file():
            return
        with gate(gate_of(self.root)):
            if not (self.home(tenant) / KEYS).is_file() and not any(collection_directories(self.root, tenant)):
                self.keep(tenant, {1: Secret.random()})

    def place(self, scope: Scope) -> Place:
        """Where a scope's files are and what they are encrypted with, whether they exist or not."""
        return self.keyed(place(self.root, scope), scope.tenant)

    def places(self, tenant: str) -> list[Place]:
        """Those of all its collections, in a fixed order."""
        return [self.keyed(Place(directory), tenant) for directory in collection_directories(self.root, tenant)]

    def keyed(self, plain: Place, tenant: str) -> Place:
        """A place with the key that its files are under."""
        if not (self.home(tenant) / KEYS).is_file():
            return plain
        number = plain.key_number
        if number is None and plain.database.is_file():
            return plain
        keys = self.keys(tenant)
        number = max(keys) if number is None else number
        if number not in keys:
            raise Corrupt(f"{plain.directory} is encrypted with a key that {self.home(tenant) / KEYS} does not hold")
        return replace(plain, key=keys[number])

    def mark(self, here: Place, tenant: str) -> None:
        """Say in a new collection's directory which key it is under, before it holds anything else."""
        if here.key is not None and here.key_number is None:
            number = next(number for number, key in self.keys(tenant).items() if key == here.key)
            write_aside(here.mark(number), b"")

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
        """See `ragstone.ports.Admin.pin`."""
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
        """Every tenant, by name. What a missing key hides is None."""
        return sorted((self._said(home) for home in self._homes()), key=lambda tenant: tenant.name)

    def _homes(self) -> Iterator[Path]:
        for home in sorted(self.root.iterdir()):
            if home.is_dir() and not home.name.startswith("."):
                yield home

    def _said(self, home: Path) -> Tenant:
        name = decoded(home.name)
        known: Json = {}
        with contextlib.suppress(Corrupt, NoKey, UsageError):
            known = self.record(name) if name is not None else _read(home / RECORD, (home / RECORD).read_bytes())
        file = home / KEYS
        wrapped_by = sorted(checks(file.read_bytes(), place=file)) if file.is_file() else []
        return Tenant(
            name or known.get("name") or home.name,
            collections=sum(1 for _ in collections_in(home)),
            encrypted=bool(wrapped_by),
            model=known.get("model"),
            dimension=known.get("dimension"),
            wrapped_by=tuple(wrapped_by),
        )


def _read(file: Path, data: bytes) -> Json:
    try:
        read = json.loads(data)
        return {"model": read["embedding_model"], "dimension": read["embedding_dim"], "name": read["tenant"]}
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file) from error


def _damaged(file: Path) -> Corrupt:
    return Corrupt(f"{file} is damaged; remove it: the next ingest writes it anew")
