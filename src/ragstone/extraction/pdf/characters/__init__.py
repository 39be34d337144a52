"""Characters, words, lines and marks of a PDF page, as the page places them."""
