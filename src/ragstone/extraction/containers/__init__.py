"""Files that hold files: archives, mails, PDFs, Office files. Each member is a document of its own, read without a
copy on disk."""

from ragstone.extraction.containers.container import UNLISTED, Budget, Container, ContainerLimits, Member, Problem
from ragstone.extraction.containers.kinds import START, is_candidate, looks_like_container, open_container

__all__ = [
    "START",
    "UNLISTED",
    "Budget",
    "Container",
    "ContainerLimits",
    "Member",
    "Problem",
    "is_candidate",
    "looks_like_container",
    "open_container",
]
