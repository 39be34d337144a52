"""Where documents come from: named roots with their rules."""

from ragstone.ingestion.sources.files import ChosenFiles, FileSource
from ragstone.ingestion.sources.rules import Rules

__all__ = ["ChosenFiles", "FileSource", "Rules"]
