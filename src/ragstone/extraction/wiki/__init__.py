"""Markups of wikis and trackers other than MediaWiki's: DokuWiki, Jira and Confluence, Textile, Creole."""
