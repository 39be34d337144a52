"""Pages of a PDF become one document: headings, furniture, joins, the record."""
