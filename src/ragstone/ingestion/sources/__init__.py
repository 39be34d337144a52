"""Where documents come from: named roots with their rules."""

from ragstone.ingestion.sources.files import ChosenFiles, FileSource
from ragstone.ingestion.sources.memory import GivenDocuments
from ragstone.ingestion.sources.rules import Rules
from ragstone.ingestion.sources.web import CrawlLimits, WebSource, is_address

__all__ = ["ChosenFiles", "CrawlLimits", "FileSource", "GivenDocuments", "Rules", "WebSource", "is_address"]
