"""The schema's history: numbered SQL files, each applied once and in order."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

READERS = re.compile(r"\A(?:--.*\n)*?-- readers: (?P<since>[0-9]{1,9})\n")  # among the comments that a file begins with
NAME = re.compile(r"(?P<version>[0-9]{4})_(?P<name>[a-z_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; `checksum` is the sha256 of its text."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def readers(self) -> int:
        """The version since which programs can read what this step makes: its own, unless it says another one."""
        said = READERS.match(self.sql)
        return int(said["since"]) if said else self.version


def _read_migrations() -> tuple[Migration, ...]:
    named = [(NAME.fullmatch(file.name), file) for file in files(__package__).iterdir()]
    found = [Migration(int(name["version"]), name["name"], file.read_text("utf-8")) for name, file in named if name]
    return tuple(sorted(found, key=lambda migration: migration.version))


MIGRATIONS = _read_migrations()
VERSION = MIGRATIONS[-1].version
