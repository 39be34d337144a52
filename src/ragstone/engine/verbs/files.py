"""Methods that read files without a store."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from ragstone.access import Permission
from ragstone.core.errors import Refused, UsageError
from ragstone.core.ports import ListedFile, Source
from ragstone.core.records import PASSED_OVER, Skipped
from ragstone.core.types import Extraction, Piece
from ragstone.engine.permission_checks import verb
from ragstone.engine.source_roots import resolve_file_source
from ragstone.engine.verbs.base import VerbGroup


class FileVerbs(VerbGroup):
    """Methods that show the extraction and the chunks of a file."""

    @verb(Permission.WRITE)  # reads files that this process may read
    def extract(self, file: str | Path) -> Extraction:
        """Extract a file, which may lie in an archive or a mail (`offer.eml/prices.xlsx`); raises `Refused` with a
        reason."""
        container, inner = _split_member(file)
        source, root = resolve_file_source(container, limits=self.settings.limits)
        if not Path(root).is_file():
            kinds = (
                ("is a folder", Path.is_dir),
                ("is not a regular file", Path.exists),
                ("does not exist", lambda _: True),
            )
            what = next(words for words, holds in kinds if holds(Path(root)))
            raise UsageError(f"{file} {what}: name a file that exists")
        from ragstone.extraction.chats.slack import find_users_file
        from ragstone.ingestion.chat_people import read_names, read_names_beside
        from ragstone.ingestion.sources.members import find_member

        if inner:
            people = read_names(source, place) if (place := find_users_file(f"{Path(root).name}/{inner}")) else {}
            entry = find_member(source, f"{Path(root).name}/{inner}")
            return self._extract_entry(source, entry, called=str(file), people=people)
        entry = ListedFile(Path(root).name, Path(root).stat().st_size)
        return self._extract_entry(source, entry, called=str(file), people=read_names_beside(str(file)))

    @verb(Permission.WRITE)
    def iter_extractions(
        self, path: str | Path, *, ignore: Sequence[str] = ()
    ) -> Iterator[tuple[str, Extraction | Refused]]:
        """Extract a file, or every file of a folder in order except those that match `ignore`.

        A refusal is given as a value, not raised.
        """
        from ragstone.extraction.chats.slack import find_users_file
        from ragstone.ingestion.chat_people import read_names

        source, _ = resolve_file_source(str(path), ignore, limits=self.settings.limits)
        read = cache(partial(read_names, source))
        for entry in source.walk():
            if isinstance(entry, Skipped) and entry.reason == PASSED_OVER:
                continue
            try:
                if isinstance(entry, Skipped):
                    raise Refused(entry.reason, entry.message)
                people = read(place) if (place := find_users_file(entry.path)) else {}
                yield entry.path, self._extract_entry(source, entry, called=entry.path, people=people)
            except Refused as refused:
                yield entry.path, refused

    def _extract_entry(
        self, source: Source, entry: ListedFile, *, called: str, people: Mapping[str, str]
    ) -> Extraction:
        from ragstone import extraction
        from ragstone.ingestion.sources.sizes import check_file_size

        limits, passwords = self._components.limits, self.settings.passwords
        check_file_size(source, entry, limits, called=called)
        data = source.read(entry.path, max(limits.text, limits.office))
        return extraction.extract(
            data,
            path=called,
            limits=limits,
            passwords=passwords,
            processes=self._components.processes.sandbox_for_files,
            people=people,
        )

    @verb(Permission.WRITE)
    def preview(self, file: str | Path) -> list[Piece]:
        """The chunks that a file would get."""
        return self._components.chunker_setup.chunker.cut(self.extract(file))


def _split_member(file: str | Path) -> tuple[str, str]:
    """A file and, where the path goes on behind it, the path of a member in it; "" for none."""
    try:
        place = Path(file).expanduser()
        if not place.exists():
            for parent in place.parents:
                if parent.is_file():
                    return str(parent), place.relative_to(parent).as_posix()
    except (OSError, ValueError, RuntimeError):  # what opening it says
        pass
    return str(file), ""
