"""Rows of an encrypted vector file: each sealed by itself under its slot, so that it can be overwritten alone.

A row is a nonce (12 bytes), the encrypted float32 and a tag (16 bytes); its address is its slot, and it is bound to
the header of the file, whose random id its key is derived from. A row of zeros is one that was erased: whether it
may be, the checksum in the database says.
"""

import contextlib
import mmap
import struct
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.ports import Vectors
from ragstone.stores.cosine import SCAN_ROWS, SlotArray
from ragstone.stores.encryption import OVERHEAD, Cipher, SecretKey

ROWS_PURPOSE = "vectors"
MAX_CACHED_BYTES = (
    512 << 20
)  # bytes of decrypted rows that a collection keeps; what is beyond is decrypted by each question anew
# Rows that are decrypted and kept together: as many as one multiplication takes, so that it takes them uncopied.
PAGE_ROWS = SCAN_ROWS


class PageCache:
    """Decrypted rows of one vector file, shared by all views of it. Rows never change, they only become more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[int, Vectors] = {}
        self._bytes = 0

    def get_page(self, page: int, rows: int) -> Vectors | None:
        """A page with at least `rows` rows."""
        found = self._held.get(page)
        return found if found is not None and len(found) >= rows else None

    def keep_page(self, page: int, rows: Vectors) -> None:
        """Remember a page, unless there are too many."""
        with self._lock:
            before = self._held.get(page)
            grown = rows.nbytes - (before.nbytes if before is not None else 0)
            if grown > 0 and self._bytes + grown <= MAX_CACHED_BYTES:
                self._held[page] = rows
                self._bytes += grown

    @property
    def is_full(self) -> bool:
        """Whether no further page would be kept."""
        return self._bytes + PAGE_ROWS * 4 > MAX_CACHED_BYTES


def row_cipher(key: SecretKey, header: bytes, file_id: bytes) -> Cipher:
    """The cipher for the rows of the file with this header."""
    return Cipher(key.derive_key(ROWS_PURPOSE, file_id), header)


def encrypt_rows(cipher: Cipher, vectors: Vectors, *, first: int) -> bytes:
    """Rows as they stand in the file from slot `first` on."""
    seal = cipher.make_encryptor()
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    return b"".join(seal(row.tobytes(), _slot_address(first + i)) for i, row in enumerate(rows))


def cipher_stride(dimension: int) -> int:
    """The bytes of a row in the file."""
    return dimension * 4 + OVERHEAD


class EncryptedRows:
    """Reads rows of an encrypted vector file; implements `cosine.Rows`. Raises `Corrupt` for a row that was not
    written there."""

    def __init__(
        self, path: Path, view: mmap.mmap, cipher: Cipher, *, start: int, shape: tuple[int, int], pages: PageCache
    ) -> None:
        self._path = path
        self._view = view
        self._open = cipher.make_decryptor()
        self._start = start
        self._rows, self._dimension = shape
        self._stride = cipher_stride(self._dimension)
        self._pages = pages

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, at: slice | SlotArray) -> Vectors:
        if isinstance(at, slice):
            first, last, _ = at.indices(self._rows)
            whole = first % PAGE_ROWS == 0 and last <= first + PAGE_ROWS
            return (
                self._load_page(first // PAGE_ROWS)[: last - first]
                if whole
                else self._pick_rows(np.arange(first, last))
            )
        return self._pick_rows(np.asarray(at, dtype=np.int64))

    def _pick_rows(self, slots: SlotArray) -> Vectors:
        """A few rows: from the pages that are kept; of others they alone are decrypted, unless a page can be kept."""
        out = np.empty((len(slots), self._dimension), dtype=np.float32)
        pages = slots // PAGE_ROWS
        for page in np.unique(pages).tolist():
            mine = np.flatnonzero(pages == page)
            inside = slots[mine] - page * PAGE_ROWS
            known = self._pages.get_page(page, int(inside.max()) + 1)
            if known is None and self._pages.is_full:
                out[mine] = self._decrypt_rows(slots[mine].tolist())
            else:
                out[mine] = (self._load_page(page) if known is None else known)[inside]
        return out

    def _load_page(self, page: int) -> Vectors:
        first = page * PAGE_ROWS
        count = max(0, min(PAGE_ROWS, self._rows - first))
        known = self._pages.get_page(page, count)
        if known is not None:
            return known[:count]
        rows = self._decrypt_rows(range(first, first + count))
        self._pages.keep_page(page, rows)
        self._release_pages(first, count)
        return rows

    def _decrypt_rows(self, slots: Iterable[int]) -> Vectors:
        view = memoryview(self._view)
        opened = [self._decrypt_row(view, slot) for slot in slots]
        return np.frombuffer(b"".join(opened), dtype="<f4").reshape(len(opened), self._dimension)

    def _decrypt_row(self, view: memoryview, slot: int) -> bytes:
        start = self._start + slot * self._stride
        data = view[start : start + self._stride]
        try:
            return self._open(data, _slot_address(slot))
        except ValueError as error:
            if not any(data):
                return bytes(self._dimension * 4)
            what = f"{self._path} is damaged (row {slot}: {error})"
            raise Corrupt(f"{what}; keyword search still works; run: ragstone doctor --repair") from error

    def _release_pages(self, first: int, count: int) -> None:
        """Give back the mapped pages of the file: what was read of them is in memory already."""
        start = (self._start + first * self._stride) // mmap.PAGESIZE * mmap.PAGESIZE
        with contextlib.suppress(AttributeError, OSError, ValueError):  # a hint, which not every system takes
            self._view.madvise(mmap.MADV_DONTNEED, start, count * self._stride)


def _slot_address(slot: int) -> bytes:
    return struct.pack("<Q", slot)
