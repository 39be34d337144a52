"""Pages of wikis and trackers show headings, lists, tables, code and links as people read them."""

import pytest

from ragstone.core.types import Extraction
from ragstone.extraction.media_types import detect
from ragstone.extraction.wiki.creole import CREOLE
from ragstone.extraction.wiki.dialect import Dialect
from ragstone.extraction.wiki.dokuwiki import DOKUWIKI
from ragstone.extraction.wiki.jira import JIRA
from ragstone.extraction.wiki.parse import parse_creole, parse_dokuwiki, parse_jira, parse_textile
from ragstone.extraction.wiki.reader import read_wiki
from ragstone.extraction.wiki.textile import TEXTILE
from ragstone.testing.extractors import check_spans
from tests.speed import grows_in_step

DOKU = """====== Leave ======
Everyone has **30 days** of //leave//((Or more.)), see [[hr:portal|the portal]], [[hr:form]] and https://x.org/a.

===== Request =====
  - Open ''hr''
    * both %%**pages**%%
  - Send
{{:a.png?100|A plan}} {{b.png}}

^ Country ^ Days ^
| [[a|Land]] | 30 |
| ::: | |

<code bash>
hr  --days
</code>

  indented *code*
----
~~NOTOC~~
> Said.\\\\ Twice.
"""
JIRA_TEXT = """h2. {anchor:x}Steps
{panel:title=Mind}Hot *now* and {color:red}red{color}.{panel}
# Open [the portal|https://x.org|tip], [~ann], [^log.txt], [a] and {{x-y}}
goes on
## deep a{*}b{*}
- one
* two
||Name||Value||
|a [b|c]|1
2|
{code:java|title=x}
if (a) {  }
{code}
bq. Quoted
!shot.png|thumbnail!
{noformat}raw *x*{noformat}
2 * 3 * 4, a_b_c, -5 and \\[x\\]
"""
TEXTILE_TEXT = """h1(#top). Leave

p(lead). Everyone has *30 days* of _leave_, see "the portal":https://hr.acme.com. @x_y_z@

# Open
## deep
* One
- HR := the people

|_. Country |_(x). Days |
|\\2. [[Land]] |

bc(sh). hr --days
more

<pre><code class="ruby">a &lt; b
c</code></pre>

bq. Quoted

!(x)image.png(alt text)! H ~2~ O
"""
CREOLE_TEXT = """== Leave
Everyone has **30 days** of //leave//, see [[Portal|the portal]] and https://x.org/a//b.\\\\Twice.

* one
** deep
# first
|=Name|=Value|
|[[a|b]]|~*c|
{{{
code **x**
}}}
{{{inline ==}}} {{a.png|A plan}}
"""


def show(found: Extraction) -> list[str]:
    check_spans(found)
    return [f"{block.type[0]}{block.level or ''} {block.text}" for block in found.blocks]


def test_a_page_of_dokuwiki() -> None:
    assert show(parse_dokuwiki(DOKU.encode(), path="a.txt")) == [
        "h1 Leave",
        "p Everyone has 30 days of leave (Or more.), see the portal, form and https://x.org/a.",
        "h2 Request",
        "l1 1. Open hr",
        "l2 - both **pages**",
        "l1 2. Send",
        "p A plan",
        "t | Country | Days |\n| Land | 30 |\n|  |  |",
        "c hr  --days",
        "c indented *code*",
        "p Said.\nTwice.",
    ]


def test_a_text_in_the_markup_of_jira() -> None:
    assert show(parse_jira(JIRA_TEXT.encode(), path="a.txt")) == [
        "h2 Steps",
        "p Mind",
        "p Hot now and red.",
        "l1 1. Open the portal, ann, log.txt, [a] and x-y goes on",
        "l2 1. deep ab",
        "l1 - one",
        "l1 - two",
        "t | Name | Value |\n| a b | 1 2 |",
        "c if (a) {  }",
        "p Quoted",
        "c raw *x*",
        "p 2 * 3 * 4, a_b_c, -5 and [x]",
    ]


def test_a_page_in_textile() -> None:
    assert show(parse_textile(TEXTILE_TEXT.encode(), path="a.txt")) == [
        "h1 Leave",
        "p Everyone has 30 days of leave, see the portal. x_y_z",
        "l1 1. Open",
        "l2 1. deep",
        "l1 - One",
        "l1 - HR: the people",
        "t | Country | Days |\n| [[Land]] |",
        "c hr --days\nmore",
        "c a < b\nc",
        "p Quoted",
        "p alt text H 2 O",
    ]


def test_a_page_in_creole() -> None:
    assert show(parse_creole(CREOLE_TEXT.encode(), path="a.txt")) == [
        "h2 Leave",
        "p Everyone has 30 days of leave, see the portal and https://x.org/a//b.\nTwice.",
        "l1 - one",
        "l2 - deep",
        "l1 1. first",
        "t | Name | Value |\n| b | *c |",
        "c code **x**",
        "p inline == A plan",
    ]


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        (DOKU, "leave.txt", "text/x-dokuwiki"),
        ("<HTML>\n</HTML>\n", "leave.dokuwiki", "text/x-dokuwiki"),
        (JIRA_TEXT + "h1. More\n", "export.txt", "text/x-jira"),
        (JIRA_TEXT, "export.jira", "text/x-jira"),
        ("h1. A\n\nh2. B\n\nbc. c\n", "page", "text/x-textile"),
        (TEXTILE_TEXT, "page.textile", "text/x-textile"),
        (CREOLE_TEXT, "page.creole", "text/x-creole"),
        ("== A ==\n'''B'''\n\n== C ==\nD\n", "page.txt", "text/x-mediawiki"),
        ("====== test session ======\nok\n", "log.txt", "text/plain"),
        ("== A ==\n== B ==\n**c**\n", "notes.txt", "text/plain"),
        ("==========\n===== A =====\n  - b\n", "log.txt", "text/plain"),
        ("===== deploy =====\nproxy http://a:80 -> http://b:80\nif [[ -f x ]]; then\n", "log.txt", "text/plain"),
        ("h1. A\ntext\n", "notes.txt", "text/plain"),
        (DOKU, "leave.md", "text/markdown"),
    ],
)
def test_a_markup_is_known_by_its_name_or_its_beginning(text: str, path: str, kind: str) -> None:
    assert detect(text.encode(), path) == kind


@pytest.mark.parametrize("dialect", [DOKUWIKI, JIRA, TEXTILE, CREOLE])
@pytest.mark.parametrize(
    "unit", ["<code>", "<pre><code>", "{code}", "{{{\n", '"a":', "[[a|", "|a^", "*a ", "%%a", "|-{{{", "|[[a"]
)
def test_marks_that_never_end_are_looked_at_in_step(dialect: Dialect, unit: str) -> None:
    grows_in_step(lambda times: list(read_wiki(unit * times, dialect)), (250, 500, 1000, 2000))
