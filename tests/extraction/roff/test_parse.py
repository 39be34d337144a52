"""Manual pages in their source: what a terminal shows of them, with an option and what it does together."""

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from ragstone.extraction.roff.parse import parse_roff

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
        (r"caf\('e \(em na\(:ive \[u00FC]", "cafe\u0301 — nai\u0308ve ü"),
        (r"\s-1small\s0 \f(CWcode\fP \m[red]red\m[]", "small code red"),
        (".UNKNOWN kept words", "kept words"),
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


@pytest.mark.parametrize("page", [MAN, MDOC])
@pytest.mark.parametrize("path", ["xargs.1", "xargs.1ssl", "page", "page.txt"])
def test_a_page_is_known_by_its_content(page: str, path: str) -> None:
    assert detect(page.encode(), path) == "text/troff"


@pytest.mark.parametrize("text", [".TH is a macro of roff\n", "...\n.Dd\n", "A text.\n.TH XARGS 1\n"])
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
