"""Protection of the readers of documents: injection flags, masked secrets."""

from ragstone.guard.edition import current_edition
from ragstone.guard.inspection import Inspection, assess_injection, inspect_text
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
from ragstone.guard.secrets import Finding, find_secrets, mask_and_follow, mask_patterns
from ragstone.guard.stream_mask import StreamMask

__all__ = [
    "Finding",
    "Inspection",
    "KnownSecrets",
    "MaskingFilter",
    "StreamMask",
    "assess_injection",
    "current_edition",
    "find_secrets",
    "inspect_text",
    "list_secret_lines",
    "locate_secrets",
    "mask_and_follow",
    "mask_cells",
    "mask_chunk",
    "mask_chunk_part",
    "mask_data",
    "mask_log",
    "mask_patterns",
    "mask_secrets",
    "select_secrets",
]
