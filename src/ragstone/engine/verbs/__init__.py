"""The library's verbs, by subject."""
