"""Formats beside the large ones: lightweight markup, code, notebooks, books, subtitles, RTF, ODT, Outlook."""

from contextlib import suppress
from pathlib import Path

import pytest

from ragstone import extraction
from ragstone.chunking import Characters, make_chunker
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import source_code
from tests.extraction.made import make_archive, make_epub, make_notebook, make_odt
from tests.speed import in_step, within

Blocks = list[tuple[str, int, str]]


def extract(data: bytes | str, path: str) -> Extraction:
    return extraction.extract(data.encode() if isinstance(data, str) else data, path=path)


def blocks(found: Extraction) -> Blocks:
    return [(block.type, block.level, block.text) for block in found.blocks]


def refusal(data: bytes | str, path: str) -> Refused:
    with pytest.raises(Refused) as caught:
        extract(data, path)
    return caught.value


RST = """\
.. _top:

=======
Handbook
=======

Ask the desk, for example::

   $ ask --help

.. note:: Desks close at six.

   On Fridays at four.

Leave
-----

.. code-block:: python
   :linenos:

   days = 28

- Take it
- Report it
  in time

Older leave
~~~~~~~~~~~

.. a comment that nobody reads

Carry
-----
Five days.
"""


def test_rst_has_headings_by_their_marks_directives_and_literal_blocks() -> None:
    found = extract(RST, "a.rst")
    assert found.title == "Handbook"
    assert blocks(found) == [
        ("heading", 1, "Handbook"),
        ("paragraph", 0, "Ask the desk, for example::"),
        ("code", 0, "   $ ask --help"),
        ("paragraph", 0, "Desks close at six."),
        ("paragraph", 0, "On Fridays at four."),
        ("heading", 2, "Leave"),
        ("code", 0, "   days = 28"),
        ("list", 1, "- Take it"),
        ("list", 1, "- Report it\n  in time"),
        ("heading", 3, "Older leave"),
        ("heading", 2, "Carry"),
        ("paragraph", 0, "Five days."),
    ]
    assert found.record == RST
    assert [block.language for block in found.blocks if block.type == "code"] == [None, "python"]


ASCIIDOC = """\
= Handbook
:toc:

== Leave

Twenty-eight days.

[source,java]
----
class Leave {}
----

.Who asks
* Everybody
* Nobody

// a comment
////
and a longer one
////
=== Carry
Five days.
"""


def test_asciidoc_has_headings_blocks_and_no_comments() -> None:
    found = extract(ASCIIDOC, "a.adoc")
    assert blocks(found) == [
        ("heading", 1, "Handbook"),
        ("heading", 2, "Leave"),
        ("paragraph", 0, "Twenty-eight days."),
        ("code", 0, "class Leave {}"),
        ("paragraph", 0, "Who asks"),
        ("list", 1, "* Everybody"),
        ("list", 1, "* Nobody"),
        ("heading", 3, "Carry"),
        ("paragraph", 0, "Five days."),
    ]


ORG = """\
#+TITLE: Handbook
* Leave :people:
DEADLINE: <2025-03-31 Mon>
:PROPERTIES:
:ID: 17
:OWNER: Bo Reed
:END:
:LOGBOOK:
CLOCK: [2025-01-02 Thu 10:00]
:END:
Twenty-eight days.
#+BEGIN_SRC sh
ask --help
#+END_SRC
# a comment
** DONE Carry
- Five days
"""


def test_org_has_headings_code_deadlines_and_properties_but_no_other_drawers() -> None:
    assert blocks(extract(ORG, "a.org")) == [
        ("heading", 1, "Handbook"),
        ("heading", 1, "Leave"),
        ("paragraph", 0, "DEADLINE: <2025-03-31 Mon>"),
        ("paragraph", 0, ":OWNER: Bo Reed"),
        ("paragraph", 0, "Twenty-eight days."),
        ("code", 0, "ask --help"),
        ("heading", 2, "Carry"),
        ("list", 1, "- Five days"),
    ]


TEX = r"""\documentclass{article}
\title{The \emph{Handbook}}
\begin{document}
\maketitle
\section{Leave}\label{leave}
Everybody has \textbf{28} days. % or so
They ask.

\begin{itemize}
  \item Take it
  \item Report it
\end{itemize}
\begin{verbatim}
ask --help
\end{verbatim}
\end{document}
"""


