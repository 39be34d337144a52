"""What stands between documents and their readers: masked secrets here, flags in `injection`, both in `look`.

Flags have modules of their own because their patterns take a tenth of a second to compile: a search does without.
"""

from ragstone.guard.masking import (
    KnownSecrets,
    MaskingFilter,
    list_secret_lines,
    locate_secrets,
    mask_cells,
    mask_chunk,
    mask_chunk_part,
    mask_data,
    mask_log,
    mask_secrets,
    select_secrets,
)
from ragstone.guard.secrets import Finding, find_secrets, mask_patterns

__all__ = [
    "Finding",
    "KnownSecrets",
    "MaskingFilter",
    "find_secrets",
    "list_secret_lines",
    "locate_secrets",
    "mask_cells",
    "mask_chunk",
    "mask_chunk_part",
    "mask_data",
    "mask_log",
    "mask_patterns",
    "mask_secrets",
    "select_secrets",
]
