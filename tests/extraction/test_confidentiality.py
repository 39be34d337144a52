"""A document that says it is restricted is closed in each spelling; what cannot be read closes it as well."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import ragstone
from ragstone import Where, extraction
from ragstone.core.errors import UsageError
from ragstone.extraction.record.confidentiality import find_marked_data, find_marked_head
from tests.extraction.docx.files import document
from tests.extraction.docx.files import p as paragraph
from tests.extraction.made import make_archive, make_epub, make_notebook, make_odt
from tests.extraction.pptx.test_parse import presentation, shape
from tests.extraction.spreadsheet.books import book, rows, sheet
from tests.speed import in_step
from tests.spelled import spell

SAID = "Dana earns 4711 apples a month."
BODY = "\n# Salaries\n\nDana earns 4711 apples a month.\n"
MAIL = "Subject: Salaries\nFrom: a@example.com\nDate: Mon, 6 Jan 2025 10:00:00 +0000\n"
NESTED = "".join(f"{' ' * depth}a{depth}:\n" for depth in range(25))


def fence(block: str) -> str:
    return f"---\n{block}\n---\n{BODY}"


MARKDOWN = {
    "plain": fence("confidentiality: restricted"),
    "capital value": fence("confidentiality: Restricted"),
    "capital key": fence("CONFIDENTIALITY: RESTRICTED"),
    "single quotes": fence("confidentiality: 'restricted'"),
    "double quotes": fence('"confidentiality": "restricted"'),
    "spaces": fence("confidentiality   :    restricted   "),
    "comment": fence("confidentiality: restricted # board only"),
    "remark": fence("confidentiality: restricted (board only)"),
    "full stop": fence("confidentiality: Restricted."),
    "list": fence("confidentiality: [restricted]"),
    "list of two": fence("confidentiality: [internal, restricted]"),
    "block list": fence("confidentiality:\n- restricted"),
    "mapping": fence("confidentiality: {level: restricted}"),
    "mapping of truth": fence("confidentiality: {restricted: true}"),
    "literal": fence("confidentiality: |\n  restricted"),
    "folded": fence("confidentiality: >-\n  restricted"),
    "next line": fence("confidentiality:\n  restricted"),
    "tag": fence("confidentiality: !!str restricted"),
    "own tag": fence("confidentiality: !level restricted"),
    "binary": fence("confidentiality: !!binary cmVzdHJpY3RlZA=="),
    "binary key": fence("!!binary Y29uZmlkZW50aWFsaXR5: restricted"),
    "anchor": fence("confidentiality: &level restricted"),
    "alias": fence("level: &level restricted\nconfidentiality: *level"),
    "merge": fence("base: &base {confidentiality: restricted}\n<<: *base"),
    "explicit key": fence("? confidentiality\n: restricted"),
    "list as key": fence("? [confidentiality]\n: restricted"),
    "flow": fence("{title: Salaries, confidentiality: restricted}"),
    "JSON in YAML": fence('{"confidentiality": "restricted"}'),
    "colon in title": fence("title: Plan: phase two\nconfidentiality: restricted"),
    "colon, quoted key": fence('title: Plan: phase two\n"confidentiality": "restricted"'),
    "colon, list": fence("title: Plan: phase two\nconfidentiality: [restricted]"),
    "colon, indented": fence("title: Plan: phase two\n confidentiality: restricted"),
    "tab": fence("title: x\n\tconfidentiality: restricted"),
    "open quote": fence('title: "Plan\nconfidentiality: restricted'),
    "open list": fence("tags: [a\nconfidentiality: restricted"),
    "escapes": fence('"confidential\\x69ty": "\\u0072estricted"'),
    "escapes, unreadable": fence('title: Plan: two\n"confidential\\x69ty": "\\u0072estricted"'),
    "line cut": fence('title: Plan: two\nconfidentiality: "restr\\\n  icted"'),
    "second key": fence("confidentiality: restricted\nconfidentiality: public"),
    "second key, other case": fence("Confidentiality: restricted\nconfidentiality: public"),
    "nested": fence("params:\n  confidentiality: restricted"),
    "nested in a list": fence("params:\n- {confidentiality: restricted}"),
    "nested too deep": fence(f"{NESTED}{' ' * 25}x: 1\nconfidentiality: restricted"),
    "list of pairs": fence("- confidentiality: restricted"),
    "too long": fence(f"confidentiality: restricted\nnote: {'x' * 70_000}"),
    "too long, at its end": fence(f"note: {'x' * 70_000}\nconfidentiality: restricted"),
    "never closed": f"---\nconfidentiality: restricted\n{BODY}",
    "indented end": f"---\nconfidentiality: restricted\n  ---\n{BODY}",
    "four dashes": f"----\nconfidentiality: restricted\n----\n{BODY}",
    "remark behind the rule": f"--- # about\nconfidentiality: restricted\n---\n{BODY}",
    "dots": f"---\nconfidentiality: restricted\n...\n{BODY}",
    "second block": f"---\ntitle: Salaries\n---\n---\nconfidentiality: restricted\n---\n{BODY}",
    "blank lines above": "\n\n" + fence("confidentiality: restricted"),
    "space above": " " + fence("confidentiality: restricted"),
    "byte order mark twice": "\ufeff\ufeff" + fence("confidentiality: restricted"),
    "Windows line ends": fence("title: Plan: two\nconfidentiality: restricted").replace("\n", "\r\n"),
    "old Mac line ends": fence("confidentiality: restricted").replace("\n", "\r"),
    "wide letters": fence("\uff43\uff4fnfidentiality\uff1a restricted"),
    "invisible letter": fence("confi\u200bdentiality: restr\u00adicted"),
    "TOML": f'+++\nconfidentiality = "restricted"\n+++\n{BODY}',
    "JSON": f'{{\n  "confidentiality": "restricted"\n}}\n{BODY}',
    "comment above": f"<!-- confidentiality: restricted -->\n{BODY}",
    "comment, then block": "<!-- made by hand -->\n" + fence("confidentiality: restricted"),
    "lines without rules": f"Title: Salaries\nConfidentiality: restricted\n{BODY}",
    "bold line": f"**Confidentiality:** restricted\n{BODY}",
    "table row": f"| confidentiality | restricted |\n|---|---|\n{BODY}",
}


def office(name: str, part: str, text: str) -> bytes:
    """A Word document, presentation or workbook with one more part."""
    if name == "docx":
        made = document(paragraph("Dana earns 4711 apples a month."))
    elif name == "pptx":
        made = presentation(shape("Dana earns 4711 apples a month."))
    else:
        made = book({"S": sheet(rows([["who", "earns"], ["Dana", "4711 apples"]]))})
    out = io.BytesIO(made)
    with zipfile.ZipFile(out, "a") as package:
        package.writestr(part, text)
    return out.getvalue()


CUSTOM = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" '
    'xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property pid="2" '
    'fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" name="Confidentiality"><vt:lpwstr>Restricted</vt:lpwstr>'
    "</property></Properties>"
)
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties">'
    "<cp:keywords>confidentiality: restricted</cp:keywords></cp:coreProperties>"
)


def linked(part: str, text: str) -> bytes:
    """A Word document whose properties stand where its relationships alone say."""
    with zipfile.ZipFile(io.BytesIO(document(paragraph("Dana earns 4711 apples a month.")))) as made:
        parts = {name: made.read(name).decode() for name in made.namelist()}
    kind = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    link = f'<Relationship Id="p" Type="{kind}" Target="/{part}"/></Relationships>'
    parts["_rels/.rels"] = parts["_rels/.rels"].replace("</Relationships>", link)
    return make_archive({**parts, part: text})


PAGE = "<!doctype html><html><head>{}</head><body><p>Dana earns 4711 apples a month.</p></body></html>"
DEEP = "<div>" * 3000 + "Dana earns 4711 apples a month." + "</div>" * 3000


def pdf(entry: str) -> bytes:
    """A small PDF whose information dictionary has one entry."""
    content = "BT /F1 12 Tf 72 700 Td (Dana earns 4711 apples a month.) Tj ET"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<<{entry}>>",
    )
    made, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{each}\nendobj\n"
    start = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    return f"{made}trailer<</Size {len(objects) + 1}/Root 1 0 R/Info 6 0 R>>\nstartxref\n{start}\n%%EOF".encode()


OTHERS = {
    "text.txt": fence("confidentiality: restricted").encode(),
    "unreadable.txt": fence("title: Plan: two\nconfidentiality: [restricted").encode(),
    "field-rst.txt": b":title: Salaries\n:confidentiality: restricted\n\nDana earns 4711 apples a month.\n",
    "attribute-adoc.txt": b"= Salaries\n:confidentiality: restricted\n\nDana earns 4711 apples a month.\n",
    "keyword-org.txt": b"#+TITLE: Salaries\n#+CONFIDENTIALITY: restricted\n\nDana earns 4711 apples a month.\n",
    "utf16.txt": fence("confidentiality: restricted").encode("utf-16"),
    "data.json": b'{"who": "Dana", "earns": "4711 apples", "confidentiality": "restricted"}',
    "data.xml": b"<?xml version='1.0'?>\n<doc>\n<confidentiality>restricted</confidentiality>\n"
    b"<p>Dana earns 4711 apples a month.</p></doc>",
    "behind a blank line.yaml": b"who: Dana\n\nconfidentiality: restricted\n",
    "truth.yaml": b"who: Dana\nearns: 4711 apples a month\nrestricted: true\n",
    "second document.yaml": b"who: Dana\nearns: 4711 apples a month\n---\nrestricted: !!bool 'yes'\n",
    "mapping.yaml": b"earns: 4711 apples a month\nclassification:\n  level: restricted # board\n",
    "class.yml": b"earns: 4711 apples a month\nData Classification: Restricted - internal use only\n",
    "flow.yaml": b"{earns: 4711 apples a month, restricted: true}",
    "truth.json": b'{"earns": "4711 apples a \\u0022month", "re\\u0073tricted": true}',
    "class.json": b'{"earns": "4711 apples a month", "sensitivity": {"level": "Restricted"}}',
    "truth.toml": b"earns = '4711 apples a month'\n\nrestricted = true\n[a]\nb = 1\n",
    "class.md": fence("classification: Restricted").encode(),
    "toml.md": f"+++\nrestricted = true\n+++\n{BODY}".encode(),
    "class.docx": office("docx", "docProps/custom.xml", CUSTOM.replace('"Confidentiality"', '"Classification"')),
    "data-utf16.xml": "<doc>\n<confidentiality>restricted</confidentiality>\n<p>4711 apples a month</p></doc>".encode(
        "utf-16"
    ),
    "field.rst": b":title: Salaries\n:confidentiality: restricted\n\nDana earns 4711 apples a month.\n",
    "attribute.adoc": b"= Salaries\n:confidentiality: restricted\n\nDana earns 4711 apples a month.\n",
    "keyword.org": b"#+TITLE: Salaries\n#+CONFIDENTIALITY: restricted\n\nDana earns 4711 apples a month.\n",
    "comment.tex": b"% confidentiality: restricted\n\nDana earns 4711 apples a month.\n",
    "comment.py": b"# confidentiality: restricted\nAPPLES = 4711  # apples a month that Dana earns\n",
    "first lines.rtf": rb"{\rtf1 confidentiality: restricted\par\par Dana earns 4711 apples a month.\par}",
    "metadata.ipynb": make_notebook(("markdown", SAID, []), confidentiality="restricted"),
    "cell.ipynb": make_notebook(("raw", fence("confidentiality: restricted"), [])),
    "chapter.epub": make_epub(f"<p>{SAID}</p>", head='<meta name="confidentiality" content="restricted"/>'),
    "package.epub": make_epub(f"<p>{SAID}</p>", package='<meta name="confidentiality" content="restricted"/>'),
    "custom.odt": make_odt(
        f"<text:p>{SAID}</text:p>",
        meta='<meta:user-defined meta:name="Confidentiality">Restricted</meta:user-defined>',
    ),
    "meta.html": PAGE.format('<meta name="confidentiality" content="Restricted">').encode(),
    "turned.html": PAGE.format('<meta content="restricted" name="Confidentiality">').encode(),
    "twice.html": PAGE.format(
        '<meta name="confidentiality" content="public"><meta name="confidentiality" content="restricted">'
    ).encode(),
    "deep.html": PAGE.format('<meta name="confidentiality" content="restricted">').replace("<p>", DEEP).encode(),
    "front.html": (b"---\nconfidentiality: restricted\n---\n<div><p>Dana earns 4711 apples a month.</p></div>"),
    "mail.eml": f"{MAIL}X-Confidentiality: restricted\n\nDana earns 4711 apples a month.\n".encode(),
    "custom.docx": office("docx", "docProps/custom.xml", CUSTOM),
    "broken.docx": office("docx", "docProps/custom.xml", CUSTOM[:-20]),
    "net.docx": office("docx", "package/services/metadata/core-properties/6f1e.psmdcp", CORE),
    "broken net.docx": office("docx", "package/services/metadata/core-properties/6f1e.psmdcp", CORE[:-20]),
    "linked.docx": linked("about/this.xml", CORE),
    "broken linked.docx": linked("about/this.xml", CORE[:-20]),
    "case.xlsx": office("xlsx", "docProps/Custom.XML", CUSTOM),
    "core.docx": office("docx", "docProps/core.xml", CORE),
    "custom.pptx": office("pptx", "docProps/custom.xml", CUSTOM),
    "custom.xlsx": office("xlsx", "docProps/custom.xml", CUSTOM),
    "entry.pdf": pdf("/Confidentiality (Restricted)"),
    "keywords.pdf": pdf("/Keywords (confidentiality: restricted)"),
}
OPEN = {
    "no level.md": fence("title: Plan: phase two"),
    "other level.md": fence("confidentiality: internal"),
    "remark.md": fence("confidentiality: public # not restricted"),
    "prose.md": "# Levels\n\nWrite `confidentiality: restricted` above a document.\n\n"
    "```yaml\nconfidentiality: restricted\n```\n",
    "prose below a title.md": "# Levels\n\nconfidentiality: restricted is what you write.\n",
    "rules.md": "---\n\nThe restricted area lies between rules.\n\n---\n\nText.\n",
    "unreadable.md": fence("title: Plan: two\nproject: X"),
    "prose.txt": "Levels\n======\n\nWrite\n\nconfidentiality: restricted\n",
    "page.html": PAGE.format('<meta name="description" content="restricted access">'),
    "says no.yaml": "restricted: false\n",
    "levels of a policy.yaml": "classification:\n- public\n- restricted\n",
    "remark.yaml": "classification: internal # not restricted\n",
    "negated.yaml": "classification: non-restricted\n",
    "property.yaml": "openapi: 3.0.0\ncomponents:\n  properties:\n    restricted:\n      default: true\n",
    "text.yaml": "note: |\n  restricted: true\n",
    "entries.yaml": "- restricted: true\n- restricted: false\n",
    "says no.json": '{"restricted": false}',
    "property.json": '{"properties": {"restricted": true, "classification": "restricted"}}',
    "entries.json": '[{"restricted": true}]',
    "entries.jsonl": '{"restricted": true}\n{"restricted": false}\n',
    "table.toml": "a = 1\n[pod]\nrestricted = true\n",
    "truth.md": fence("restricted: no"),
}


@pytest.mark.parametrize("name", MARKDOWN)
def test_each_spelling_closes_a_markdown_document(name: str) -> None:
    found = extraction.extract(MARKDOWN[name].encode(), path="a.md")
    assert found.meta["confidentiality"] == "restricted"


@pytest.mark.parametrize("name", OTHERS)
def test_each_file_type_that_can_say_it_closes_the_document(name: str) -> None:
    assert extraction.extract(OTHERS[name], path=name).meta["confidentiality"] == "restricted"


@pytest.mark.parametrize("name", ["colon in title", "alias", "nested too deep", "second key", "too long", "nested"])
def test_what_could_not_be_read_is_named(name: str) -> None:
    found = extraction.extract(MARKDOWN[name].encode(), path="a.md")
    assert any("the document is treated as restricted" in warning for warning in found.warnings)


@pytest.mark.parametrize("name", OPEN)
def test_a_document_that_does_not_say_it_stays_open(name: str) -> None:
    found = extraction.extract(OPEN[name].encode(), path=name)
    assert found.meta.get("confidentiality") != "restricted"


def test_a_read_key_sees_none_of_them(tmp_path: Path) -> None:
    docs, store = tmp_path / "docs", f"embedded:{tmp_path / 'store'}"
    docs.mkdir()
    for number, text in enumerate(MARKDOWN.values()):
        (docs / f"{number}.md").write_bytes(text.encode())
    for name, data in OTHERS.items():
        (docs / name).write_bytes(data)
    (docs / "open.md").write_text("# Open\n\nApples are sold each month.\n", encoding="utf-8")
    with ragstone.open(store, tenant="acme", embed__model="none") as kb:
        [made] = kb.ingest(docs)
        assert made.stats["documents"]["added"] == len(MARKDOWN) + len(OTHERS) + 1, made
        key = kb.create_key("reader", roles=["read"]).text
        every = kb.search("apples a month", top_k=200, where=Where(allow_restricted=True))
        assert any("4711" in hit.chunk.text for hit in every.hits)
    with ragstone.open(store, key=key, embed__model="none") as kb:
        assert [document.path for document in kb.documents()] == ["open.md"]
        assert {hit.chunk.document.path for hit in kb.search("apples a month", top_k=200).hits} == {"open.md"}
        assert "4711" not in spell(replace(kb.ask("How many apples does Dana earn?"), timings={}))  # digits of seconds
        for path in ("0.md", "custom.docx"):
            with pytest.raises(UsageError, match="there is no document"):
                kb.record(path)


def test_the_top_of_a_long_text_is_looked_at_in_linear_time() -> None:
    for unit in ("---\nconfidentiality: x\n", "<!-- confidentiality -->\n", "confidentiality: \n", "!?|:\n"):
        in_step(lambda times, unit=unit: find_marked_head("---\n" + unit * times), 20_000, 80_000, most=8)  # type: ignore[misc]  # bound at once


@pytest.mark.parametrize("unit", ['"\\', '"restricted":[', "a b:\n - x\n", "a:'\n", "{a b,"])
def test_the_keys_of_a_file_of_data_are_looked_at_in_linear_time(unit: str) -> None:
    in_step(lambda times: find_marked_data(f"{{{unit * times} restricted"), 2_000, 8_000, most=8)