@pytest.mark.parametrize("path", ["a.tex", "a.latex", "a.ltx"])
def test_tex_shows_what_a_reader_of_the_print_sees(path: str) -> None:
    assert blocks(extract(TEX, path)) == [
        ("heading", 1, "The Handbook"),
        ("heading", 2, "Leave"),
        ("paragraph", 0, "Everybody has 28 days. They ask."),
        ("list", 1, "Take it"),
        ("list", 1, "Report it"),
        ("code", 0, "ask --help"),
    ]


@pytest.mark.parametrize("path", ["a.rst", "a.adoc", "a.org", "a.tex", "a.srt"])
def test_any_text_under_such_a_name_is_read_or_refused(path: str) -> None:
    for text in (RST, ASCIIDOC, ORG, TEX, "=\n=\n=\n", "::\n", "----\nnever closed", "\\begin{verbatim}\nopen", "..\n"):
        with suppress(Refused):
            found = extract(text, path)
            assert found.blocks
            assert all(found.record[s.char_start : s.char_end].strip() for block in found.blocks for s in block.spans)


def test_subtitles_are_what_is_said_with_a_span_for_each_cue() -> None:
    cues = "1\n00:00:01,000 --> 00:00:02,500\n<i>Everybody has</i>\n\n2\n00:00:02,500 --> 00:00:04,000\n28 days.\n"
    found = extract(cues, "a.srt")
    assert blocks(found) == [("paragraph", 0, "Everybody has 28 days.")]
    [block] = found.blocks
    assert [(span.line_start, span.line_end) for span in block.spans] == [(3, 3), (7, 7)]
    web = "WEBVTT\n\nNOTE for us\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Dana>Hello.\n"
    assert blocks(extract(web, "a.vtt")) == [("paragraph", 0, "Dana: Hello.")]
    assert refusal("no cue here", "a.srt").reason == "empty"


def test_speakers_of_subtitles_stand_before_their_words_in_every_chunk() -> None:
    web = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Dana Müller>Hello.</v>\n<v.loud Eli>Good\nmorning.</v>\n"
    found = extract(web, "a.vtt")
    assert blocks(found) == [("paragraph", 0, "Dana Müller: Hello. Eli: Good morning.")]
    [piece] = make_chunker("structure", tokenizer=Characters()).cut(found)
    assert piece.text == "Dana Müller: Hello.\nEli: Good\nmorning."
    assert [(span.line_start, span.line_end) for span in piece.spans] == [(4, 6)]


TEX_TABLE = r"""\documentclass{article}
\title{Apples \\ and \emph{Pears}\thanks{Paid by \textit{X}}}
\author{Dana M\"uller\thanks{Of \emph{the \textbf{desk}}} \and
  Eli Stone \\ Bolton}
\begin{document}
See:
\begin{tabular}{l|r r}
\toprule
Year & Apples & Pears \& more \\ % head
\midrule
2023 & 4.5 & \\ \hline
2024
  & \textbf{5.1} & \multicolumn{1}{c}{1.3} \\[2pt]
\bottomrule
\end{tabular}
Stra{\ss}e.
\begin{verbatim}
printf("\"a & b");
\end{verbatim}
"""


def test_tex_has_title_authors_letters_and_tables_with_cells() -> None:
    found = extract(TEX_TABLE, "a.tex")
    assert found.title == "Apples and Pears"
    assert blocks(found) == [
        ("heading", 1, "Apples and Pears"),
        ("paragraph", 0, "Dana Müller; Eli Stone, Bolton"),
        ("paragraph", 0, "See:"),
        ("table", 0, "| Year | Apples | Pears & more |\n| 2023 | 4.5 |\n| 2024 | 5.1 | 1.3 |"),
        ("paragraph", 0, "Straße."),
        ("code", 0, 'printf("\\"a & b");'),
    ]
    [table] = [block for block in found.blocks if block.type == "table"]
    assert [(span.line_start, span.line_end) for span in table.spans] == [(9, 10), (11, 11), (12, 12)]
    assert "| Year | Apples | Pears & more |\n|---|---|---|\n| 2023 | 4.5 |" in found.record
    assert found.record.count("\n") == TEX_TABLE.count("\n")
    for cell in table.cells:
        assert found.record[cell.char_start : cell.char_end] == cell.text
    assert [cell.text for cell in table.cells if cell.header] == ["Year", "Apples", "Pears & more"]
    [piece] = make_chunker("structure", tokenizer=Characters()).cut(found)
    assert piece.table[2] == ("2024", "5.1", "1.3")


