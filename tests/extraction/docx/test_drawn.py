"""Word documents: formulas and charts."""

import pytest

from tests.extraction.docx.files import p, read, shown

CHART = (
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>"
    '<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>'
    '<c:cat><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:cat>'
    '<c:val><c:numCache><c:pt idx="1"><c:v>4.4000000000000004</c:v></c:pt></c:numCache></c:val></c:ser></c:plotArea>'
    "</c:chart>"
)


def t(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(inside: str, name: str = "e") -> str:
    return f"<m:{name}>{inside}</m:{name}>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f"<m:f>{e(t('a'), 'num')}{e(t('b'), 'den')}</m:f>", "\\frac{a}{b}"),
        (f"<m:sSup>{e(t('x'))}{e(t('2'), 'sup')}</m:sSup>", "x^{2}"),
        (f"<m:sSubSup>{e(t('x+y'))}{e(t('i'), 'sub')}{e(t('2'), 'sup')}</m:sSubSup>", "{x+y}_{i}^{2}"),
        (f"<m:rad><m:deg/>{e(t('x'))}</m:rad>", "\\sqrt{x}"),
        (f"<m:rad>{e(t('3'), 'deg')}{e(t('x'))}</m:rad>", "\\sqrt[3]{x}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{e(t("i=1"), "sub")}{e(t("n"), "sup")}'
            f"{e(t('i'))}</m:nary>",
            "∑_{i=1}^{n} i",
        ),
        (f"<m:func>{e(t('sin'), 'fName')}{e(t('x'))}</m:func>", "\\sin x"),
        (f"<m:m><m:mr>{e(t('1'))}{e(t('2'))}</m:mr><m:mr>{e(t('3'))}{e(t('4'))}</m:mr></m:m>",
         "\\begin{matrix}1 &amp; 2 \\\\ 3 &amp; 4\\end{matrix}"),
        (f"{t('𝑎')}<w:del>{t('b')}</w:del>", "a"),
    ],
)  # fmt: skip
def test_formulas_are_written_as_latex(formula: str, text: str) -> None:
    assert read(p("So ", f"<m:oMath>{formula}</m:oMath>", ".")).record == f"So ${text.replace('&amp;', '&')}$."


def test_the_numbers_of_a_chart_become_a_table() -> None:
    drawing = '<w:r><w:drawing><wp:inline><a:graphic><c:chart r:id="chart1"/></a:graphic></wp:inline></w:drawing></w:r>'
    assert shown(p("See:", drawing), chart1=CHART) == [
        ("paragraph", 0, "See:"),
        ("paragraph", 0, "Sales"),
        ("table", 0, "|  | North |\n| 2023 |  |\n| 2024 | 4.4 |"),
    ]
