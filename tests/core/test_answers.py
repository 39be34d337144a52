"""Results as people meet them in a session or a notebook."""

from dataclasses import replace

from ragstone.core.answers import Answer, Found
from ragstone.core.types import Span
from tests.answering.made import hit


def test_a_result_has_a_length_iterates_and_is_true_without_hits() -> None:
    hits = tuple(hit(f"Text {i}.", path=f"{i}.md") for i in range(5))
    found = Found(hits)
    assert (len(found), list(found), found[0], found[3:]) == (5, list(hits), hits[0], hits[3:])
    assert bool(Found(()))


def test_results_print_on_a_line() -> None:
    found = Found(tuple(hit("word " * 500, path=f"{i}.md") for i in range(5)))
    assert repr(found).startswith("<Found 5 hits: 0.md:")
    assert repr(found).endswith("…>")
    assert len(repr(found)) < 120
    answer = Answer("word " * 500)
    assert repr(answer).startswith("<Answer quoted, 0 citations: 'word")
    assert len(repr(answer)) < 150
    assert str(answer) == answer.text
    assert repr(Answer("No.", abstained=True, reason="no_hits")) == "<Answer abstained, no_hits: 'No.'>"


def test_notebooks_show_escaped_tables_without_secrets() -> None:
    one = hit("<script>alert(1)</script>", path="a<b>.md", cosine=0.5)
    shown = Found((one,))._repr_html_()
    assert "<script>" not in shown
    assert "a&lt;b&gt;.md" in shown
    assert "0.50" in shown
    closed = replace(one, chunk=replace(one.chunk, text="password: hunter2", secrets=((10, 17, "password"),)))
    assert "hunter2" not in Found((closed,))._repr_html_()
    assert "&lt;b&gt;" in Answer("<b>")._repr_html_()
    apart = replace(one, chunk=replace(one.chunk, spans=(Span(0, 5, 3, 4), Span(5, 9, 5, 5), Span(50, 60, 20, 22))))
    assert ".md:3-5,20-22" in repr(Found((apart,)))
