"""Masking of text before it is shown or sent: first the secrets known from the whole document, then those that
patterns find."""

import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragstone.core.types import Chunk, Secret, Span
from ragstone.guard.assignments import STARTS
from ragstone.guard.lead_words import find_places
from ragstone.guard.secrets import Finding, find_secrets, mask_patterns, replace_findings

LOGGER_NAME = "ragstone"  # the one logger that all of this package writes to
PLAIN_FORMATTER = logging.Formatter()
SHORTEST = 5  # a shorter part of a secret is not looked for: it is a part of any word
MASK_START = "[masked:"
COMPARED_LENGTH = 64  # so many characters of a secret tell it from others
LINE = re.compile(r"\S(?:[^\n]*\S)?")


def locate_secrets(record: str) -> tuple[Secret, ...]:
    """The secrets of a text of record: start, end, kind, in order, never overlapping."""
    return tuple((finding.start, finding.end, finding.kind) for finding in find_secrets(record))


def select_secrets(found: Sequence[Secret], spans: Iterable[Span]) -> tuple[Secret, ...]:
    """Those that have a character in one of the spans, each once, in order."""
    return tuple(sorted({secret for span in spans for secret in _secrets_within(found, span)}))


def _secrets_within(found: Sequence[Secret], span: Span) -> Sequence[Secret]:
    first = bisect_right(found, span.char_start, key=lambda secret: secret[1])
    return found[first : bisect_left(found, span.char_end, first, key=lambda secret: secret[0])]


def mask_secrets(text: str, spans: Sequence[Span] = (), found: Sequence[Secret] = ()) -> str:
    """The text with its secrets masked.

    `spans` are the slices of the record that the text is, joined by newlines; `found` are the record's
    secrets there. A secret of which the text has only a part is masked like a whole one. A text that is
    not these slices is masked by its patterns alone.

    >>> mask_secrets('word: "S3cr', [Span(0, 11, 1, 1)], [(7, 30, "password")])
    'word: "[masked:password]'
    """
    if found and spans and sum(span.char_end - span.char_start + 1 for span in spans) == len(text) + 1:
        text = replace_findings(text, _place_secrets(spans, found))
    return mask_patterns(text)[0]


def mask_chunk_part(chunk: Chunk, start: int, end: int) -> str:
    """These characters of a chunk's text with its secrets masked, also those of which they have a part only."""
    places = [
        (max(start, one.start), min(end, one.end), one.kind) for one in _place_secrets(chunk.spans, chunk.secrets)
    ]
    inside = [Finding(kind, first - start, last - start) for first, last, kind in places if first < last]
    return mask_patterns(replace_findings(chunk.text[start:end], inside))[0]


def mask_cells(
    table: Sequence[Sequence[str]], text: str, spans: Sequence[Span], found: Sequence[Secret]
) -> tuple[tuple[str, ...], ...]:
    """The cells of a text's tables with its secrets masked; none if a secret cannot be found in them.

    `text`, `spans` and `found` are as in `mask_secrets`. A cell is written without its quotes and escapes, so a secret
    that needs them is not found in it.

    >>> mask_cells([("lion", "S3cr3t")], "lion,S3cr3t", [Span(0, 11, 1, 1)], [(5, 11, "password")])
    (('lion', '[masked:password]'),)
    """
    places = [(finding.start, finding.end, finding.kind) for finding in _place_secrets(spans, found)]
    known = KnownSecrets(text, places)
    out = tuple(tuple(mask_secrets(known.mask_known(cell)) for cell in row) for row in table)
    masks = sum(cell.count(MASK_START) for row in out for cell in row)
    return out if masks >= len(places) else ()


def _place_secrets(spans: Sequence[Span], found: Sequence[Secret]) -> list[Finding]:
    """The secrets as places in the joined slices; one that goes over a joint stays one."""
    out: list[Finding] = []
    offset, before = 0, None
    for span in spans:
        for secret in _secrets_within(found, span):
            start = offset + max(0, secret[0] - span.char_start)
            end = offset + min(secret[1], span.char_end) - span.char_start
            if out and before == secret and out[-1].end == offset - 1 and start == offset:
                out[-1] = Finding(secret[2], out[-1].start, end)
            elif start < end:
                out.append(Finding(secret[2], start, end))
            before = secret
        offset += span.char_end - span.char_start + 1
    return out


