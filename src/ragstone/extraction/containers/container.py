"""The values of containers: their members, what is wrong with others, and how much they may hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from ragstone.core.errors import Refused
from ragstone.core.types import NO_FACTS, Enclosing
from ragstone.extraction.sandbox.document_limits import DEFAULT, Bounds

SMALL = 10_000_000  # bytes: what unpacks to less may be packed as densely as it likes
# The densest office file of 61 has 41, logs and tables of zeros about 100; a bomb has 1,000.
RATIO = 200


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """How much a container may hold: members, bytes of all of them unpacked, containers one in the other, bytes of one
    member; and what reading a mail may cost."""

    members: int = 50_000
    total: int = 20_000_000_000
    depth: int = 3
    document: int = 200_000_000
    bounds: Bounds = DEFAULT


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a container: its path there, its size unpacked, the facts that it has from there. `is_plain`: it is
    known to hold no files itself."""

    name: str
    size: int
    enclosing: Enclosing = NO_FACTS
    is_plain: bool = False


UNLISTED = "/"  # the name of a problem with the members of a document, which is read itself


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a member is not read, or the container itself where `name` is empty; `UNLISTED`: for now its members cannot
    be listed."""

    name: str
    reason: str
    message: str


class Container(Protocol):
    """A container whose members are known; it holds no open file. Any thread may read."""

    @property
    def members(self) -> Mapping[str, Member]: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def is_document(self) -> bool:
        """Whether the container is a document too, as a mail and a PDF are."""
        ...

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """The first bytes of a member, at most `most`; `file` is the container. Raises `Refused`."""
        ...


@dataclass(slots=True)
class Budget:
    """The members and bytes that a container and those in it may still hold."""

    members: int
    total: int
    limits: ContainerLimits = field(default_factory=ContainerLimits)

    @classmethod
    def of(cls, limits: ContainerLimits) -> "Budget":
        return cls(limits.members, limits.total, limits)

    def check_count(self, count: int, path: str) -> None:
        """Raises `Refused` for more members than are left."""
        if count > self.members:
            raise Refused(
                "too_large",
                f"{path} holds more than the {self.limits.members:,} files allowed; unpack it, or raise "
                "limits.archive_files",
            )

    def check_total(self, size: int, path: str) -> None:
        """Raises `Refused` for more bytes than are left."""
        if size > self.total:
            raise Refused(
                "too_large",
                f"{path} unpacks to more than the {self.limits.total:,} bytes allowed; unpack it, or raise "
                "limits.archive_bytes",
            )

    def spend(self, members: Mapping[str, Member], path: str) -> None:
        """Take these members into account. Raises `Refused`."""
        size = sum(member.size for member in members.values())
        self.check_count(len(members), path)
        self.check_total(size, path)
        self.members -= len(members)
        self.total -= size


def is_dense(size: int, packed: int) -> bool:
    """Whether data is packed as densely as only bombs are."""
    return size > max(SMALL, RATIO * packed)
