"""Every seam, by what it is for. A room offers one of these; a corridor knows nothing else of it.

A store is four seams, each for one scope: `Reader` (one consistent view, for questions),
`Writer` (what an ingestion changes), `Ledger` (what is known about documents and runs), `Admin`
(collections, repair, erasure). Its fifth, `Keys`, says which tenant somebody is of.
"""

from ragstone.core.arrays import Vectors
from ragstone.core.ports.documents import Chunker, Extractor, Listed, Source
from ragstone.core.ports.keeping import Admin, HeldModel, Keys, Reembedding, Sealer, Sealing
from ragstone.core.ports.models import Completed, Completion, Embedder, Message, Prompt, Tokenizer
from ragstone.core.ports.reading import Exporter, Fusing, Kept, Reader, Worded
from ragstone.core.ports.searches import Memory, Remembered, Remembering
from ragstone.core.ports.store import Identified, Place, Store
from ragstone.core.ports.writing import Filler, Ledger, Writer

__all__ = [
    "Admin",
    "Chunker",
    "Completed",
    "Completion",
    "Embedder",
    "Exporter",
    "Extractor",
    "Filler",
    "Fusing",
    "HeldModel",
    "Identified",
    "Kept",
    "Keys",
    "Ledger",
    "Listed",
    "Memory",
    "Message",
    "Place",
    "Prompt",
    "Reader",
    "Reembedding",
    "Remembered",
    "Remembering",
    "Sealer",
    "Sealing",
    "Source",
    "Store",
    "Tokenizer",
    "Vectors",
    "Worded",
    "Writer",
]
