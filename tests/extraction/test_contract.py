"""Each text extractor against the contract."""

import json
from collections.abc import Mapping

import pytest

from ragstone.core.ports import Extractor
from ragstone.extraction.cards import Cards
from ragstone.extraction.html.parse import Html
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.markup.parse import Markup
from ragstone.extraction.media_types import ASCIIDOC, CARD, ORG, RST, TEX
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.subtitles import Subtitles
from ragstone.testing.extractors import ExtractorContract

MARKDOWN = """---
title: Tïtle
tags: [a, b]
---
# Head *one* {#id}

Para <!-- hidden --> with **more** text
and `code`.

Setext
======

- [x] one
  - two

    more of two
- three
  ```py
  x = 1
  ```

> [!NOTE]
> quoted
>
> | a | b |
> |---|---|
> | 1 | é |

| Name | Value |
|------|-------|
| x \\| y | `z` |
| w | |

<details><summary>Sum</summary>

inner

</details>

<table><caption>Cap</caption>
<tr><th colspan=2>H</th></tr>

<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>

:::tip A title
inside
:::

[ref]: http://example.org
[^1]: A note[^1].
"""
TEXT = "TITLE\n=====\n\n1.1 Scope\n\nOne two\nthree.\n\n  indented é\n\x0cnext page\n"
PAGE = """<!doctype html><html lang=en><head><title>T</title><meta name=date content=2024-01-05></head><body>
<nav><a href=/>Home</a></nav><h1>T</h1><p>Hello <b>wörld</b><br>next</p><ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>
<pre class="language-py">x = 1\n  y</pre><table><tr><th>A<th>B|C<tr><td rowspan=2>1<td>2<tr><td></table>
<footer>F</footer></html>"""


class TestMarkdown(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Markdown()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {
            "a.md": MARKDOWN.encode(),
            "crlf.md": MARKDOWN.replace("\n", "\r\n").encode(),
            "cr.md": MARKDOWN.replace("\n", "\r").encode(),
            "bom.md": b"\xef\xbb\xbf" + MARKDOWN.encode(),
            "wide.md": MARKDOWN.encode("utf-16"),
        }


class TestText(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return PlainText()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"a.txt": TEXT.encode(), "crlf.txt": TEXT.replace("\n", "\r\n").encode()}


class TestJson(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return PlainText(media_type="application/json")

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        said = [
            {"id": n, "from": "D\u00e9", "date": "2024-03-12", "text": f"Words {n}.", "x": [None]} for n in range(9)
        ]
        rows = [{"name": f"n{n}", "values": ["a, b", {"c": "]"}] * 40} for n in range(9)]
        lines = "\r\n".join(json.dumps(one) for one in (*said, *rows))
        return {"a.json": json.dumps({"chat": said, "rows": rows}, indent=1).encode(), "b.jsonl": lines.encode()}


class TestHtml(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Html()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {
            "a.html": PAGE.encode(),
            "latin.html": PAGE.encode("cp1252"),
            "flat.html": ("<i>" * 5000 + PAGE).encode(),
        }


class MarkupContract(ExtractorContract):
    """A format of lightweight markup with one sample."""

    media_type: str
    text: str

    @pytest.fixture
    def extractor(self) -> Extractor:
        return Markup(self.media_type)

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"a": self.text.encode(), "crlf": self.text.replace("\n", "\r\n").encode()}


class TestRst(MarkupContract):
    media_type = RST
    text = "T\n===\n\nText é::\n\n  code\n\n.. note:: One\n\n   Two\n\n- a\n- b\n\n.. gone\n\nNext\n----\nEnd.\n"


class TestAsciiDoc(MarkupContract):
    media_type = ASCIIDOC
    text = "= T\n:a: b\n\n== Next\nText é\n\n[source,py]\n----\ncode\n----\n.List\n* a\n// gone\n|===\n|a\n|===\n"


class TestOrg(MarkupContract):
    media_type = ORG
    text = "#+TITLE: T\n* Next :a:\n:PROPERTIES:\n:x: y\n:END:\nText é\n#+BEGIN_SRC py\ncode\n#+END_SRC\n- a\n# gone\n"


class TestTex(MarkupContract):
    media_type = TEX
    text = "\\title{T}\n\\begin{document}\n\\section{N}\nText \\emph{é} % gone\n\n\\item a\n\\begin{verbatim}\nc\n"


class TestCards(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Cards(CARD)

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        event = 'BEGIN:VEVENT\nDTSTART;TZID="a:b":20240914T0600\nSUMMARY:T\nDESCRIPTION:Text\\né\n x\nEND:VEVENT\n'
        card = "BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:M=C3=BC;=\nDana\nADR:;;a\\;b;c\nEND:VCARD\n"
        return {"a.ics": event.encode(), "b.vcf": card.replace("\n", "\r\n").encode()}


class TestSubtitles(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Subtitles()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        cues = "1\n00:00:01,000 --> 00:00:02,000\n<i>Text é.</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nEnd\n"
        return {"a.srt": cues.encode(), "a.vtt": f"WEBVTT\n\n{cues}".encode()}
