"""Exports of other systems that are known by their beginning: the recipe and the parser of each."""

from ragstone.extraction.media_types import XML_WORKBOOK

EXPORTS = {
    XML_WORKBOOK: ("xml-workbook/1", "ragstone.extraction.spreadsheet.xml_workbook:parse_xml_workbook"),
}
