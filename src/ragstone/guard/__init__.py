"""What stands between documents and whoever reads them: injection flags, masked secrets."""

from ragstone.guard.cover import Known, cells, located, parts, plain, shown, shown_part, touching, veiled
from ragstone.guard.injection import FLAGS, flags
from ragstone.guard.journal import Masking, masks_log
from ragstone.guard.look import Seen, look
from ragstone.guard.secrets import Finding, find, mask

__all__ = [
    "FLAGS",
    "Finding",
    "Known",
    "Masking",
    "Seen",
    "cells",
    "find",
    "flags",
    "located",
    "look",
    "mask",
    "masks_log",
    "parts",
    "plain",
    "shown",
    "shown_part",
    "touching",
    "veiled",
]
