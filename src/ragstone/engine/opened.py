"""What an engine has open: its own store, and the stores and databases that pipelines name."""

from ragstone import stores, transfer
from ragstone.config import Settings
from ragstone.ports import Store


class Opened:
    """The own store at once, others when they are first needed; a store that was handed in is closed by its maker.

    `own` says whether the store was opened here; `master` is the key that wraps the keys of tenants, None without one.
    """

    def __init__(self, settings: Settings, handed: Store | None, *, keep_versions: int) -> None:
        self.own = handed is None
        self.tables: dict[tuple[str, float], stores.OpenTables] = {}
        self._also: dict[str, Store] = {}
        self.master = stores.Master.of(
            settings.encryption.key,
            settings.encryption.key_file,
            settings.encryption.previous,
            settings.encryption.previous_file,
        )
        self.store = handed or stores.open_store(settings.store, keep_versions=keep_versions, master=self.master)

    def at(self, url: str | None) -> Store:
        """The store at another URL, opened once."""
        if url is None:
            return self.store
        if url not in self._also:
            self._also[url] = stores.open_store(url, master=self._master_of(url))
        return self._also[url]

    def whole(self, url: str) -> Store:
        """The store at a URL opened once more, so that every revision stays in it; the caller closes it."""
        return stores.open_store(url, keep_versions=transfer.ALL_VERSIONS, master=self._master_of(url))

    def _master_of(self, url: str) -> stores.Master | None:
        return self.master if stores.encrypts(url) else None

    def tables_of(self, database: str, *, timeout: float) -> stores.OpenTables:
        """The tables of a database, opened once for a timeout (in seconds)."""
        place = (database, timeout)
        if place not in self.tables:
            self.tables[place] = stores.open_tables(database, timeout=timeout)
        return self.tables[place]

    async def close(self) -> None:
        """Give back what was opened here."""
        for tables in self.tables.values():
            await tables.close()
        for store in self._also.values():
            await store.close()
        if self.own:
            await self.store.close()
