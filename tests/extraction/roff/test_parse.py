"""Manual pages in their source: what a terminal shows of them, with an option and what it does together."""

from collections.abc import Callable

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from ragstone.extraction.roff.parse import parse_roff
from tests.speed import in_step

MAN = r"""'\" t
.\" a comment
.TH XARGS 1 "May 2024" "findutils"
.SH NAME
xargs \- build \fIcommand\fR lines
.SH "OPTIONS"
.TP
.B \-0, \-\-null
Items end with a null character,
not with a blank.
.PD 0
.TP
.BI "\-a " file ", \-\-arg\-file=" file
.TP
.B \-\-from
.PD
Read items from
.IR file .
.IP \(bu 2
A point.
.RS
.IP \(bu 2
A point in it.
.RE
.SS "Exit status"
.nf
0  all is \ewell
  1  it is not
.fi
.P
See
.BR find (1).
"""
MDOC = r""".Dd May 3, 2024
.Dt SSH_CONFIG 5
.Os
.Sh NAME
.Nm ssh_config
.Nd client configuration
.Sh DESCRIPTION
.Nm
is read by
.Xr ssh 1 .
Use
.Fl o Ar option ,
.Op Fl v
or
.Dq Pa ~/.ssh/config .
.Bl -tag -width Ds
.It Cm BatchMode
Must be
.Cm yes
or
.Cm no
.Pq the default .
.It Xo
.Cm PermitOpen
.Ar host : Ns Ar port
.Xc
Says where to.
.El
.Bl -bullet
.It
First.
.El
.Bd -literal
Host *
  Port 22
.Ed
"""


def read(text: str) -> Extraction:
    return parse_roff(text.encode(), path="a.1")


def list_blocks(text: str) -> list[tuple[str, int, str]]:
    return [(block.type, block.level, block.text) for block in read(text).blocks]


def test_a_page_reads_as_a_terminal_shows_it() -> None:
    assert read(MAN).title == "xargs(1)"
    assert list_blocks(MAN) == [
        ("heading", 1, "xargs(1)"),
        ("heading", 2, "NAME"),
        ("paragraph", 0, "xargs - build command lines"),
        ("heading", 2, "OPTIONS"),
        ("list", 1, "- -0, --null: Items end with a null character, not with a blank."),
        ("list", 1, "- -a file, --arg-file=file, --from: Read items from file."),
        ("list", 1, "- A point."),
        ("list", 2, "- A point in it."),
        ("heading", 3, "Exit status"),
        ("code", 0, "0  all is \\well\n  1  it is not"),
        ("paragraph", 0, "See find(1)."),
    ]


def test_a_page_of_bsds_macros_too() -> None:
    assert [text for _, _, text in list_blocks(MDOC)] == [
        "ssh_config(5)",
        "NAME",
        "ssh_config - client configuration",
        "DESCRIPTION",
        "ssh_config is read by ssh(1). Use -o option, [-v] or “~/.ssh/config”.",
        "- BatchMode: Must be yes or no (the default).",
        "- PermitOpen host:port: Says where to.",
        "- First.",
        "Host *\n  Port 22",
    ]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (r".if n shown" + "\n.if t hidden", "shown"),
        (r".ie \n(.g .ds X good" + "\n" + r".el .ds X bad" + "\n" + r"It is \*X.", "It is good."),
        (".de HI\n.B Hello \\\\$1!\n..\n.HI you", "Hello you!"),
        (".ig\nhidden\n..\nshown", "shown"),
        (".if t \\{\nhidden\n.\\}\nshown", "shown"),
        (".nr zZ 1\n.if \\n(zZ=1 shown", "shown"),
        (r"caf\('e \(em na\(:ive \[u00FC]", "café — naïve ü"),
        (r"\s-1small\s0 \f(CWcode\fP \m[red]red\m[]", "small code red"),
        (".UNKNOWN kept words", "kept words"),
        (".ie n \\{\\\n.ie t hidden\n.el shown\n.\\}\n.el hidden", "shown"),
        (".if !n hidden\n.if n \\{ shown \\}", "shown"),
        (".de XX\none\n..\n.am XX\ntwo\n..\n.XX", "one two"),
        (".de XX\n\\\\$2 <\\\\$1>\n..\n.als YY XX\n.am YY\n.  ad l\n.  .\n.YY joe@x.org Joe", "Joe <joe@x.org>"),
        (".am UNKNOWN\nhidden\n..\n.UNKNOWN shown", "shown"),
        (".ds X one\n.as X , two\n\\*X", "one, two"),
        (".nop kept words", "kept words"),
        (".if --5 hidden\n.if " + "9" * 3000 + " shown", "shown"),
        ('a \\\\" b', 'a \\" b'),
        (r"\[u0041_0301] \[uD800] \[u110000] \[u0000].", "Á ."),
    ],
)
def test_conditions_strings_macros_and_escapes(lines: str, shown: str) -> None:
    assert [block.text for block in read(f".TH A 1\n.SH B\n{lines}\n").blocks][2:] == [shown]


def test_tables_keep_their_cells() -> None:
    table = ".TS\nallbox tab(;);\nl l.\n\\fBName\\fR;Means\n_\nls;T{\nlists\nfiles\nT}\n.TE\n"
    [block] = [block for block in read(f".TH A 1\n.SH B\n{table}").blocks if block.type == "table"]
    assert [(cell.row, cell.col, cell.text) for cell in block.cells] == [
        (0, 0, "Name"),
        (0, 1, "Means"),
        (1, 0, "ls"),
        (1, 1, "lists files"),
    ]


