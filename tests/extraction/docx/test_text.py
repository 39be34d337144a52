"""Word documents: the words of paragraphs."""

import pytest

from tests.extraction.docx.files import field, p, read, run, shown, style


def texts(body: str, **parts: str) -> list[str]:
    return [text for _, _, text in shown(body, **parts)]


def test_the_record_reads_like_markdown_and_spans_lead_into_it() -> None:
    extraction = read(p("One <![CDATA[<two>]]>") + p("Three"))
    assert extraction.record == "One <two>\n\nThree"
    assert [extraction.record[b.spans[0].char_start : b.spans[0].char_end] for b in extraction.blocks] == [
        "One <two>",
        "Three",
    ]
    assert [b.spans[0].line_start for b in extraction.blocks] == [1, 3]


def test_inserted_text_stays_and_deleted_text_goes() -> None:
    body = p("We ", f"<w:ins>{run('will')}</w:ins>", "<w:del><w:r><w:delText>shall</w:delText></w:r></w:del>", " pay")
    extraction = read(body)
    assert extraction.record == "We will pay"
    assert extraction.warnings == ("tracked changes were read as accepted: 1 deleted or moved pieces are left out",)


def test_moved_text_stands_once_where_it_went() -> None:
    body = p(f"<w:moveFrom>{run('Moved.')}</w:moveFrom>", "Here.") + p(f"<w:moveTo>{run('Moved.')}</w:moveTo>")
    assert texts(body) == ["Here.", "Moved."]


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next() -> None:
    body = (
        p("Half a ", properties="<w:rPr><w:del/></w:rPr>")
        + p("sentence.")
        + p("Last", properties="<w:rPr><w:del/></w:rPr>")
    )
    assert texts(body) == ["Half a sentence.", "Last"]


def test_what_was_formatted_otherwise_before_does_not_count() -> None:
    body = p(run("Seen", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>"))
    assert texts(body) == ["Seen"]


def test_hidden_text_is_left_out_with_a_warning() -> None:
    styles = style("H", called="Hid", runs="<w:vanish/>", kind="character")
    body = p("a", run("bc", "<w:vanish/>"), run("d", '<w:rStyle w:val="H"/>'), run("e", '<w:vanish w:val="0"/>'))
    extraction = read(body, styles=styles)
    assert extraction.record == "ae"
    assert extraction.warnings == ("3 characters of hidden text were left out",)


def test_breaks_tabs_and_hyphens() -> None:
    body = p("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>"
             "<w:t>e\xadf</w:t></w:r>")  # fmt: skip
    assert texts(body) == ["a\nb\tc-def"]


def test_links_are_kept_as_markdown_but_for_those_that_run_code() -> None:
    body = p(
        f'<w:hyperlink r:id="l1">{run("the law")}</w:hyperlink>',
        f'<w:hyperlink r:id="l2">{run(" bad")}</w:hyperlink>',
        f'<w:hyperlink w:anchor="x">{run(" inside")}</w:hyperlink>',
        f'<w:hyperlink r:id="l3">{run(" x.org/a")}</w:hyperlink>',
    )
    links = {"l1": "https://x.org/a (b)", "l2": "javascript:alert(1)", "l3": "http://x.org/a/"}
    assert read(body, links=links).record == "[the law](https://x.org/a%20%28b%29) bad inside x.org/a"


def test_fields_show_their_results_and_not_their_codes() -> None:
    inner = field("REF a", run("A"))
    body = p(field(' HYPERLINK "http://y.org/" ', run("there")), " ", field("IF 1 = 1", run("yes ") + inner)) + p(
        f'<w:fldSimple w:instr="PAGE">{run("7")}</w:fldSimple>'
    )
    assert texts(body) == ["[there](http://y.org/) yes A", "7"]


def test_a_field_inside_the_code_of_another_shows_nothing() -> None:
    outer = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + field("PAGE", run("9")) +
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("x") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )  # fmt: skip
    assert texts(p(outer)) == ["x"]


def test_a_field_that_never_shows_hides_nothing_after_its_paragraph() -> None:
    assert texts(p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "lost") + p("kept")) == ["kept"]


