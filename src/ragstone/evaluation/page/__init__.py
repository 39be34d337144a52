"""An evaluation as one page that a person reads in a browser: no script, nothing from elsewhere."""

from ragstone.evaluation.page.document import render_page

__all__ = ["render_page"]
