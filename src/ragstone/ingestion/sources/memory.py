"""Documents that a program hands over, as a source."""

from collections.abc import Iterator, Mapping

from ragstone.core.document_paths import check_document_path
from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile


class GivenDocuments:
    """Documents by path, each a text or the bytes of a file; archives among them are not opened."""

    def __init__(self, name: str, documents: Mapping[str, str | bytes]) -> None:
        self.name = name
        self._documents = {
            check_document_path(path): given.encode() if isinstance(given, str) else given
            for path, given in sorted(documents.items())
        }

    def walk(self) -> Iterator[ListedFile]:
        """Every document, in the order of the paths."""
        return (ListedFile(path, len(data)) for path, data in self._documents.items())

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; raises `Refused` with the reason too_large."""
        data = self._documents[path]
        if len(data) > limit:
            settings = "limits.text_bytes or limits.office_bytes"
            raise Refused("too_large", f"{path} has more than {limit:,} bytes; raise {settings}, or leave it out")
        return data