def test_the_table_of_contents_has_its_role() -> None:
    styles = style("T1", called="toc 1") + style("H1", called="heading 1")
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \\o</w:instrText></w:r>'
    body = (
        p(begin, '<w:r><w:fldChar w:fldCharType="separate"/></w:r>', "One\u00a01")
        + p("Two 2")
        + p('<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + p("Three 3", style="T1")
        + p("One", style="H1")
    )
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    body += f"<w:sdt>{gallery}<w:sdtContent>{p('Four 4')}</w:sdtContent></w:sdt>"
    assert [(b.text, b.role) for b in read(body, styles=styles).blocks] == [
        ("One 1", "toc"),
        ("Two 2", "toc"),
        ("Three 3", "toc"),
        ("One", "body"),
        ("Four 4", "toc"),
    ]


def test_content_controls_are_read_wherever_they_stand() -> None:
    inline = f"<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>{run('in')}</w:sdtContent></w:sdt>"
    body = f"<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{p('a ', inline)}</w:sdtContent></w:sdt></w:sdtContent></w:sdt>"
    assert texts(body) == ["a in"]


def test_boxes_with_text_are_read_once_behind_their_paragraph() -> None:
    box = f"<w:txbxContent>{p('Boxed')}</w:txbxContent>"
    drawing = (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic><wps:txbx>'
        f"{box}</wps:txbx></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}"
        "</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert texts(p("Before ", drawing, "after") + p("Next")) == ["Before after", "Boxed", "Next"]


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ('descr="A red square"', "![A red square]"),
        ('name="Picture 1" descr="Picture 1"', ""),
        ('descr="scan01.png"', ""),
    ],
)
def test_pictures_stand_by_the_text_that_somebody_wrote_for_them(attributes: str, text: str) -> None:
    drawing = f"<w:r><w:drawing><wp:inline><wp:docPr {attributes}/></wp:inline></w:drawing></w:r>"
    assert texts(p("a ", drawing)) == [f"a {text}".strip()]


def test_symbols_are_made_readable_or_counted() -> None:
    body = p(
        '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F061"/></w:r>',
        run("\uf0b3", '<w:rFonts w:ascii="Symbol"/>'),
        '<w:r><w:sym w:font="Wingdings" w:char="F021"/></w:r>',
    )
    extraction = read(body)
    assert extraction.record == "☑α≥"
    assert extraction.warnings == ("1 signs of symbol fonts are not known and were left out",)


def test_a_power_stays_a_power() -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    assert texts(p("10", run("-3", raised), " of the 1", run("st", raised))) == ["10⁻³ of the 1st"]


def test_boxes_to_tick_show_whether_they_are() -> None:
    def box(ticked: str) -> str:
        data = f'<w:ffData><w:checkBox><w:default w:val="0"/>{ticked}</w:checkBox></w:ffData>'
        return (
            f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r>'
            '<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    assert texts(p(box("<w:checked/>"), " yes") + p(box(""), " no")) == ["☒ yes", "☐ no"]


def test_arabic_text_is_kept_in_reading_order() -> None:
    assert texts(p(run("مرحبا ", "<w:rtl/>"), run("بالعالم", "<w:rtl/>"), properties="<w:bidi/>")) == ["مرحبا بالعالم"]


def test_code_by_style_is_one_block_with_its_blanks() -> None:
    styles = style("C", called="Source Code")
    body = p("a:", style="C") + p(style="C") + p("  b", style="C") + p("Prose.")
    assert shown(body, styles=styles) == [("code", 0, "a:\n\n  b"), ("paragraph", 0, "Prose.")]


def test_a_typewriters_font_is_code_where_the_text_has_its_signs() -> None:
    font = '<w:rFonts w:ascii="Consolas"/>'
    body = p(run("x = f(1);", font)) + p("Prose.") + p(run("A memo in typewriter face.", font))
    assert [kind for kind, _, _ in shown(body)] == ["code", "paragraph", "paragraph"]
    everywhere = f"<w:docDefaults><w:rPrDefault><w:rPr>{font}</w:rPr></w:rPrDefault></w:docDefaults>"
    assert "code" not in [kind for kind, _, _ in shown(body, styles=everywhere)]


def test_ruby_keeps_the_base() -> None:
    body = p(f"<w:r><w:ruby><w:rt>{run('かん')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby></w:r>")
    assert texts(body) == ["漢"]
