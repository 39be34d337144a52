"""The five presets, each walked through paragraph by paragraph of the specification that it follows.

A paragraph is named by its number: that of its heading, or its place among the headings where they have none.
"""
