"""Artifacts in an object store, by fsspec: a whole object is put at once, so that there is no half of one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec
from fsspec.core import url_to_fs

from ragstone.core.errors import StoreError


class RemotePlace:
    """Keeps artifacts behind a URL of fsspec, such as S3; implements `ArtifactStorage`."""

    def __init__(self, uri: str) -> None:
        """Raises `ImportError` where the scheme's package is not installed, `ValueError` for an unknown scheme."""
        self._uri = uri
        fsspec.get_filesystem_class(uri.partition(":")[0])
        self._made: tuple[Any, str] | None = None

    @property
    def uri(self) -> str:
        return self._uri

    def put(self, name: str, data: bytes, *, mark: str) -> None:  # noqa: ARG002  # nothing stands aside here
        with self._map_errors() as (system, root):
            system.pipe_file(f"{root}/{name}", data)

    def names(self, under: str) -> list[str]:
        with self._map_errors() as (system, root):
            system.invalidate_cache()  # other processes write there too
            try:
                found = system.find(f"{root}/{under}")
            except FileNotFoundError:
                return []
            lead = f"{root.strip('/')}/"
            return sorted(path.strip("/").removeprefix(lead) for path in found if path.strip("/").startswith(lead))

    def head(self, name: str, size: int) -> bytes:
        with self._map_errors() as (system, root):
            try:
                return bytes(system.cat_file(f"{root}/{name}", start=0, end=size))
            except FileNotFoundError:
                return b""

    def remove(self, name: str) -> None:
        with self._map_errors() as (system, root):
            try:
                system.rm_file(f"{root}/{name}")
            except FileNotFoundError:
                return

    @contextmanager
    def _map_errors(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path of the place in it. What it raises, no two packages agree on."""
        try:
            self._made = self._made or url_to_fs(self._uri)
            yield self._made
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise StoreError(f"{self._uri} cannot be written or read ({said:.500}); check name and access") from error
