"""Collections from one store to another, whole: nothing is extracted, cut or embedded again."""

from ragstone.engine.transfer.carry import ALL_VERSIONS, Copied, Way, copied
from ragstone.engine.transfer.plan import Changes
from ragstone.engine.transfer.same import same
from ragstone.engine.transfer.sums import KINDS, Sums

__all__ = ["ALL_VERSIONS", "KINDS", "Changes", "Copied", "Sums", "Way", "copied", "same"]
