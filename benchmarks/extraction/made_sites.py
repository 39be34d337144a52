"""Make pages with a known text: `made_texts.py` through programs and themes that make web sites.

    python benchmarks/extraction/made_sites.py OUT [--python VENV/bin/python…] [--node FOLDER…]

Each program is used where it is found: MkDocs, Sphinx, Pelican and Nikola (with all themes) in each environment whose
interpreter is given; Hexo (with its themes), VitePress, HonKit and Docusaurus in each folder with `node_modules`;
Jekyll, MHonArc, ikiwiki and Doxygen as commands. OUT has a folder for each site, and
`truth.json` with the text of each page.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import made_node
from lxml import html
from made_texts import TEXTS, Text, to_mail, to_markdown, to_rest

WORD = re.compile(r"\w+")
LIST_THEMES = """
import importlib.metadata as m, sys
print("\\n".join(sorted({e.name for e in m.entry_points(group=sys.argv[1])})))
"""
SPHINX = "alabaster classic sphinxdoc scrolls agogo traditional nature haiku pyramid bizstyle basic nonav".split()
SPHINX_CONF = "project = 'Handbook'\nauthor = 'Ann'\nhtml_theme = {theme!r}\nextensions = {extensions!r}\n"
NIKOLA = ("base", "base-jinja", "bootblog4", "bootblog4-jinja", "bootstrap4", "bootstrap4-jinja")
DAY = "2024-01-{:02d} 10:00"


def run(folder: Path, *words: str, given: str | None = None) -> bool:
    """Run a program without a sound; whether it did its work."""
    settings = os.environ | {"CI": "1", "LC_ALL": "C.UTF-8", "NODE_OPTIONS": "--max-old-space-size=2000"}
    try:
        done = subprocess.run(
            words, cwd=folder, env=settings, input=given, text=True, capture_output=True, timeout=400, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def list_themes(python: str, group: str) -> list[str]:
    done = subprocess.run((python, "-c", LIST_THEMES, group), text=True, capture_output=True, check=False)
    return done.stdout.split()


def find_page(built: Path, name: str) -> Path | None:
    """The page of a text: `name.html` or `…name/index.html`, the one with the shortest path."""
    found = [path for path in built.rglob(f"*{name}.html") if path.is_file()]
    found += [path for path in built.rglob("index.html") if path.parent.name.endswith(name)]
    return min(found, key=lambda path: (len(path.parts), len(str(path))), default=None)


class Made:
    """What is made: keeps pages and their truth."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.truth: dict[str, str] = {}

    def keep(self, site: str, text: Text, page: Path | None) -> None:
        """Keep a page if the text is in it: some themes leave it to a script."""
        data = page.read_bytes() if page is not None else b""
        if data and _holds(data, text):
            folder = self.out / site
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{text.name}.html").write_bytes(data)
            self.truth[f"{site}/{text.name}.html"] = text.truth()

    def keep_built(self, site: str, built: Path) -> None:
        for text in TEXTS:
            self.keep(site, text, find_page(built, text.name))
        print(f"{sum(key.startswith(site + '/') for key in self.truth)} pages: {site}", flush=True)


def _holds(data: bytes, text: Text) -> bool:
    page = html.fromstring(data, parser=html.HTMLParser(encoding="utf-8"))
    for hidden in page.xpath("//script | //style"):
        hidden.drop_tree()
    return "".join(WORD.findall(text.truth().split("\n")[0])) in "".join(WORD.findall(page.text_content()))


