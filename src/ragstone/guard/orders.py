"""What a text says when it speaks to a model instead of a reader: one table of patterns with their weight.

Each asks for two things together (an order *and* what it is aimed at), because documentation is
full of imperatives. Gaps are bounded, so that the time stays linear.
"""

from ragstone.guard.abroad import ABROAD
from ragstone.guard.dropping import DROPPING
from ragstone.guard.leaving import LEAVING
from ragstone.guard.order import Order
from ragstone.guard.selves import SELVES
from ragstone.guard.turns import TURNS

ORDERS: tuple[Order, ...] = (*DROPPING, *SELVES, *ABROAD, *LEAVING, *TURNS)
