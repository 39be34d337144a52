"""Images and scanned pages: the text that is seen in pixels, with its place."""
