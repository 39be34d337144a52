"""Tables and views that somebody else fills, as readers: nothing of ours is written beside them."""

from ragstone.stores.tables.database import TableDatabase

__all__ = ["TableDatabase"]