def test_words_beside_and_within_tables_of_tex_are_read() -> None:
    text = (
        "\\begin{document}\nBefore \\begin{tabular}{l} one & \\begin{tabular}{l} two \\\\ three \\end{tabular} & four\n"
        "\\\\ five \\end{tabular} after.\n\n% \\begin{tabular}{l}\nProse.\n\n"
        "\\resizebox{9cm}{!}{\\begin{tabular}{l}\nsix & seven\n\\section{Next}\nWords.\n\\author{Never closed\nEnd.\n"
    )
    found = extract(text.encode(), path="a.tex")
    assert [(block.type, block.text) for block in found.blocks] == [
        ("paragraph", "Before"),
        ("table", "| one | two three | four |\n| five |"),
        ("paragraph", "after."),
        ("paragraph", "Prose."),
        ("table", "| six | seven |"),
        ("heading", "Next"),
        ("paragraph", "Words."),
        ("paragraph", "Never closed End."),
    ]
    assert [found.record[s.char_start : s.char_end] for s in found.blocks[2].spans] == [" after."]
    assert "\n| six | seven |\n" in found.record


def test_words_beside_a_table_of_tex_keep_their_place_below_tables_of_other_length() -> None:
    table = "\\begin{tabular}{lrlllr}\nPear & 4 \\\\\n\\end{tabular}\n"
    found = extract(f"{table}\nBefore \\begin{{tabular}}{{l}} x & y \\\\ \\end{{tabular}} after.\n\n{table}", "a.tex")
    shown = [found.record[b.spans[0].char_start : b.spans[-1].char_end].strip() for b in found.blocks]
    assert shown == ["| Pear | 4 |", "Before", "x & y", "after.", "| Pear | 4 |"]


