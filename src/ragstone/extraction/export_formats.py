"""Exports of other systems that are known by their beginning: the recipe and the parser of each."""

from ragstone.extraction.media_types import CONFLUENCE, DRAWING, GETTEXT, SHAREPOINT, XML_WORKBOOK

EXPORTS = {
    CONFLUENCE: ("confluence/2", "ragstone.extraction.confluence.space:parse_space"),
    DRAWING: ("drawio/1", "ragstone.extraction.drawio:parse_drawio"),
    GETTEXT: ("gettext/1", "ragstone.extraction.gettext_catalogs:parse_catalog"),
    SHAREPOINT: ("sharepoint/1", "ragstone.extraction.sharepoint:parse_sharepoint"),
    XML_WORKBOOK: ("xml-workbook/1", "ragstone.extraction.spreadsheet.xml_workbook:parse_xml_workbook"),
}
