"""Containers that are damaged in any way are read or refused, never anything else."""

import gzip
import io
import random

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.containers import Budget, ContainerLimits, open_container
from tests.extraction.containers.packing import pack_entry, pack_zip
from tests.extraction.containers.test_tar import NAMES, pack_tar

ROUNDS = 100
FILES = {"a.md": b"At four. " * 50, "b/c.md": bytes(300), "d.md": b""}
KINDS = {
    "zip": pack_zip(FILES),
    "stored": pack_entry(b"a.md", b"text" * 20, extra=b"\1\0\x08\0" + bytes(8)),
    "tar": pack_tar({**NAMES, **FILES}),
    "tar.gz": gzip.compress(pack_tar(FILES)),
}


def damage(data: bytes, chance: random.Random) -> bytes:
    odd = bytearray(data)
    for _ in range(chance.randrange(1, 5)):
        odd[chance.randrange(len(odd))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    return bytes(odd[: chance.randrange(len(odd))] if chance.random() < 0.3 else odd)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_containers_are_read_or_refused(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(ROUNDS):
        data = damage(KINDS[kind], chance)
        try:
            found = open_container(io.BytesIO(data), path="x", budget=Budget.of(ContainerLimits(100, 1_000_000)))
        except Refused:
            continue
        if found is None:
            continue
        for name, member in found.members.items():
            try:
                assert len(found.read(io.BytesIO(data), name, 2_000)) <= min(2_000, member.size)
            except Refused:
                continue