def make_mkdocs(made: Made, python: str, folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# Handbook\n\nAll pages.\n")
    for text in TEXTS:
        (folder / f"docs/{text.name}.md").write_text(to_markdown(text, f"# {text.title}"))
    for theme in list_themes(python, "mkdocs.themes"):
        (folder / "mkdocs.yml").write_text(f"site_name: Handbook\nsite_url: https://example.org\ntheme: {theme}\n")
        if run(folder, python, "-m", "mkdocs", "build", "-q", "-c", "-d", f"built-{theme}"):
            made.keep_built(f"mkdocs-{theme}", folder / f"built-{theme}")


def make_sphinx(made: Made, python: str, folder: Path) -> None:
    names = "\n   ".join(text.name for text in TEXTS)
    (folder / "index.rst").write_text(f"Handbook\n========\n\n.. toctree::\n\n   {names}\n")
    for text in TEXTS:
        (folder / f"{text.name}.rst").write_text(to_rest(text))
    for theme in [*SPHINX, *list_themes(python, "sphinx.html_themes")]:
        (folder / "conf.py").write_text(SPHINX_CONF.format(theme=theme, extensions=[]))
        built = folder / f"_built-{theme}"
        if run(folder, python, "-m", "sphinx", "-q", "-E", "-b", "html", ".", built.name):
            made.keep_built(f"sphinx-{theme}", built)
        shutil.rmtree(built, ignore_errors=True)


def make_pelican(made: Made, python: str, folder: Path) -> None:
    (folder / "content").mkdir()
    for n, text in enumerate(TEXTS, 1):
        head = f"Title: {text.title}\nDate: {DAY.format(n)}\nCategory: Notes\nTags: one, two\nSlug: {text.name}\n"
        (folder / f"content/{text.name}.md").write_text(to_markdown(text, head))
    (folder / "conf.py").write_text(
        "SITENAME = 'Handbook'\nAUTHOR = 'Ann'\nTIMEZONE = 'UTC'\nDEFAULT_LANG = 'en'\nPATH = 'content'\n"
        "LINKS = (('Pelican', 'https://getpelican.com/'),)\nSOCIAL = (('Mail', 'mailto:a@example.org'),)\n"
        "MARKDOWN = {'extension_configs': {'markdown.extensions.extra': {}}}\n"
    )
    themes = subprocess.run(
        (python, "-c", "import pelican.themes as t; print(*t.__path__)"), text=True, capture_output=True, check=False
    ).stdout.split()
    for theme in sorted(path for place in themes for path in Path(place).iterdir() if (path / "templates").is_dir()):
        if run(folder, python, "-m", "pelican", "-q", "-s", "conf.py", "-t", str(theme), "-o", f"built-{theme.name}"):
            made.keep_built(f"pelican-{theme.name}", folder / f"built-{theme.name}")


def make_nikola(made: Made, python: str, folder: Path) -> None:
    if not run(folder, python, "-m", "nikola", "init", "-q", "site"):
        return
    site = folder / "site"
    for n, text in enumerate(TEXTS, 1):
        head = f".. title: {text.title}\n.. slug: {text.name}\n.. date: {DAY.format(n)}:00 UTC\n.. tags: one,two"
        (site / f"posts/{text.name}.md").write_text(to_markdown(text, f"<!--\n{head}\n-->"))
    conf = (site / "conf.py").read_text()
    for theme in NIKOLA:
        (site / "conf.py").write_text(f"{conf}\nTHEME = {theme!r}\nOUTPUT_FOLDER = 'built-{theme}'\n")
        run(site, python, "-m", "nikola", "build", "-a")
        made.keep_built(f"nikola-{theme}", site / f"built-{theme}")


def make_jekyll(made: Made, folder: Path) -> None:
    (folder / "_posts").mkdir()
    (folder / "_config.yml").write_text("title: Handbook\ntheme: minima\nplugins: []\n")
    for n, text in enumerate(TEXTS, 1):
        head = f'---\nlayout: post\ntitle: "{text.title}"\nauthor: Ann\n---'
        (folder / f"_posts/2024-01-{n:02d}-{text.name}.md").write_text(to_markdown(text, head))
    if run(folder, "jekyll", "build", "-q"):
        made.keep_built("jekyll-minima", folder / "_site")


def make_mhonarc(made: Made, folder: Path) -> None:
    (folder / "built").mkdir()
    (folder / "box").write_text("".join(to_mail(text, n) for n, text in enumerate(TEXTS)))
    if run(folder, "mhonarc", "-quiet", "-outdir", "built", "box"):
        for n, text in enumerate(TEXTS):
            page = folder / f"built/msg{n:05d}.html"
            made.keep("mhonarc", text, page if page.is_file() else None)


def make_ikiwiki(made: Made, folder: Path) -> None:
    (folder / "source").mkdir()
    for text in TEXTS:
        (folder / f"source/{text.name}.mdwn").write_text(to_markdown(text, f'[[!meta title="{text.title}"]]'))
    for theme in ("", "actiontabs", "blueview", "goldtype"):
        more = ("--plugin", "theme", "--set", f"theme={theme}") if theme else ()
        built = f"built-{theme}"
        if run(folder, "ikiwiki", "--rebuild", "--url", "https://example.org", *more, "source", built):
            made.keep_built(f"ikiwiki-{theme or 'plain'}", folder / built)


def make_doxygen(made: Made, folder: Path) -> None:
    for text in TEXTS:
        (folder / f"{text.name}.md").write_text(to_markdown(text, f"# {text.title} {{#{text.name}}}"))
    for tree in ("NO", "YES"):
        (folder / "Doxyfile").write_text(
            f"PROJECT_NAME = Handbook\nINPUT = .\nFILE_PATTERNS = *.md\nGENERATE_LATEX = NO\nQUIET = YES\n"
            f"HTML_OUTPUT = built-{tree}\nGENERATE_TREEVIEW = {tree}\n"
        )
        if run(folder, "doxygen"):
            made.keep_built(f"doxygen-tree-{tree.lower()}", folder / f"built-{tree}")


def list_makers(given: argparse.Namespace) -> Iterator[tuple[Callable[..., None], str | None]]:
    for python in given.python:
        for maker in (make_mkdocs, make_sphinx, make_pelican, make_nikola):
            yield maker, python
    for folder in given.node:
        for maker in (made_node.make_hexo, made_node.make_vitepress, made_node.make_honkit, made_node.make_docusaurus):
            yield maker, folder
    for single in (make_jekyll, make_mhonarc, make_ikiwiki, make_doxygen):
        yield single, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--python", nargs="*", default=[])
    parser.add_argument("--node", nargs="*", default=[])
    given = parser.parse_args()
    made = Made(given.out.resolve())
    for maker, where in list_makers(given):
        with tempfile.TemporaryDirectory() as folder:
            if where is None:
                maker(made, Path(folder))
            else:
                maker(made, os.path.abspath(where), Path(folder))
    (made.out / "truth.json").write_text(json.dumps(made.truth, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
