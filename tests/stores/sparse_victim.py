"""A process that writes documents and sparse vectors until it is killed: `python sparse_victim.py ROOT POINT NTH`."""

import asyncio

from ragstone.testing.stores import fill_sparse
from tests.stores.victim import state, write_filled

if __name__ == "__main__":
    asyncio.run(write_filled(state, fill_sparse))
