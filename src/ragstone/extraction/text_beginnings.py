"""Formats of text that their beginning tells under any name: programs give pages and tables the names of Office."""

import re

# Possessive: what stands before the page is passed once and never looked at again.
PROLOG = rb"(?>\s+|<!--(?s:.*?)-->|<\?[^>]*+>)*+"
PAGE = re.compile(PROLOG + rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
WIKI = re.compile(PROLOG + rb"<mediawiki[\s>]")
DRAWING = re.compile(PROLOG + rb"<mx(?:file|GraphModel)[\s>]")
CONFLUENCE = re.compile(PROLOG + rb"<hibernate-generic[\s>]")
SHAREPOINT = re.compile(rb"\s*+<%@[^%]{0,2000}%>")
SHAREPOINT_FIELDS = b"<mso:CustomDocumentProperties>"
XML_WORKBOOK = re.compile(
    PROLOG + rb"<(?:\w{1,20}:)?Workbook\s[^>]{0,4000}urn:schemas-microsoft-com:office:spreadsheet"
)
# Roots of XML under the endings of other programs, or under none.
KNOWN_XML = re.compile(
    PROLOG + rb"(?:<!DOCTYPE\s[^\[\]<>]{0,1000}>\s*+)?"
    rb"<(?:page\s[^>]{0,1000}\"http://projectmallard\.org/"
    rb"|office:document(?:-content)?\s|(?:\w{1,20}:)?definitions\s[^>]{0,4000}omg\.org/spec/BPMN/"
    rb"|map\s[^>]{0,1000}>\s*+(?:<!--(?s:.*?)-->\s*+)*+<(?:node|properties|attribute_registry|title|topic)"
    rb"|(?:opml|xliff|tmx|bookmap)[\s>]|root>\s*+(?:<!--(?s:.*?)-->\s*+)*+<(?:xsd:schema|resheader)\s"
    rb"|(?:TEI|dita|FictionBook)[\s>]|(?P<common>article|book|chapter|refentry|topic|concept|task)(?:\s[^<>]{0,4000})?>)"
)
DECLARED = re.compile(rb"<\?xml\s|<!DOCTYPE\s|\sxmlns[:=]")  # of a root that templates and notes have too
FIRST_ELEMENT = re.compile(PROLOG + rb"<([a-z][a-z0-9]{0,10})[\s/>]", re.IGNORECASE)
HEAD = re.compile(rb"(?:[!-9;-~]{1,76}:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
RELATED = re.compile(rb"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)
VERSION = re.compile(rb"^mime-version:", re.IGNORECASE | re.MULTILINE)
SENT = re.compile(rb"^(?:to|received|return-path|delivered-to):", re.IGNORECASE | re.MULTILINE)
# What an export begins with that is a part of a page.
ELEMENTS = frozenset("table meta style title link script div p center font span h1 h2 h3 h4 h5 h6".split())
OFFICE_NAMES = (".xls", ".xlsx", ".doc", ".docx")
SHEET_NAMES = (".xls", ".xlsx")


def is_page(start: bytes) -> bool:
    """Whether a text is a web page that begins as one."""
    return PAGE.match(start) is not None


def is_wiki_dump(start: bytes) -> bool:
    """Whether a text is an export of MediaWiki."""
    return WIKI.match(start) is not None


def is_xml_workbook(start: bytes) -> bool:
    """Whether a text is a workbook of Excel 2003 in XML, as many programs export."""
    return XML_WORKBOOK.match(start) is not None


def is_drawing(start: bytes) -> bool:
    """Whether a text is a drawing of draw.io (diagrams.net)."""
    return DRAWING.match(start) is not None


def is_known_xml(start: bytes) -> bool:
    """Whether a text is a document in XML that one of our readers knows by its root.

    >>> is_known_xml(b'<?xml version="1.0"?><page xmlns="http://projectmallard.org/1.0/">'), is_known_xml(b"<page>")
    (True, False)
    >>> is_known_xml(b'<!DOCTYPE article><article>'), is_known_xml(b'<article class="post"><?php the_title() ?>')
    (True, False)
    """
    found = KNOWN_XML.match(start)
    return found is not None and (found["common"] is None or DECLARED.search(found[0]) is not None)


def is_confluence_space(start: bytes) -> bool:
    """Whether a text is the export of a space of Confluence as XML (`entities.xml`)."""
    return CONFLUENCE.match(start) is not None


def is_sharepoint_page(start: bytes) -> bool:
    """Whether a text is a page of a SharePoint site, as its library keeps it (`.aspx`)."""
    return SHAREPOINT.match(start) is not None and SHAREPOINT_FIELDS in start


def is_saved_page(start: bytes) -> bool:
    """Whether a text is a web page with its parts (MHTML): Confluence and others call it `.doc` or `.xls`.

    >>> is_saved_page(b"Subject: Exported\\nMIME-Version: 1.0\\nContent-Type: multipart/related; boundary=a\\n\\n--a")
    True
    >>> is_saved_page(b"To: ann@x.org\\nMIME-Version: 1.0\\nContent-Type: multipart/related; boundary=a\\n\\n--a")
    False
    """
    head = HEAD.match(start)
    if head is None:
        return False
    said = head[0]
    return RELATED.search(said) is not None and VERSION.search(said) is not None and SENT.search(said) is None


def is_part_of_page(start: bytes, suffix: str) -> bool:
    """Whether a text under the name of an Office file is elements of HTML: a table that a program gives to Excel.

    >>> is_part_of_page(b"<table><tr><td>1</td></tr></table>", ".xls"), is_part_of_page(b"<note>1</note>", ".xls")
    (True, False)
    """
    first = FIRST_ELEMENT.match(start) if suffix in OFFICE_NAMES else None
    return first is not None and first[1].decode("ascii").lower() in ELEMENTS


def find_delimiter(start: bytes, suffix: str) -> str:
    """The delimiter of a text that has a workbook's name; "" for any other.

    >>> find_delimiter(b"Part\\tCount\\nBolt\\t4\\n", ".xls"), find_delimiter(b"Part;Count\\nBolt;4\\n", ".xls")
    ('\\t', ';')
    """
    if suffix not in SHEET_NAMES or start.lstrip()[:1] in (b"<", b"{", b"["):
        return ""
    line = start.lstrip(b"\r\n").partition(b"\n")[0].replace(b"\0", b"")
    return next((mark.decode("ascii") for mark in (b"\t", b";", b",") if mark in line), "")
