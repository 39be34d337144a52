"""A page, a sitemap or a section of a site as a source."""

from ragstone.ingestion.sources.web.source import CrawlLimits, WebSource, is_address

__all__ = ["CrawlLimits", "WebSource", "is_address"]
