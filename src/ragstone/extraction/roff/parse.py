"""Manual pages to blocks: sections, options with what they do, examples and tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.media_types import ROFF
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.tables import place_cells
from ragstone.extraction.roff.macros import BREAKS, CODE, HEADINGS, JOINED, KNOWN, SILENT
from ragstone.extraction.roff.mdoc import format_line, is_mdoc
from ragstone.extraction.roff.preprocess import Preprocessor, RoffLine
from ragstone.extraction.roff.tables import split_table

BULLETS = frozenset("• * o - + · – — ○ □ ◦".split())
NUMBER = re.compile(r"\(?\d{1,3}[.)]")
LONGEST = 2000  # characters of the options before a text


def parse_roff(data: bytes, *, path: str) -> Extraction:
    """A manual page. Its title is its name with the section, as in "tar(1)".

    Raises `Refused`: encoding, and empty for a page without text, such as one that only names another.
    """
    text, warnings = decode_text(data, path=path)
    reader = _Reader()
    source = Preprocessor(unify_newlines(text), KNOWN)
    for line in source.lines():
        reader.read(line)
    reader.finish()
    record, blocks = write_record(reader.drafts)
    if not any(block.type != "heading" for block in blocks):
        raise Refused("empty", f"{path} holds no text; if it only names another page, that page is read by itself")
    if source.is_cut:
        warnings = (
            *warnings,
            "macros or strings that the page defines grow without end; some of their text was left out",
        )
    return Extraction(record, blocks, ROFF, reader.title or None, {}, warnings)


class _Reader:
    def __init__(self) -> None:
        self.drafts: list[BlockDraft] = []
        self.title = ""
        self._name = ""
        self._words: list[str] = []
        self._tag: str | None = None  # of the item that is open
        self._waits: str = ""  # for the next line of text: "tag" or "heading"
        self._heading = 2
        self._depth = 0
        self._tight = False
        self._code: list[str] | None = None
        self._code_end = ""
        self._rows: list[str] | None = None
        self._lists: list[str] = []  # kinds of mdoc's lists that are open
        self._long_tag = False
        self._call: list[str] = []  # of a function that is open, with its arguments

    def read(self, line: RoffLine) -> None:
        """Take a line in."""
        if self._rows is not None:
            self._read_row(line)
        elif not line.macro:
            self._put(line.words[0])
        elif line.macro in HEADINGS:
            self._start_heading(HEADINGS[line.macro], line.rest)
        elif line.macro in BREAKS:
            self._break()
        elif handle := HANDLERS.get(line.macro):
            handle(self, line.words)
        elif line.macro in CODE:
            self._start_code(CODE[line.macro])
        elif line.macro == self._code_end:
            self._end_code()
        elif is_mdoc(line.macro):
            self._put_mdoc(line)
        elif line.macro in JOINED:
            self._put("".join(line.words))
        elif line.macro not in SILENT and line.macro not in CODE.values() and line.words:
            self._put(line.rest)

    def finish(self) -> None:
        """End what is open at the end of the page."""
        self._end_table()
        self._end_code()
        self.flush()

    def flush(self) -> None:
        """End the paragraph or item."""
        text = "\n".join(" ".join(part.split()) for part in " ".join(self._words).split("\n")).strip()
        self._words = []
        if self._tag is not None:
            if text or self._tag:
                self.drafts.append(BlockDraft("list", _format_item(self._tag, text), level=self._depth + 1))
            self._tag = None
        elif text:
            self.drafts.append(BlockDraft("paragraph", text))

    def _put(self, text: str) -> None:
        if self._waits == "heading" and text.strip():
            self._start_heading(self._heading, text)
        elif self._waits == "tag" and text.strip():
            self._tag = " ".join(filter(None, (self._tag, text.strip())))
            self._waits = ""
        elif self._long_tag and len(self._tag or "") < LONGEST:
            self._tag = f"{self._tag or ''} {text.strip()}".strip()
        elif self._code is not None:
            self._code.append(text.rstrip())
        elif not text.strip():
            self._break()
        else:
            self._words.append("\n" + text if text[0] == " " and self._words else text)

    def _break(self) -> None:
        if self._code is not None:
            self._code.append("")
        elif self._words or self._tag:
            self.flush()

    def _break_line(self, _: Sequence[str]) -> None:
        if self._words:
            self._words.append("\n")

    def _start_heading(self, level: int, text: str) -> None:
        self._end_code()
        self.flush()
        self._depth = 0
        self._waits, self._heading = ("", level) if text.strip() else ("heading", level)
        if text.strip():
            self.drafts.append(BlockDraft("heading", " ".join(text.split()), level=level))

    def _start_page(self, words: Sequence[str]) -> None:
        if words and not self.title:
            name = words[0].lower() if words[0].isupper() else words[0]
            self.title = f"{name}({words[1]})" if len(words) > 1 and words[1] else name
            self.drafts.append(BlockDraft("heading", self.title, level=1))

    # --- items ---------------------------------------------------------------------------------

    def _start_tagged(self, _: Sequence[str]) -> None:
        if self._tag and not self._words and self._tight and len(self._tag) < LONGEST:  # several options, one text
            self._tag += ","
        else:
            self._end_code()
            self.flush()
            self._tag = ""
        self._waits = "tag"

    def _start_another_tag(self, _: Sequence[str]) -> None:
        if self._tag:
            self._tag += ","
        self._waits = "tag"

    def _start_item(self, words: Sequence[str]) -> None:
        self._end_code()
        tag = words[0].strip() if words else ""
        if tag and self._tag and not self._words and self._tight and len(self._tag) < LONGEST:
            self._tag += f", {tag}"
            return
        self.flush()
        self._tag = tag or None

    def _set_distance(self, words: Sequence[str]) -> None:
        self._tight = bool(words) and words[0].startswith("0")

    def _indent(self, _: Sequence[str]) -> None:
        if self._words or self._tag:
            self.flush()
        self._depth += 1

    def _outdent(self, _: Sequence[str]) -> None:
        self._end_code()
        self.flush()
        self._depth = max(0, self._depth - 1)

    # --- code and tables -----------------------------------------------------------------------

    def _start_code(self, end: str) -> None:
        if self._code is None:
            self.flush()
            self._code, self._code_end = [], end

    def _end_code(self) -> None:
        code, self._code, self._code_end = self._code, None, ""
        text = "\n".join(code or ()).strip("\n")
        if text.strip():
            self.drafts.append(BlockDraft("code", text))

    def _start_table(self, _: Sequence[str]) -> None:
        self._end_code()
        self.flush()
        self._rows = []

    def _read_row(self, line: RoffLine) -> None:
        rows = self._rows if self._rows is not None else []
        if line.macro == "TE" or line.macro in HEADINGS:
            self._end_table()
            if line.macro in HEADINGS:
                self.read(line)
        elif not line.macro:
            rows.append(line.words[0])
        elif line.macro == "T&":
            rows.append(".T&")
        elif line.macro not in SILENT and line.macro not in BREAKS:
            rows.append("".join(line.words) if line.macro in JOINED else line.rest)

    def _end_table(self) -> None:
        rows, self._rows = self._rows, None
        if rows and (cells := split_table(rows)):
            self.drafts.append(BlockDraft("table", cells=place_cells(cells)))

    # --- mdoc ----------------------------------------------------------------------------------

    def _put_mdoc(self, line: RoffLine) -> None:
        words = line.words
        if line.macro == "Nm" and words and not self._name:
            self._name = words[0]
        if line.macro == "Xc":
            self._long_tag = False
            return
        if line.macro == "Fo" or (self._call and line.macro in ("Fa", "Fc")):
            self._put_call(line.macro, words)
            return
        text = format_line(line.macro, words, self._name)
        if line.macro in ("Dl", "D1"):
            self.flush()
            self.drafts.append(BlockDraft("code", text))
        else:
            self._put(text)

    def _put_call(self, macro: str, words: Sequence[str]) -> None:
        """A function between `Fo` and `Fc`, with an argument or more in each line between."""
        if macro == "Fc":
            self._put(f"{self._call[0]}({', '.join(self._call[1:])}){''.join(words)}")
        self._call = [] if macro == "Fc" else [*words[:1]] if macro == "Fo" else self._call
        if macro == "Fa":
            self._call.extend(words)

    def _start_list(self, words: Sequence[str]) -> None:
        self._depth += 1 if self._lists else 0
        self._lists.append(words[0].lstrip("-") if words else "")
        if self._words:
            self.flush()

    def _end_list(self, _: Sequence[str]) -> None:
        self.flush()
        self._depth = max(0, self._depth - (len(self._lists) > 1))
        self._lists = self._lists[:-1]

    def _start_list_item(self, words: Sequence[str]) -> None:
        self._end_code()
        self.flush()
        self._long_tag = "Xo" in words
        tag = format_line("No", [one for one in words if one != "Xo"], self._name).replace("\t", ", ")
        self._tag = tag if tag or (self._lists and self._lists[-1] in ("tag", "hang")) else "•"

    def _start_display(self, words: Sequence[str]) -> None:
        self.flush()
        if {"-literal", "-unfilled"} & set(words):
            self._start_code("Ed")

    def _put_optional(self, words: Sequence[str]) -> None:
        self._put(f"[{' '.join(words)}]")


HANDLERS: Mapping[str, Callable[[_Reader, Sequence[str]], None]] = MappingProxyType(
    {
        "TH": _Reader._start_page,
        "Dt": _Reader._start_page,
        "TP": _Reader._start_tagged,
        "TQ": _Reader._start_another_tag,
        "IP": _Reader._start_item,
        "PD": _Reader._set_distance,
        "RS": _Reader._indent,
        "RE": _Reader._outdent,
        "br": _Reader._break_line,
        "TS": _Reader._start_table,
        "Bl": _Reader._start_list,
        "El": _Reader._end_list,
        "It": _Reader._start_list_item,
        "Bd": _Reader._start_display,
        "OP": _Reader._put_optional,
    }
)


def _format_item(tag: str, text: str) -> str:
    """An item with its mark: an option and what it does stand in one line, so that neither is quoted alone."""
    if tag in BULLETS:
        return f"- {text}"
    if NUMBER.fullmatch(tag):
        return f"{tag} {text}".rstrip()
    return f"- {tag}{'' if tag.endswith((':', '=')) else ':'} {text}" if text else f"- {tag}"
