"""Where artifacts are kept: a URI becomes a place, `file:` by ourselves, everything else by fsspec."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ragstone.core.errors import ConfigError
from ragstone.core.ports import ArtifactStorage, Sealer, SealingStore, Store
from ragstone.core.types import Scope

SEAL_OVERHEAD = 1 << 21  # bytes: what is sealed comes in blocks of one mebibyte, of which the first is needed whole
FIRST_READ = 1 << 24  # bytes: more than nearly all artifacts have
FILE_SCHEMES = ("file", "local")


def open_place(uri: str) -> ArtifactStorage:
    """The place behind a URI; nothing is read or written yet.

    Raises `ConfigError` for an invalid URI, and for a file system whose package is not installed.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or not scheme.isalnum() or not rest.strip("/") or "\0" in uri:
        raise ConfigError(f"invalid artifacts {uri!r:.200}: expected file:PATH or a URL such as s3://bucket/prefix")
    if scheme not in FILE_SCHEMES:
        return _open_remote(uri, scheme)
    from ragstone.ingestion.artifacts.folder import FolderPlace

    return FolderPlace(_parse_file_uri(uri, rest))


def _parse_file_uri(uri: str, rest: str) -> Path:
    """The folder of a `file:` URI; a relative one begins where the command runs."""
    if rest.startswith("//"):
        host, _, rest = rest[2:].partition("/")
        if host not in ("", "localhost"):
            raise ConfigError(
                f"invalid artifacts {uri!r:.200}: expected file:///PATH with three slashes, without a host"
            )
        rest = f"/{rest}"
    try:
        return Path(unquote(rest)).expanduser().resolve()
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigError(f"invalid artifacts {uri!r:.200}: {error}") from error


def _open_remote(uri: str, scheme: str) -> ArtifactStorage:
    if "@" in urlsplit(uri).netloc:
        # The URI is kept with every revision and shown to anyone who may read its facts.
        raise ConfigError(
            f"invalid artifacts at {scheme}: expected no user or password in the URL; set them in the environment"
        )
    if "::" in uri or "?" in uri or "#" in uri:
        raise ConfigError(f"invalid artifacts {uri!r:.200}: expected {scheme}://BUCKET/PREFIX")
    try:
        from ragstone.ingestion.artifacts.remote import RemotePlace

        return RemotePlace(uri.rstrip("/"))
    except ImportError as error:
        extra = f"pip install 'ragstone[s3]' ({error})" if scheme in ("s3", "s3a") or error.name == "fsspec" else error
        raise ConfigError(f"artifacts at {scheme}: need a package that is not installed: {extra}") from error
    except ValueError as error:
        raise ConfigError(f"invalid artifacts {uri!r:.200}: {error}") from error


async def seal_place(store: Store, scope: Scope, place: ArtifactStorage) -> ArtifactStorage:
    """The place as it is for a tenant of a store. Raises `NoKey`."""
    sealer = await store.sealer(scope.tenant) if isinstance(store, SealingStore) else None
    return place if sealer is None else SealedPlace(place, sealer)


class SealedPlace:
    """Encrypts artifacts on their way to another place; implements `ArtifactStorage`. Names stay unencrypted."""

    def __init__(self, inner: ArtifactStorage, sealer: Sealer) -> None:
        self._inner = inner
        self._sealer = sealer

    @property
    def uri(self) -> str:
        return self._inner.uri

    def put(self, name: str, data: bytes, *, mark: str) -> None:
        self._inner.put(name, self._sealer.seal(data, about=name), mark=mark)

    def names(self, under: str) -> list[str]:
        return self._inner.names(under)

    def head(self, name: str, size: int) -> bytes:
        return self._sealer.unseal(self._inner.head(name, size + SEAL_OVERHEAD), about=name, size=size)

    def remove(self, name: str) -> None:
        self._inner.remove(name)

    def is_current(self, name: str) -> bool:
        """Whether the artifact is under the tenant's newest key."""
        return self._sealer.is_current(self._inner.head(name, SEAL_OVERHEAD), about=name)

    def renew(self, name: str, *, mark: str) -> None:
        """Put the artifact under the newest key. Raises `Corrupt` if no key of the tenant opens it."""
        if data := _read_whole(self._inner, name):
            self._inner.put(name, self._sealer.renew(data, about=name), mark=mark)


def _read_whole(place: ArtifactStorage, name: str) -> bytes:
    size = FIRST_READ
    while len(data := place.head(name, size)) == size:
        size *= 4
    return data
