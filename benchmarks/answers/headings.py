"""Whether `ask` without a language model answers "How do I …?" by more than the heading that the words come from.

    for p in exim4-doc-html apache2-doc gnucash-docs; do apt-get download $p; dpkg -x ${p}_*.deb BOOKS/$p; done
    python benchmarks/answers/headings.py FOLDER STORE

FOLDER holds pages of a manual; STORE keeps what was ingested. Headings that begin with a verb ("3. Using it on a
server") are asked for as people would ("How do I use it on a server?"), at most 70 at equal distances, each that only
one page has. Printed: asked, answered, from the right page, and answers that say nothing but their question.
"""

import argparse
import json
import re
from pathlib import Path

import ragstone
from ragstone.core.analyzer import extract_terms
from ragstone.extraction import extract

MOST = 70  # questions
VERBS = (
    "add allow apply assign build call change check choose compile configure control convert copy create customize "
    "debug define delete disable display edit enable enter export find fix format get handle import include install "
    "invoke limit link load log make manage modify move open override parse prepare prevent print process protect "
    "quote read record redirect remove rename replace report reset resolve restore return run save search select send "
    "set share show sign specify start stop submit test track translate troubleshoot update upgrade use verify write"
).split()
ENDINGS = {
    form: verb for verb in VERBS for form in (f"{verb}ing", f"{verb.removesuffix('e')}ing", f"{verb}{verb[-1]}ing")
}
NUMBER = re.compile(r"^[A-Z]?[\d.]+\s+")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
MARKER = re.compile(r"\[\d+\]")


def main() -> None:
    """Ask and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("store")
    args = parser.parse_args()
    questions = collect_questions(args.folder)
    counts = dict.fromkeys(("asked", "answered", "right page", "nothing but the question"), 0)
    with ragstone.open(args.store, embed={"precision": "int8"}) as kb:
        kb.ingest(args.folder)
        for question, page in questions[:: max(1, len(questions) // MOST)][:MOST]:
            counts["asked"] += 1
            answer = kb.ask(question)
            if answer.abstained:
                continue
            counts["answered"] += 1
            counts["right page"] += answer.citations[0].document.path == page
            said = set(extract_terms(MARKER.sub("", answer.text)))
            counts["nothing but the question"] += said <= set(extract_terms(question))
    print(json.dumps(counts))


def collect_questions(folder: Path) -> list[tuple[str, str]]:
    """Each question with the path of the only page that has its heading."""
    pages: dict[str, set[str]] = {}
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = path.relative_to(folder).as_posix()
        for heading in HEADING.findall(extract(path.read_bytes(), path=name).record):
            if question := write_question(heading):
                pages.setdefault(question, set()).add(name)
    return [(question, found.pop()) for question, found in sorted(pages.items()) if len(found) == 1]


def write_question(heading: str) -> str | None:
    """The question that a heading answers; None where it begins with no verb."""
    words = NUMBER.sub("", heading).strip(" .:#").split()
    verb = ENDINGS.get(words[0].lower(), words[0].lower()) if words else ""
    if verb not in VERBS or not 2 <= len(words) <= 9 or words[1].lower() == "of":
        return None
    return f"How do I {verb} {' '.join(words[1:])}?"


if __name__ == "__main__":
    main()
