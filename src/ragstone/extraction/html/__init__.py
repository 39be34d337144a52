"""Web pages: the tree, its blocks, tables, lists, code and main content."""
