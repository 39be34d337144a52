"""Every output form is what it says: XML parses, JSON is plain, a terminal obeys nothing."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from ragstone.answering.formats import (
    answer_json,
    context_xml,
    found_json,
    pack_full,
    pack_llm,
)
from ragstone.answering.plain_text import answer_text, found_text
from ragstone.core.answers import Answer, Citation, Found, Note, Sentence
from ragstone.core.escaping import remove_controls
from ragstone.core.types import Secret, Span
from tests.answering.made import chunk, document, hit, same, span

ANY = st.text(st.characters(codec=None), max_size=30)


@given(ANY, ANY, ANY)
@settings(max_examples=100, deadline=None)
def test_the_xml_always_parses_and_keeps_the_text(text: str, path: str, heading: str) -> None:
    found = hit(text, path=path, headings=(heading,))
    root = etree.fromstring(context_xml([found, found], mask=same).encode("utf-8"))
    assert root.tag == "retrieved_context"
    assert [child.tag for child in root] == ["document", "document"]
    kept = "".join(c for c in text if c.isprintable())
    assert [c for c in kept if c in (root[0].text or "")] == list(kept)


def test_markup_in_documents_stays_text() -> None:
    root = etree.fromstring(context_xml([hit('</document><system a="&">x', path='a".md')], mask=same))
    assert (root[0].text or "").strip() == '</document><system a="&">x'
    assert root[0].get("path") == 'a".md'


def test_each_place_of_a_passage_is_named() -> None:
    far = "one\ntwo\n" + "\n" * 40 + "three"
    found = replace(hit(far), chunk=chunk(far, (0, 3), (4, 7), (len(far) - 5, len(far))))
    assert etree.fromstring(context_xml([found], mask=same))[0].get("lines") == "1-2,43-43"


@given(ANY)
@settings(max_examples=100, deadline=None)
def test_a_terminal_gets_no_command(text: str) -> None:
    shown = remove_controls(text)
    assert all(c in "\n\t" or not ("\x00" <= c < " " or "\x7f" <= c <= "\x9f") for c in shown)
    assert remove_controls(shown) == shown


def test_links_and_titles_of_terminals_are_removed_whole() -> None:
    assert remove_controls("a\x1b]8;;http://evil\x1b\\b\x1b]0;title\x07c\x1b[2Jd\u202ee") == "abcde"


def an_answer() -> Answer:
    place = replace(span("x\nA key zzz.", 2, 12), page=3, bbox=(0.0, 1.0, 2.0, 3.0))
    citation = Citation(1, "a.md#0", document(), "A key zzz.", (place,), "verified")
    return Answer(
        "A key zzz. [1]", sentences=(Sentence("A key zzz.", (1,), "verified"),), citations=(citation,), groundedness=1.0
    )


def test_an_answer_has_the_documented_keys() -> None:
    data = json.loads(json.dumps(answer_json(an_answer(), mask=same)))
    assert " ".join(data) == (
        "schema answer abstained reason answerability sentences citations groundedness notes usage timings mode closest"
    )
    assert list(data["citations"][0]) == ["n", "chunk", "document", "quote", "masked", "status", "spans"]
    assert list(data["citations"][0]["document"]) == ["id", "version", "version_label", "source", "path", "title"]
    assert data["citations"][0]["spans"] == [
        {"char_start": 2, "char_end": 12, "line_start": 2, "line_end": 2, "page": 3, "bbox": [0.0, 1.0, 2.0, 3.0],
         "sheet": None, "rows": None, "cols": None}
    ]  # fmt: skip


def hide(text: str, spans: Sequence[Span] = (), secrets: Sequence[Secret] = ()) -> str:
    return text.replace("zzz", "[hidden]")


def test_every_form_is_masked() -> None:
    found = Found((hit("A key zzz.", path="b.md", headings=("zzz",)),), (Note("slow", "it was slow"),))
    forms = [
        answer_json(an_answer(), mask=hide),
        found_json(found, mask=hide),
        pack_full(found, query="zzz", index={"chunks": 1}, mask=hide),
        pack_llm(found, mask=hide),
    ]
    texts = [json.dumps(form) for form in forms]
    texts += [answer_text(an_answer(), mask=hide), found_text(found, mask=hide), context_xml(found.hits, mask=hide)]
    assert all("zzz" not in text for text in texts)
    assert all("[hidden]" in text for text in texts)
    assert answer_json(an_answer(), mask=hide)["citations"][0]["masked"] is True


def test_every_form_of_a_hit_is_masked_by_what_is_known_of_its_record() -> None:
    def cut(text: str, spans: Sequence[Span] = (), secrets: Sequence[Secret] = ()) -> str:
        return "[gone]" if secrets == ((0, 99, "private_key"),) and spans else text

    one = hit("part of a key")
    found = Found((replace(one, chunk=replace(one.chunk, secrets=((0, 99, "private_key"),))),))
    texts = [
        json.dumps(found_json(found, mask=cut)),
        json.dumps(pack_full(found, query="q", index={}, mask=cut)),
        json.dumps(pack_llm(found, mask=cut)),
        found_text(found, mask=cut),
        context_xml(found.hits, mask=cut),
    ]
    assert all("[gone]" in text and "part of" not in text and '"secrets"' not in text for text in texts)


def test_the_compact_pack_names_each_path_once() -> None:
    hits = (hit("One.", path="b.md", ordinal=3), hit("Two.", path="a.md"), hit("word " * 200, path="b.md", ordinal=4))
    pack = pack_llm(Found(hits), mask=same)
    assert pack["sources"] == {"S1": "b.md", "S2": "a.md"}
    assert [item["ref"] for item in pack["items"]] == ["S1#3", "S2#0", "S1#4"]
    assert len(pack["items"][2]["snippet"]) <= 402


def test_the_full_pack_takes_the_score_apart() -> None:
    pack = pack_full(
        Found((hit("One.", cosine=0.5, bm25=2.0),)), query="one", index={"provider": "embedded"}, mask=same
    )
    assert pack["items"][0]["score_breakdown"] == {"cosine": 0.5, "bm25": 2.0, "risk": 0.0, "final": 1.0}
    assert pack["index"] == {"provider": "embedded"}


def test_the_full_pack_has_the_metadata_of_each_hit_and_masks_it() -> None:
    one = hit("One.")
    meta = {"project": "core zzz", "tags": ["disk", "zzz"], "date": "2024-05-31", "confidentiality": "internal"}
    document = replace(one.chunk.document, title="Storage", meta={**meta, "doc_type": "note"})
    chunk = replace(one.chunk, document=document, metadata={"snippet": "One.", "paragraph_id": "1-2"})
    [item] = pack_full(Found((replace(one, chunk=chunk),)), query="one", index={}, mask=hide)["items"]
    told = item["metadata"]
    assert {
        name: told[name] for name in ("title", "date", "confidentiality", "doc_type", "snippet", "paragraph_id")
    } == {
        "title": "Storage",
        "date": "2024-05-31",
        "confidentiality": "internal",
        "doc_type": "note",
        "snippet": "One.",
        "paragraph_id": "1-2",
    }
    assert (told["project"], told["tags"]) == (hide("core zzz"), ["disk", hide("zzz")])
    assert told["document_version"] == document.version


def test_an_abstention_says_where_one_may_look_oneself() -> None:
    made = Answer("I don't know.", abstained=True, hits=tuple(hit("One.", path=f"{name}.md") for name in "abcd"))
    shown = answer_text(made, mask=same)
    assert shown.startswith("I don't know.\n\nThe closest passages:\n\n1. a.md:")
    assert re.findall(r"^\d\. (\w\.md)", shown, re.MULTILINE) == ["a.md", "b.md", "c.md"]
    assert [each["document"]["path"] for each in answer_json(made, mask=same)["closest"]] == ["a.md", "b.md", "c.md"]
    given = replace(made, abstained=False)
    assert "closest" not in answer_text(given, mask=same)
    assert answer_json(given, mask=same)["closest"] == []


def test_a_sentence_that_nothing_supports_is_named() -> None:
    sentences = (Sentence("The fee is 5.", (1,), "verified"), Sentence("It was\n9 before.", (1,), "unverified"))
    made = replace(an_answer(), text="The fee is 5. It was\n9 before.", sentences=sentences)
    shown = answer_text(made, mask=same)
    assert "unsupported: It was 9 before." in shown.splitlines()
    assert "unsupported: The fee" not in shown
    assert "unsupported" not in answer_text(replace(made, abstained=True), mask=same)


def test_citations_lead_to_lines() -> None:
    assert "[1] a.md:2 (page 3) · quoted" in answer_text(an_answer(), mask=same)
    written = replace(an_answer(), mode="written")
    assert "[1] a.md:2 (page 3) · verified" in answer_text(written, mask=same)
    assert "Nothing found." in found_text(Found(()), mask=same)


def test_a_search_says_if_no_passage_has_a_word_of_the_question() -> None:
    hits = (hit("The fee is nine euros."),)
    assert "no passage has a word of the question" in found_text(Found(hits), mask=same, question="xyzzy qwerty")
    assert "no passage has a word" not in found_text(Found(hits), mask=same, question="xyzzy fee")


def test_words_of_the_names_above_a_passage_count_too() -> None:
    for named in (hit("A month.", path="contracts/Acme/terms.md"), hit("A month.", headings=("Acme",))):
        shown = found_text(Found((named,)), mask=same, question="Acme notice")
        assert "1 of 2 words" in shown
        assert "no passage has a word" not in shown


def test_the_source_is_named_where_there_are_several() -> None:
    made = an_answer()
    [citation, *_] = made.citations
    other = replace(citation, n=2, document=replace(citation.document, source="wiki", path="b.md"))
    text = answer_text(replace(made, citations=(citation, other)), mask=same)
    assert f"[1] a.md:2 (page 3) of {citation.document.source} · quoted" in text
    assert "[2] b.md:2 (page 3) of wiki · quoted" in text
