"""The stores that an engine has open: its own store, and the stores and databases that pipelines name."""

from collections.abc import Callable
from functools import cached_property

from ragstone import stores
from ragstone.config.settings import Settings
from ragstone.core.ports import Keys, OutgrownStore, Store
from ragstone.engine.shared_parts import SharedParts


async def find_read_only(store: Store) -> str | None:
    """Why this program may only read a store; None where it may write."""
    return await store.explain_read_only() if isinstance(store, OutgrownStore) else None


class OpenStores:
    """The own store at once, others when they are first needed; a store that was handed in is closed by its maker.

    `own` says whether the store was opened here; `master` is the key that wraps the keys of tenants, None without one.
    `keep_versions` is asked once it is known whose collection it is.
    """

    def __init__(
        self, settings: Settings, handed: Store | None, parts: SharedParts, *, keep_versions: Callable[[], int]
    ) -> None:
        self.own = handed is None
        self._parts = parts
        self._url = settings.store
        self._keep_versions = keep_versions
        self._kept_at_first = settings.of(settings.collection).keep_versions
        self.master = stores.MasterKey.from_settings(
            settings.encryption.key,
            settings.encryption.key_file,
            settings.encryption.previous,
            settings.encryption.previous_file,
        )
        self._first = handed or self._open(self._kept_at_first)

    @property
    def keys(self) -> Keys:
        """The keys that the store keeps, for any caller."""
        return self._first.keys

    @cached_property
    def store(self) -> Store:
        """The own store. Where the tenant of a key keeps another number of revisions, it is opened once more."""
        keep = self._keep_versions()
        if not self.own or keep == self._kept_at_first:
            return self._first
        return self._open(keep)

    def _open(self, keep_versions: int) -> Store:
        return self._parts.open_store(self._url, keep_versions=keep_versions, master=self.master)

    def open_at(self, url: str | None) -> Store:
        """The store at another URL, opened once."""
        if url is None:
            return self.store
        return self._parts.open_store(url, master=self._master_key_for(url))

    def open_unpruned(self, url: str) -> Store:
        """The store at a URL opened once more, so that every revision stays in it; the caller closes it."""
        from ragstone.engine.transfer import ALL_VERSIONS  # only who copies a collection waits for what copies

        return stores.open_store(url, keep_versions=ALL_VERSIONS, master=self._master_key_for(url))

    def _master_key_for(self, url: str) -> stores.MasterKey | None:
        return self.master if stores.can_encrypt(url) else None

    def open_tables(self, database: str, *, timeout: float) -> stores.OpenTables:
        """The tables of a database, opened once for a timeout (in seconds)."""
        return self._parts.open_tables(database, timeout=timeout)