def test_a_table_may_change_its_format() -> None:
    table = ".TS\nl l.\nName\tMeans\n.T&\nl\nl.\nls\tlists\n.TE\n"
    [block] = [block for block in read(f".TH A 1\n.SH B\n{table}").blocks if block.type == "table"]
    assert [cell.text for cell in block.cells] == ["Name", "Means", "ls", "lists"]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (".nf\nshown", ["shown"]),
        (".TS\nl l.\na\tshown", ["| a | shown |"]),
        (".TS\nl l.\na\tshown\n.SH NEXT\nshown too", ["| a | shown |", "NEXT", "shown too"]),
        (".de XX\nshown\n.SH NEXT\nshown too", ["shown", "NEXT", "shown too"]),
        (".ig\nshown", ["shown"]),
        (".if t \\{\nshown", ["shown"]),
        (".Bd -literal\nshown", ["shown"]),
    ],
)
def test_text_behind_a_macro_that_has_no_end_stays(lines: str, shown: list[str]) -> None:
    assert [block.text for block in read(f".TH A 1\n.SH B\n{lines}\n").blocks][2:] == shown


def test_a_function_of_several_lines_reads_as_one_call() -> None:
    page = '.Dd x\n.Dt OPEN 2\n.Sh S\n.Bf -symbolic\n.Ft int\n.Fo open\n.Fa "char *path"\n.Fa int\n.Fc\n.Ef\n'
    assert read(page).blocks[-1].text == "int open(char *path, int)"


HEAD = ".TH A 1\n.SH B\n"
HOSTILE: dict[str, Callable[[int], str]] = {
    "conditions in conditions": lambda n: ".if n \\{\n" * n + "x\n" + ".\\}\n" * n,
    "conditions that do not hold": lambda n: ".ie t a\n.el \\{\\\n" * n + "x\n" + ".\\}\n" * n,
    "conditions in a line": lambda n: ".ie n " * n + "x\n",
    "definitions without an end": lambda n: ".de XX\n" * n,
    "open brackets": lambda n: "\\[" * n + "\n",
    "macros of mdoc in a line": lambda n: ".Op " + "Oo a Oc " * n + "\n",
    "words of mdoc in a line": lambda n: ".Op " + "a " * n + "\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_grows_as_the_page_does(name: str) -> None:
    in_step(lambda n: read(f"{HEAD}.Sh C\nx\n{HOSTILE[name](n)}"), 4000, 32_000, most=16)


@pytest.mark.parametrize(
    "lines",
    [
        ".de XX\n.XX \\\\$* \\\\$*\n..\n.XX aaaa\n",
        ".de XX\n.XX\n" + "hello\n" * 5000 + "..\n.XX\n",
        ".de XX\n" + "\n" * 5000 + ".XX\n..\n.XX\n",
        ".ds X " + "x" * 100_000 + "\n" + "\\*X" * 100_000 + "\n",
    ],
)
def test_macros_and_strings_of_a_page_do_not_grow_without_end(lines: str) -> None:
    found = read(f"{HEAD}first\n{lines}last\n")
    assert len(found.record) < 4_000_000
    assert found.record.startswith("# a(1)\n\n## B\n\nfirst")
    assert found.record.rstrip().endswith("last")
    assert found.warnings == (
        "macros or strings that the page defines grow without end; some of their text was left out",
    )


@pytest.mark.parametrize("page", [MAN, MDOC])
@pytest.mark.parametrize("path", ["xargs.1", "xargs.1ssl", "page", "page.txt"])
def test_a_page_is_known_by_its_content(page: str, path: str) -> None:
    assert detect(page.encode(), path) == "text/troff"


@pytest.mark.parametrize(
    "text",
    [
        '.TH "DROP TABLE" "7"\n',
        "\ufeff.TH A 1\n",
        ". TH A 1\n",
        '\\" a comment\n.TH A 1\n',
        ".TH after n 8.0\n",
        '.TH "" ""\n',
    ],
)
def test_its_name_may_be_of_several_words_or_none_or_stand_behind_a_mark(text: str) -> None:
    assert detect(f"{text}.SH B\nc\n".encode(), "page") == "text/troff"


@pytest.mark.parametrize(
    "text",
    [
        ".TH is a macro of roff\n",
        "...\n.Dd\n",
        "...\n.Dt NAME\n",
        "A text.\n.TH XARGS 1\n",
        "'Begin with this line,' she said:\n.TH XARGS 1\n",
        ".mode csv\n.Dd x\n",
    ],
)
def test_text_about_macros_is_no_page(text: str) -> None:
    assert detect(text.encode(), "notes.txt") == "text/plain"


def test_a_page_that_only_names_another_is_refused_in_a_sentence() -> None:
    with pytest.raises(Refused, match=r"a\.1 holds no text; if it only names another page"):
        read(".TH A 1\n.so man1/other.1\n")


def test_a_page_that_calls_itself_without_end_is_read_all_the_same() -> None:
    assert "shown" in read(".TH A 1\n.de XX\n.XX\n.XX\n..\n.SH B\nshown\n.XX\n").record


def test_it_is_read_in_a_process_of_its_own() -> None:
    found = extract(MAN.encode(), path="xargs.1")
    assert (found.media_type, found.title) == ("text/troff", "xargs(1)")