def test_files_of_r_markdown_and_quarto_are_markdown() -> None:
    for path in ("a.Rmd", "a.qmd"):
        found = extract("---\ntitle: T\n---\n## Yields\n\n```{r plot, echo=FALSE}\nplot(x)\n```\n", path)
        assert (found.title, blocks(found)) == ("T", [("heading", 2, "Yields"), ("code", 0, "plot(x)")])


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "\\begin{tabular}{l}\n",
            "\\begin{tabular}[",
            "\\begin{tabular}{",
            "\\author{\n",
            "\\title[",
            '{\\"',
            "a & ",
            "\\\\",
        ),
        *("\\begin{verbatim}", "\\hline[", "\\cmidrule(", "\\ss ", "\\thanks{"),
    ],
)
def test_tex_takes_time_in_step_with_its_size(unit: str) -> None:
    def work(size: int) -> None:
        with suppress(Refused):
            extract("\\begin{tabular}{l}\na" + size // len(unit) * unit, "a.tex")
            extract("x" + size // len(unit) * unit, "a.tex")

    in_step(work, 8_000, 64_000, most=20)


def test_classes_of_speakers_take_little_time() -> None:
    cue = "WEBVTT\n\n00:01.000 --> 00:02.000\n"
    assert "hello" in within(0.5, lambda: extract(f"{cue}<v{'.a' * 24} hello", "a.vtt")).record
    in_step(lambda size: extract(cue + size * "<v.a.b  ", "a.vtt"), 1_000, 8_000, most=20)


# --- code ---------------------------------------------------------------------------------------

PYTHON = '''\
"""Leave."""

import datetime

LIMIT = 28


@cached
def count_days(person: str) -> int:
    """The days that a person has."""
    total = LIMIT

    return total


# Keeps requests.
class Desk:
    name = "desk"

    def ask(self, größe: int) -> None:
        self.asked = größe


if __name__ == "__main__":
    print(count_days("Dana"))
'''


def test_code_has_a_section_for_each_function_class_and_method() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    found = extract(PYTHON, "leave.py")
    assert [(block.level, block.text) for block in found.blocks if block.type == "heading"] == [
        (1, "def count_days(person: str) -> int"),
        (1, "class Desk"),
        (2, "def ask(self, größe: int) -> None"),
        (1, 'if __name__ == "__main__":'),
    ]
    sections = {block.text: found.record[block.spans[0].char_start :] for block in found.blocks if block.level}
    assert sections["def count_days(person: str) -> int"].startswith("@cached\n")
    assert sections["class Desk"].startswith("# Keeps requests.\n")
    assert found.meta["language"] == "python"
    shown = "".join(found.record[s.char_start : s.char_end] for block in found.blocks for s in block.spans)
    assert "".join(shown.split()) == "".join(PYTHON.split())


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        (
            "a.go",
            "package a\n\n// Run it.\nfunc (s *Server) Run() error {\n\treturn nil\n}\n",
            ["func (s *Server) Run() error"],
        ),
        ("a.ts", "export class A {\n  run(x: number) {\n    return x;\n  }\n}\n", ["export class A", "run(x: number)"]),
        ("a.js", "const save = (x) => {\n  keep(x);\n};\n", ["const save = (x) =>"]),
        ("a.rs", "impl A {\n    fn b(&self) {\n        1;\n    }\n}\n", ["impl A", "fn b(&self)"]),
        ("A.java", "@X\npublic class A {\n  int b() {\n    return 1;\n  }\n}\n", ["@X public class A", "int b()"]),
        ("a.rb", "module M\n  def x(y)\n    1\n  end\nend\n", ["module M", "def x(y)"]),
        (
            "a.c",
            "static int add(int a,\n               int b)\n{\n    return a + b;\n}\n",
            ["static int add(int a, int b)"],
        ),
        ("a.sql", "CREATE TABLE users (\n  id int\n);\n", ["CREATE TABLE users ("]),
        ("run", "#!/bin/sh\ndeploy() {\n  echo\n}\n", ["deploy()"]),
        ("a.tf", 'resource "x" "y" {\n  a = 1\n}\n', ['resource "x" "y"']),
        (
            "a.proto",
            "message User {\n  message Inner {\n    int32 a = 1;\n  }\n}\n\n// Gives users.\nservice Users {\n"
            "  rpc Get (User) returns (User);\n}\n",
            ["message User", "message Inner", "service Users"],
        ),
        (
            "a.graphql",
            '"""A user."""\ntype User implements Node {\n  id: ID!\n}\n\nenum Kind {\n  A\n}\n\nextend type Query {\n'
            "  me: User\n}\n\nquery Q($a: Int) {\n  me { id }\n}\n",
            ["type User implements Node", "enum Kind", "extend type Query", "query Q($a: Int)"],
        ),
    ],
)
def test_definitions_are_found_in_many_languages(path: str, code: str, names: list[str]) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    found = extract(code, path)
    assert found.media_type == "text/x-source-code"
    assert [block.text for block in found.blocks if block.type == "heading"] == names


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("Dockerfile.dev", "dockerfile"),
        ("app.dockerfile", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("Jenkinsfile", "groovy"),
        ("Jenkinsfile.release", "groovy"),
        ("a/Makefile.inc", "make"),
        ("schema.gql", "graphql"),
        ("Dockerfile.py", "python"),
    ],
)
def test_files_are_code_by_the_names_that_programs_give_them(path: str, language: str) -> None:
    found = extract("a:\n\tb\n", path)
    assert (found.media_type, found.meta["language"]) == ("text/x-source-code", language)


@pytest.mark.parametrize("path", ["Gemfile.lock", "dockerfiles.txt", "Dockerfile.md", "Dockerfile-notes"])
def test_files_with_names_like_those_of_programs_are_text(path: str) -> None:
    assert extract("a: b\n", path).media_type in ("text/plain", "text/markdown")


def test_without_grammars_code_is_cut_at_blank_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_code, "lacks_grammars", lambda: True)
    found = source_code.parse_code(PYTHON.encode(), path="leave.py")
    assert {block.type for block in found.blocks} == {"code"}
    assert found.blocks[2].text == "LIMIT = 28"


def test_code_is_cut_in_time_in_step_with_its_length() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    for unit in (b"# c\n", b"# c\ndef f():\n  pass\n", b"class A:\n", b"(", b"x = 'a\n"):
        in_step(
            lambda times, unit=unit: source_code.parse_code(unit * times + b"def f():\n  pass\n", path="a.py"),  # type: ignore[misc]  # bound at once
            2_000,
            8_000,
            most=8,
        )


