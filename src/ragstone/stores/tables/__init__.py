"""Tables and views that somebody else fills, as readers: nothing of ours is written beside them."""

from ragstone.stores.tables.tables import Tables

__all__ = ["Tables"]
