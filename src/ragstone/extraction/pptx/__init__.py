"""Presentations: `parse` reads one, `slide` a slide, `paragraphs` the text in a shape."""
