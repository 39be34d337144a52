"""Exports of Confluence: `space` reads the file, `storage` what a page of it says."""
