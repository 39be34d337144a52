"""An extraction as JSON, for printing, for files beside converted ones, and for artifacts; and its name."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from ragstone import guard
from ragstone.core.json_shapes import span_json
from ragstone.core.types import Block, Document, Extraction, Json, Scope, Secret
from ragstone.stores.file_names import encode_name

GROUP = 1_000  # cells that are written together
ARTIFACT_KEY = "extracted_artifact_uri"
HEAD_BYTES = 65_536  # bytes: the longest path of Linux, all of it escaped, is a third of that
_PREAMBLE = '{"schema": 1, "document": '
_FILE = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{64}\.json"
ARTIFACT = re.compile(rf"[^/]+/{_FILE}")
# What a killed writer leaves says by its name whose it is: collection, source.
ASIDE = re.compile(rf"[^/]+/{_FILE}\.([0-9a-f]{{16}})\.([0-9a-f]{{16}})\.\d+-\d+\.aside")


def extraction_data(extraction: Extraction, source: str, *, masked: bool = True) -> Json:
    """The blocks of a file with their places; their secrets masked, unless it goes where the text itself is kept."""
    extraction = mask_extraction(extraction) if masked else extraction
    return {
        **_head_json(extraction, source),
        "blocks": [_block_json(block) for block in extraction.blocks],
        "warnings": list(extraction.warnings),
    }


def iter_extraction_json(extraction: Extraction, source: str, *, dump: Callable[[Any], str]) -> Iterator[str]:
    """`extraction_data`, masked, as JSON in pieces: a table of a million cells is never there as plain data whole."""
    extraction = mask_extraction(extraction)
    yield f'{dump(_head_json(extraction, source))[:-1]}, "blocks": ['
    for i, block in enumerate(extraction.blocks):
        yield f'{", " if i else ""}{dump(_block_head_json(block))[:-1]}, "spans": ['
        yield from _iter_list_json(map(span_json, block.spans), dump)
        yield '], "cells": ['
        yield from _iter_list_json(map(asdict, block.cells), dump)
        yield "]}"
    yield f'], "warnings": {dump(list(extraction.warnings))}}}'


def _iter_list_json(values: Iterable[Mapping[str, Any]], dump: Callable[[Any], str]) -> Iterator[str]:
    left, lead = iter(values), ""
    while group := list(islice(left, GROUP)):
        yield lead + dump(group)[1:-1]
        lead = ", "


def _head_json(extraction: Extraction, source: str) -> Json:
    return {
        "schema": 1,
        "source": source,
        "media_type": extraction.media_type,
        "title": extraction.title,
        "meta": dict(extraction.meta),
    }


def mask_extraction(extraction: Extraction) -> Extraction:
    """The extraction as it may be shown or written: record, blocks, title, metadata and warnings without secrets.

    Places stay those of the record with its secrets.
    """
    record, findings = guard.mask_patterns(extraction.record)
    found = tuple((each.start, each.end, each.kind) for each in findings)
    return replace(
        extraction,
        record=record,
        title=guard.mask_secrets(extraction.title) if extraction.title else extraction.title,
        meta=guard.mask_data(dict(extraction.meta)),
        blocks=tuple(_mask_block(block, extraction.record, found) for block in extraction.blocks),
        warnings=tuple(map(guard.mask_secrets, extraction.warnings)),
    )


def _mask_block(block: Block, record: str, found: Sequence[Secret]) -> Block:
    """A block's text need not be that of its spans: markup may be gone, but the secrets are written alike."""
    known = guard.KnownSecrets(record, guard.list_secret_lines(record, found, block.spans))
    every = guard.KnownSecrets(record, found) if block.caption else known
    return replace(
        block,
        text=guard.mask_secrets(known.mask_known(block.text)),
        caption=guard.mask_secrets(every.mask_known(block.caption)),
        cells=tuple(replace(cell, text=guard.mask_secrets(known.mask_known(cell.text))) for cell in block.cells),
    )


def _block_json(block: Block) -> Json:
    return {
        **_block_head_json(block),
        "spans": [span_json(span) for span in block.spans],
        "cells": [asdict(cell) for cell in block.cells],
    }


def _block_head_json(block: Block) -> Json:
    return {
        "type": block.type,
        "role": block.role,
        "text": block.text,
        "level": block.level,
        "language": block.language,
        "caption": block.caption,
        "caption_of": block.caption_of,
        "figure": list(block.figure) if block.figure else None,
    }


def dump_artifact(scope: Scope, document: Document, extraction: Extraction) -> bytes:
    """A revision's artifact: nothing is masked, and its owner comes first, so that its beginning identifies it."""
    data = extraction_data(extraction, document.path, masked=False)
    del data["schema"]
    text = json.dumps({"schema": 1, "document": _owner_json(scope, document), **data}, ensure_ascii=False)
    return f"{text}\n".encode()


def _owner_json(scope: Scope, document: Document) -> Json:
    own = {"id": document.id, "version": document.version, "source": document.source, "path": document.path}
    return {"tenant": scope.tenant, "collection": scope.collection, **own}


def read_source(scope: Scope, name: str, head: bytes) -> str | None:
    """The source of the document that an artifact of this collection is of; None for other files."""
    text = head.decode("utf-8", "ignore")
    if not text.startswith(_PREAMBLE):
        return None
    try:
        about, _ = json.JSONDecoder().raw_decode(text, len(_PREAMBLE))
        document = Document(about["id"], about["source"], about["path"], 0, about["version"], "")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    ours = about == _owner_json(scope, document) and artifact_name(scope, document) == name
    return document.source if ours and isinstance(document.source, str) else None


def tenant_folder(scope: Scope) -> str:
    """The folder of a tenant's artifacts: a name that leads nowhere else on any file system, the same in a URL."""
    return encode_name(scope.tenant).replace("%", "=")


def artifact_name(scope: Scope, document: Document) -> str:
    """Where a revision's artifact stands, relative to the place: revisions of the same bytes share one."""
    return f"{tenant_folder(scope)}/{document.id}/{document.version}.json"


def claim_name(scope: Scope) -> str:
    """Where it stands which store this collection's artifacts are of."""
    return f"{tenant_folder(scope)}/{aside_marks(scope, '')[0]}.json"


def aside_marks(scope: Scope, source: str) -> tuple[str, str]:
    """The marks of a collection and of one of its sources in the names of unfinished files."""
    texts = ([scope.tenant, scope.collection], [scope.tenant, scope.collection, source])
    collection, own = (hashlib.sha256(json.dumps(text).encode()).hexdigest()[:16] for text in texts)
    return collection, own
