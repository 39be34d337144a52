"""Tables of a PDF page: ruled, aligned, with cells that span."""
