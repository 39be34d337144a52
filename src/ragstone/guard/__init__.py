"""What stands between documents and whoever reads them: injection flags, masked secrets."""

from ragstone.guard.injection import FLAGS, flags
from ragstone.guard.secrets import Finding, find, mask

__all__ = ["FLAGS", "Finding", "find", "flags", "mask"]
