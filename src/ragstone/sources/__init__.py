"""Where documents come from: named roots with their rules."""

from ragstone.sources.files import Files
from ragstone.sources.rules import EXTENSIONS, Rules

__all__ = ["EXTENSIONS", "Files", "Rules"]
