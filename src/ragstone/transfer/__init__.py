"""Collections from one store to another, whole: nothing is extracted, cut or embedded again."""

from ragstone.transfer.carry import ALL_VERSIONS, Copied, Way, copied
from ragstone.transfer.plan import Changes
from ragstone.transfer.same import same
from ragstone.transfer.sums import KINDS, Sums

__all__ = ["ALL_VERSIONS", "KINDS", "Changes", "Copied", "Sums", "Way", "copied", "same"]
