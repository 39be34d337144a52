"""Where artifacts are kept: a URI becomes a place, `file:` by ourselves, everything else by fsspec."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ragstone.core.errors import ConfigError
from ragstone.core.ports import ArtifactStorage

FILE_SCHEMES = ("file", "local")


def open_place(uri: str) -> ArtifactStorage:
    """The place behind a URI; nothing is read or written yet.

    Raises `ConfigError` for what is no URI of a place, and for a file system whose package is not installed.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or not scheme.isalnum() or not rest.strip("/") or "\0" in uri:
        raise ConfigError(f"artifacts {uri!r:.200} is no place; write file:PATH, or a URL such as s3://bucket/prefix")
    if scheme not in FILE_SCHEMES:
        return _open_remote(uri, scheme)
    from ragstone.ingestion.artifacts.folder import FolderPlace

    return FolderPlace(_parse_file_uri(uri, rest))


def _parse_file_uri(uri: str, rest: str) -> Path:
    """The folder of a `file:` URI; a relative one begins where the command runs."""
    if rest.startswith("//"):
        host, _, rest = rest[2:].partition("/")
        if host not in ("", "localhost"):
            raise ConfigError(f"artifacts {uri!r:.200} names the machine {host!r}; write file:///PATH, with three /")
        rest = f"/{rest}"
    try:
        return Path(unquote(rest)).expanduser().resolve()
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigError(f"artifacts {uri!r:.200} leads to no place: {error}") from error


def _open_remote(uri: str, scheme: str) -> ArtifactStorage:
    if "@" in urlsplit(uri).netloc:
        # The URI is kept with every revision and shown to whoever may read its facts.
        raise ConfigError(f"artifacts at {scheme}: hold a name or password in the URL; leave it to the environment")
    if "::" in uri or "?" in uri or "#" in uri:
        raise ConfigError(f"artifacts {uri!r:.200} is no plain URL of a place; write {scheme}://BUCKET/PREFIX")
    try:
        from ragstone.ingestion.artifacts.remote import RemotePlace

        return RemotePlace(uri.rstrip("/"))
    except ImportError as error:
        extra = f"pip install 'ragstone[s3]' ({error})" if scheme in ("s3", "s3a") or error.name == "fsspec" else error
        raise ConfigError(f"artifacts at {scheme}: need a package that is not installed: {extra}") from error
    except ValueError as error:
        raise ConfigError(f"artifacts {uri!r:.200} is of a kind that fsspec does not know: {error}") from error
