"""PDF: from the characters and lines that a page draws to blocks with their place."""