def test_a_function_is_a_chunk_that_names_its_class() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    body = "".join(f"        self.total_{n} = count({n})\n" for n in range(40))
    code = f"class Desk:\n    def ask(self):\n{body}\n    def answer(self):\n{body}"
    pieces = make_chunker("structure", tokenizer=Characters(), reads=512).cut(extract(code, "desk.py"))
    paths = [piece.heading_path for piece in pieces]
    assert ("class Desk", "def ask(self)") in paths
    assert ("class Desk", "def answer(self)") in paths


# --- archives and others ------------------------------------------------------------------------


def test_a_notebook_is_its_cells_in_order_with_what_they_printed() -> None:
    printed = {"output_type": "stream", "text": ["\x1b[31m28\x1b[0m\n"]}
    picture = {"output_type": "display_data", "data": {"image/png": "AAAA"}}
    failed = {"output_type": "error", "ename": "KeyError", "evalue": "'Dana'"}
    found = extract(
        make_notebook(
            ("markdown", "# Leave\n\nEverybody *asks*.", []),
            ("code", "print(28)\n", [printed, picture, failed]),
            kernelspec={"language": "python"},
        ),
        "a.ipynb",
    )
    assert blocks(found) == [
        ("heading", 1, "Leave"),
        ("paragraph", 0, "Everybody asks."),
        ("code", 0, "print(28)"),
        ("code", 0, "28"),
        ("code", 0, "KeyError: 'Dana'"),
    ]
    assert found.blocks[2].language == "python"


@pytest.mark.parametrize(
    ("data", "says"),
    [(b'{"cells": [', "not a readable notebook"), (b"[1]", "not a notebook"), (b'{"a": 1}', "no list of cells")],
)
def test_a_broken_notebook_is_refused_in_a_sentence(data: bytes, says: str) -> None:
    error = refusal(data, "a.ipynb")
    assert error.reason == "broken"
    assert says in str(error)
    assert "save it again in Jupyter" in str(error)


def test_a_book_is_its_chapters_in_reading_order() -> None:
    found = extract(make_epub("<h1>Spring</h1><p>Trees bloom.</p>", "<h1>Autumn</h1><p>Apples fall.</p>"), "a.epub")
    assert blocks(found) == [
        ("heading", 1, "Spring"),
        ("paragraph", 0, "Trees bloom."),
        ("heading", 1, "Autumn"),
        ("paragraph", 0, "Apples fall."),
    ]
    assert (found.title, found.meta["author"], found.meta["language"]) == ("The Orchard", "Dana", "en")
    error = refusal(make_archive({"mimetype": "application/epub+zip", "a.txt": "x"}), "a.epub")
    assert (error.reason, "list of contents" in str(error)) == ("broken", True)


def test_an_opendocument_text_has_headings_lists_tables_and_notes() -> None:
    body = (
        '<text:h text:outline-level="2">Leave</text:h>'
        "<text:p>Everybody<text:s/>has 28 days<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>By law.</text:p></text:note-body></text:note>.</text:p>"
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        "<text:list><text:list-item><text:p>Ask</text:p><text:list><text:list-item><text:p>In time</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        '<table:table><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2">'
        "<text:p>Name</text:p></table:table-cell></table:table-row></table:table-header-rows>"
        "<table:table-row><table:table-cell><text:p>Dana</text:p></table:table-cell><table:table-cell>"
        "<text:p>28</text:p></table:table-cell></table:table-row></table:table>"
    )
    found = extract(make_odt(body), "a.odt")
    assert blocks(found)[:5] == [
        ("heading", 2, "Leave"),
        ("paragraph", 0, "Everybody has 28 days."),
        ("paragraph", 0, "By law."),
        ("list", 1, "- Ask"),
        ("list", 2, "- In time"),
    ]
    table = found.blocks[5]
    assert [(cell.text, cell.row, cell.col, cell.colspan, cell.header) for cell in table.cells] == [
        ("Name", 0, 0, 2, True),
        ("Dana", 1, 0, 1, False),
        ("28", 1, 1, 1, False),
    ]
    assert "deleted" not in found.record


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "<text:p>Pay <text:span>within </text:span><text:span><text:s/>28</text:span> days</text:p>",
            ["Pay within 28 days"],
        ),
        (
            "<text:p>A<draw:custom-shape><text:p>In a box</text:p></draw:custom-shape></text:p>"
            "<draw:g><draw:rect><text:p>On the page</text:p></draw:rect></draw:g>",
            ["A", "In a box", "On the page"],
        ),
        (
            "<text:p>A<draw:frame><draw:text-box><text:p>B<draw:frame><draw:text-box><text:p>C</text:p></draw:text-box>"
            "</draw:frame></text:p></draw:text-box></draw:frame></text:p>",
            ["A", "B", "C"],
        ),
        (
            '<text:list text:style-name="L"><text:list-item><text:h text:outline-level="1">Scope</text:h>'
            '</text:list-item></text:list><text:list text:style-name="L" text:continue-numbering="true">'
            "<text:list-item><text:p>Who</text:p>"
            "<text:p>and when</text:p><text:list><text:list-item><text:p>All</text:p></text:list-item></text:list>"
            "</text:list-item></text:list>"
            '<text:list text:style-name="L"><text:list-header><text:p>Top</text:p></text:list-header>'
            '<text:list-item text:start-value="7"><text:p>Late</text:p></text:list-item></text:list>',
            ["(1) Scope", "(2) Who", "and when", "2.a All", "- Top", "(7) Late"],
        ),
    ],
    ids=["spans", "shapes", "nested frames", "numbers"],
)
def test_words_and_numbers_of_an_opendocument_text_are_as_it_shows_them(body: str, expected: list[str]) -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-prefix="(" style:num-suffix=")"/><text:list-level-style-number text:level="2" style:num-format="a" '
        'text:display-levels="2"/></text:list-style>'
    )
    assert [block.text for block in extract(make_odt(styles + body), "a.odt").blocks] == expected


