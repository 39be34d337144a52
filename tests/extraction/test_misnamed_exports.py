"""Texts that programs export under the name of an Office file, and files that hold no document but lead to one."""

import pytest

from ragstone.extraction import extract
from ragstone.extraction.media_types import CSV, HTML, MHTML, TSV
from tests.extraction.test_formats import refusal

SAVED = (
    "Date: Mon, 4 Mar 2024 10:11:12 +0000\r\nSubject: Exported From Confluence\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related; \r\n\tboundary="p"\r\n\r\n--p\r\nContent-Type: text/html; charset=UTF-8\r\n'
    "Content-Transfer-Encoding: quoted-printable\r\nContent-Location: file:///C:/exported.html\r\n\r\n"
    "<html><body><h1>Hand=C3=B6ver</h1><p>At half =\r\npast six.</p></body></html>\r\n--p--\r\n"
)


@pytest.mark.parametrize(
    ("text", "path", "kind", "shown"),
    [
        (SAVED, "Handover.doc", MHTML, "# Handöver\n\nAt half past six."),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", "a.xls", HTML, "| A | B |"),
        ('<meta charset="utf-8"><table><tr><td>Bolt</td></tr></table>', "a.XLS", HTML, "Bolt"),
        ("Part\tCount\nBolt\t4\nPin\t5\n", "a.xls", TSV, "Part\tCount"),
        ("\ufeffPart;Count\nBolt;4\nPin;5\n", "a.xlsx", CSV, "Part;Count"),
        ("Part;Count\nBolt;4\n", "a.doc", "text/plain", "Part;Count"),
        ("<note>Call Ann</note>", "a.doc", "text/plain", "<note>Call Ann</note>"),
        (SAVED.replace("Subject:", "To: ann@x.org\r\nSubject:"), "a.doc", "text/plain", "Date: Mon"),
    ],
)
def test_the_content_decides(text: str, path: str, kind: str, shown: str) -> None:
    found = extract(text.encode(), path=path)
    assert (found.media_type, found.record[: len(shown)]) == (kind, shown)


@pytest.mark.parametrize(
    ("data", "path", "why"),
    [
        (b'{"doc_id":"1AbC","email":"ann@x.org"}', "Budget.gsheet", "is a link to a document of Google"),
        (b"L\0\0\0\x01\x14\x02\0\0\0" + b"\0" * 60, "Plan.docx.lnk", "is a shortcut of Windows"),
    ],
)
def test_what_only_leads_to_a_document_says_so(data: bytes, path: str, why: str) -> None:
    assert why in str(refusal(data, path))
    assert extract(b'{"doc_id": 1}', path="a.json").record == '{"doc_id": 1}'
