"""Dumps of wikis (MediaWiki): their pages, and the markup of these."""