def test_a_number_of_thousands_of_digits_is_a_large_one() -> None:
    found = extract(make_odt(f'<text:h text:outline-level="{"9" * 5000}">Leave</text:h>'), "a.odt")
    assert blocks(found) == [("heading", 6, "Leave")]


def test_rtf_is_its_paragraphs() -> None:
    data = rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Everybody has \b 28\b0  days.\par Gr\'fc\'dfe, \u8364? 5.\par}"
    said = ["Everybody has 28 days.", "Grüße, € 5."]
    assert blocks(extract(data, "a.rtf")) == [("paragraph", 0, text) for text in said]
    assert refusal(rb"{\rtf1 }", "a.rtf").reason == "empty"


def test_headings_of_rtf_are_paragraphs_with_a_level_of_the_outline() -> None:
    styles = rb"{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2 Normal;}}"
    picture = rb"\pard{\pict\pngblip\bin 89504e47}\outlinelevel9 Kept.\par"
    body = rb"\pard\s1\outlinelevel0\b Roofs\par\pard\s2 Of clay.\par\pard\outlinelevel1{\f0 Tiles}\par"
    found = extract(rb"{\rtf1\ansi" + styles + body + picture + b"}", "a.rtf")
    expected = [
        ("heading", 1, "Roofs"),
        ("paragraph", 0, "Of clay."),
        ("heading", 2, "Tiles"),
        ("paragraph", 0, "Kept."),
    ]
    assert blocks(found) == expected
    assert found.title == "Roofs"


RTF_TEXTS: list[tuple[str, list[str]]] = [
    (r"Pay{\footnote\pard\plain {\super\chftn} By law.} now.\par Then go.", ["Pay now.", "By law.", "Then go."]),
    (
        r"A{\shp{\*\shpinst\shptop0{\sp{\sn x}{\sv 1}}{\shptxt In a box{\footnote Small}\par}}{\shprslt no}}\par B",
        ["A", "In a box", "Small", "B"],
    ),
    (
        r"{\object\objemb{\*\objdata 00}{\result 28 days}}\par{\pntext 1.\tab}{\*\pn\pnlvlbody}Dana",
        ["28 days", "1. Dana"],
    ),
    (r"Done \u55357?\u56832? or \u-10179?\u-8704? half \u55357?", ["Done 😀 or 😀 half �"]),
    (r"Seen {\v not} here, \v nor\v0  there, \v or\plain  now. \\v", ["Seen here, there, now. \\v"]),
    (r"Seen {\v1 not} here, \v nor\v0  there, \v-1 or\plain  now. \v1", ["Seen here, there, now."]),
    (
        r"\trowd\cellx1\intbl Name\par First\cell Days\cell\trowd\row\trowd Dana\cell a | b\cell\row Below|x|",
        ["| Name First | Days |", "| Dana | a | b |", "Below|x|"],
    ),
    (
        r"\trowd\pard Not a row\par and {\*\nesttableprops\trowd\nestrow}open\cell left",
        ["Not a row", "and open", "left"],
    ),
]


