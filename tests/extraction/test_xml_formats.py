"""Outlines, processes, translations and flat OpenDocument: what a reader of their programs sees."""

import pytest

from ragstone.extraction.media_types import XML, detect
from ragstone.extraction.xml_formats.parse import parse_xml_file
from ragstone.testing.extractors import check_spans
from tests.speed import in_step

OPML = """<?xml version="1.0"?><opml version="2.0"><head><title>Notes</title></head><body>
<outline text="Kite &lt;b&gt;two&lt;/b&gt;" _note="Starts in May."><outline text="Budget"><outline text="4 EUR"/>
</outline>
</outline><outline text="News"><outline text="BBC" xmlUrl="https://bbc.co.uk/rss"/></outline></body></opml>"""
MIND_MAP = """<map version="1.0.1"><!-- a comment --><node TEXT="Launch"><node TEXT="Press"><node TEXT="Fair">
<node TEXT="Ulm" LINK="https://ulm.de"><richcontent TYPE="NOTE"><html><body><p>Booth <b>12</b>.</p></body></html>
</richcontent>
</node></node></node><node><richcontent TYPE="NODE"><html><body><p>Rich</p></body></html></richcontent>
<attribute NAME="Owner" VALUE="Ann"/></node></node></map>"""
TOPICS = """<bookmap><booktitle>Car</booktitle><chapter href="a.dita"><topicmeta><navtitle>Oil</navtitle></topicmeta>
<topicref href="b.dita" navtitle="Filter"/></chapter><topicref href="c.dita"/></bookmap>"""
BPMN = """<b:definitions xmlns:b="http://www.omg.org/spec/BPMN/20100524/MODEL"><b:collaboration>
<b:participant name="Shop"
processRef="p"/><b:messageFlow name="bill" sourceRef="t" targetRef="q"/><b:participant id="q" name="Customer"/>
</b:collaboration><b:process id="p"><b:laneSet><b:lane name="Sales"><b:flowNodeRef>t</b:flowNodeRef></b:lane>
</b:laneSet>
<b:startEvent id="s" name="Order"/><b:userTask id="t" name="Check&#10;stock">
<b:documentation>In the list.</b:documentation>
</b:userTask><b:exclusiveGateway id="g"/><b:endEvent id="e" name="Done"/><b:task id="x" name="Alone"/>
<b:sequenceFlow name="yes" sourceRef="g" targetRef="e"/><b:sequenceFlow sourceRef="t" targetRef="g"/><b:sequenceFlow
sourceRef="s" targetRef="t"/><b:textAnnotation><b:text>Two days</b:text></b:textAnnotation></b:process>
</b:definitions>"""
XLIFF = """<xliff version="1.2"><file original="a.c" source-language="en" target-language="de"><body>
<trans-unit id="1">
<source>Cancel <g id="1">order</g><x id="2"/></source><target>Storno</target><note>Button</note></trans-unit></body>
</file>
</xliff>"""
XLIFF_2 = """<xliff version="2.0" srcLang="en" trgLang="fr"><file><unit><notes><note>Hi</note></notes><segment>
<source>World
</source><target>Monde</target></segment><segment><source>Yes</source></segment></unit></file></xliff>"""
TMX = """<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><body><tu><tuv xml:lang="en">
<seg>Agreed
<bpt i="1">&lt;b&gt;</bpt>.</seg></tuv><tuv xml:lang="de"><seg>Einig.</seg></tuv></tu></body></tmx>"""
RESX = """<root><resheader name="version"><value>2.0</value></resheader><data name="Full"><value>Disk full</value>
</data><data name="Logo" mimetype="application/x-microsoft.net.object.bytearray.base64"><value>iVBO</value></data>
</root>"""
ANDROID = """<resources><string name="hi">It\\'s <b>on</b></string><plurals name="d"><item quantity="one">day</item>
</plurals>
</resources>"""
NAMES = "urn:oasis:names:tc:opendocument:xmlns"
FLAT = f"""<?xml version="1.0"?><office:document xmlns:office="{NAMES}:office:1.0" xmlns:text="{NAMES}:text:1.0"
xmlns:table="{NAMES}:table:1.0" xmlns:meta="{NAMES}:meta:1.0" xmlns:draw="{NAMES}:drawing:1.0"
xmlns:presentation="{NAMES}:presentation:1.0" office:version="1.2"><office:meta><meta:keyword>k</meta:keyword>
</office:meta>
<office:body>%s</office:body></office:document>"""
TEXT = """<office:text><text:h text:outline-level="1">Plan</text:h><text:p>Said.<draw:frame><draw:image>
<office:binary-data>
iVBO</office:binary-data></draw:image></draw:frame></text:p></office:text>"""
SHEET = """<office:spreadsheet><table:table table:name="S"><table:table-row>
<table:table-cell office:value-type="string">
<text:p>kg</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="float"
office:value="2"><text:p>2</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"""
SLIDE = """<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box>
<text:p>Goals</text:p>
</draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Grow.</text:p></draw:text-box></draw:frame>
</draw:page>
</office:presentation>"""


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (
            OPML,
            "# Notes\n\n- News\n  - BBC: https://bbc.co.uk/rss\n\n## Kite two\n\nStarts in May.\n\n- Budget\n  - 4 EUR",
        ),
        (MIND_MAP, "# Launch\n\n- Rich: Owner: Ann\n\n## Press\n\n### Fair\n\n- Ulm: Booth 12.: https://ulm.de"),
        (TOPICS, "# Car\n\n- Oil\n  - Filter\n- c.dita"),
        (
            BPMN,
            "## Shop\n\n- Sales: Check stock\n- Order → Check stock\n- Check stock → exclusive gateway\n"
            "- exclusive gateway → Done: yes\n\nCheck stock: In the list.\n\n- Alone\n\nTwo days\n\n"
            "## Messages\n\n- Check stock → Customer: bill",
        ),
        (XLIFF, "## a.c\n\n| en | de | note |\n|---|---|---|\n| Cancel order | Storno | Button |"),
        (XLIFF_2, "| en | fr | note |\n|---|---|---|\n| World | Monde | Hi |\n| Yes |  |  |"),
        (TMX, "| en | de |\n|---|---|\n| Agreed . | Einig. |"),
        (RESX, "| name | value |\n|---|---|\n| Full | Disk full |"),
        (ANDROID, "| name | kind | value |\n|---|---|---|\n| hi |  | It's on |\n| d | one | day |"),
        (FLAT % TEXT, "# Plan\n\nSaid."),
        (FLAT % SHEET, "## S\n\n| kg |\n|---|\n| 2 |"),
        (FLAT % SLIDE, "## Goals\n\nGrow."),
    ],
)
def test_a_file_is_known_by_its_root_and_reads_as_its_program_shows_it(text: str, record: str) -> None:
    assert detect(text.encode(), "a.xml" if text == ANDROID else "a.unknown") == XML
    found = parse_xml_file(text.encode(), path="a.xml")
    check_spans(found)
    assert found.record.rstrip() == record
    assert found.media_type == XML


@pytest.mark.parametrize(
    "text",
    [
        "<map><entry>1</entry></map>",
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><message name="m"/></definitions>',
        "<root><data><value>1</value></data></root>",
        "<resources><item>1</item></resources>",
        "<opml/>",
    ],
)
def test_other_files_with_such_a_root_stay_as_they_are(text: str) -> None:
    assert parse_xml_file(text.encode(), path="a.xml").record == text


@pytest.mark.parametrize(
    "unit",
    ['<tu><tuv lang="l%d"><seg>x</seg></tuv></tu>', '<tu><note>%d</note><tuv lang="a"><seg>x</seg></tuv></tu>'],
)
def test_a_memory_of_many_languages_is_read_in_step(unit: str) -> None:
    def read(times: int) -> object:
        units = "".join(unit % number for number in range(times))
        return parse_xml_file(f"<tmx><body>{units}</body></tmx>".encode(), path="a.tmx")

    in_step(read, 200, 400, most=3)
