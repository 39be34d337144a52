"""Where documents come from: named roots with their rules."""

from ragstone.ingestion.sources.files import Files
from ragstone.ingestion.sources.rules import EXTENSIONS, Rules

__all__ = ["EXTENSIONS", "Files", "Rules"]