def list_secret_lines(record: str, found: Sequence[Secret], spans: Iterable[Span]) -> Iterator[Secret]:
    """The parts of the secrets in the spans, line by line: a text made from these may break lines elsewhere."""
    for span in spans:
        for start, end, kind in _secrets_within(found, span):
            for line in LINE.finditer(record, max(start, span.char_start), min(end, span.char_end)):
                yield *line.span(), kind


def mask_chunk(chunk: Chunk) -> Chunk:
    """The chunk as it may leave: text, table header, headings, title and metadata masked, ids and places as they were.

    External services embed and complete only this masked text.
    """
    return replace(
        chunk,
        document=replace(chunk.document, title=mask_secrets(chunk.document.title) if chunk.document.title else None),
        text=mask_secrets(chunk.text, chunk.spans, chunk.secrets),
        heading_path=tuple(map(mask_secrets, chunk.heading_path)),
        header=mask_secrets(chunk.header),
        metadata=mask_data(chunk.metadata),
    )


def mask_data(data: Any) -> Any:
    """Plain data with the secrets in every text masked; a key stays, and tells about its value."""
    if isinstance(data, str):
        return mask_secrets(data)
    if isinstance(data, Mapping):
        return {key: _mask_value(key, value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [mask_data(value) for value in data]
    return data


def _mask_value(key: Any, value: Any) -> Any:
    if isinstance(value, str) and isinstance(key, str) and find_places(key).find(STARTS):
        name, mark = f"{key}=", "'" if '"' in value else '"'
        inside = len(name) + 1
        found = [
            f for f in find_secrets(f"{name}{mark}{value}{mark}") if inside <= f.start and f.end <= inside + len(value)
        ]
        value = replace_findings(value, [Finding(f.kind, f.start - inside, f.end - inside) for f in found])
    return mask_data(value)


class KnownSecrets:
    """The secrets of one record, to be taken out of texts that were made from it: headings, titles, table headers."""

    def __init__(self, record: str, found: Iterable[Secret]) -> None:
        self._values: dict[str, dict[int, dict[str, str]]] = {}
        for start, end, kind in found:
            value = record[start : min(end, start + COMPARED_LENGTH)]
            if len(value) >= SHORTEST:
                self._values.setdefault(value[:SHORTEST], {}).setdefault(len(value), {})[value] = kind

    def mask_known(self, text: str) -> str:
        """The text without them."""
        return replace_findings(text, list(self._find_known(text))) if self._values else text

    def _find_known(self, text: str) -> Iterator[Finding]:
        done = 0
        for at in range(len(text) - SHORTEST + 1):
            if at < done or (lengths := self._values.get(text[at : at + SHORTEST])) is None:
                continue
            for length in sorted(lengths, reverse=True):
                if kind := lengths[length].get(text[at : at + length]):
                    done = at + length
                    while length == COMPARED_LENGTH and done < len(text) and not text[done].isspace():
                        done += 1
                    yield Finding(kind, at, done)
                    break


class MaskingFilter(logging.Filter):
    """Masks each record's message, exception and stack before any handler has it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = mask_secrets(record.getMessage()), ()
        if record.exc_info:  # as text, because the exception itself would bring its words along
            record.exc_text, record.exc_info = mask_secrets(PLAIN_FORMATTER.formatException(record.exc_info)), None
        if record.stack_info:
            record.stack_info = mask_secrets(record.stack_info)
        return True


def mask_log() -> None:
    """From now on the package's log is masked; a second call changes nothing."""
    log = logging.getLogger(LOGGER_NAME)
    if not any(isinstance(each, MaskingFilter) for each in log.filters):
        log.addFilter(MaskingFilter())
