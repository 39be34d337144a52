"""What stands between documents and whoever reads them: injection flags, masked secrets."""

from ragstone.guard.cover import Known, cells, located, parts, plain, shown, touching, veiled
from ragstone.guard.injection import FLAGS, flags
from ragstone.guard.secrets import Finding, find, mask

__all__ = [
    "FLAGS",
    "Finding",
    "Known",
    "cells",
    "find",
    "flags",
    "located",
    "mask",
    "parts",
    "plain",
    "shown",
    "touching",
    "veiled",
]