@pytest.mark.parametrize(
    ("text", "lines"), RTF_TEXTS, ids=["note", "box", "object", "emoji", "hidden", "numbered", "cells", "open row"]
)
def test_rtf_is_read_whole_in_the_order_of_its_page(text: str, lines: list[str]) -> None:
    found = extract(rb"{\rtf1\ansi " + text.encode() + b"}", "a.rtf")
    assert [line.strip() for block in found.blocks for line in block.text.split("\n")] == lines
    assert found.warnings == (("8 characters of hidden text were left out",) if "\\v " in text else ())


def test_properties_of_rtf_are_metadata_and_its_level_closes_it() -> None:
    info = (
        r"{\info{\title Gr\'fc\'dfe}{\author Dana}{\doccomm Plan}}{\*\userprops {\propname Confidentiality}\proptype30"
    )
    found = extract((r"{\rtf1\ansi" + info + r"{\staticval Restricted}}Text}").encode(), "a.rtf")
    assert (found.title, found.meta["author"], found.meta["description"]) == ("Grüße", "Dana", "Plan")
    assert found.meta["confidentiality"] == "restricted"
    assert extract(rb"{\rtf1{\info{\title Document1}}Text}", "a.rtf").title is None


def test_an_outlook_message_is_a_mail() -> None:
    data = (Path(__file__).parent / "mail" / "outlook.msg").read_bytes()
    found = extract(data, "any name")
    assert found.media_type == "application/vnd.ms-outlook"
    assert found.title == "Test Email Message"
    assert "This is the body of the test email message" in found.record
    assert found.meta["to"] == ["someone.somewhere@a.example"]
    assert refusal(data[:4096], "a.msg").reason in ("broken", "unsupported")


def test_text_in_an_old_encoding_is_read_with_a_warning_that_names_it() -> None:
    for path in ("a.md", "a.txt", "a.rst", "a.py"):
        found = extract("# Größe der Bestellungen für Köln\n".encode("cp1252"), path)
        assert "Größe der Bestellungen für Köln" in found.record
        assert any("read as Windows-1252" in warning for warning in found.warnings)
    assert "Größe" in extract("Größe der Dinge".encode("utf-16-le"), "a.txt").record


@pytest.mark.parametrize("name", ["README", "LICENSE", "notes.unknown", "settings.toml", "server.log"])
def test_any_other_text_is_read_as_text(name: str) -> None:
    assert extract("key: value\n", name).media_type == "text/plain"


def test_a_file_of_before_2007_is_refused_with_what_to_do() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert (refusal(old, "a.doc").reason, "save it as DOCX" in str(refusal(old, "a.doc"))) == ("unsupported", True)


@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.txt"])
def test_a_table_of_contents_in_lines_of_a_paragraph_is_none_of_the_text(path: str) -> None:
    entries = "\n".join(f"Chapter {n} on okapis {'.' * 20} {n * 3}" for n in range(1, 26))
    found = extract(f"{entries}\n\nThe okapi eats leaves ... and 3 apples.\n", path)
    assert [block.role for block in found.blocks] == ["toc", "body"]


def test_headings_of_rst_read_without_the_marks_of_roles() -> None:
    found = extract(
        b":mod:`argparse` --- *Parser* for ``sys.argv``\n=============================\n\nText.\n", path="a.rst"
    )
    assert found.title == "argparse --- Parser for sys.argv"
    assert found.blocks[0].text == found.title


def test_captions_and_conditional_parts_of_rst_are_text_and_its_tested_code_is_code() -> None:
    text = (
        ".. figure:: plan.png\n   :alt: plan\n\n   The plan of the house.\n\n"
        ".. only:: html\n\n   .. contents::\n\n   Shown on the web.\n\n"
        ".. testcode::\n\n   import a\n\n   a.run()\n"
    )
    assert [(block.type, block.text.strip()) for block in extract(text.encode(), path="a.rst").blocks] == [
        ("paragraph", "The plan of the house."),
        ("paragraph", "Shown on the web."),
        ("code", "import a\n\n   a.run()"),
    ]
