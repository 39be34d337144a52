"""How a PDF page is laid out: zones, columns, paragraphs, figures."""
