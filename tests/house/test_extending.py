"""What a new part costs: each is added to a scratch copy of the package, is used there, and its lines are counted."""

# ruff: noqa: E501  # lines of scratch files stand whole
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import ragstone

SOURCE = Path(ragstone.__file__).parent


@dataclass(frozen=True)
class Addition:
    """The new file, if there is one; lines put behind others in files that exist; a script that uses the part.

    A method of the library is the part itself, so its text in a class that exists counts as the new file does.
    """

    file: tuple[str, str] | None
    lines: tuple[tuple[str, str, str], ...]
    script: str
    method: tuple[str, str, str] | None = None


VENDOR = Addition(
    ("providers/mine.py", '"""Mine."""\n\nfrom ragstone.providers.openai import WireFormat as WireFormat\n'),
    (
        (
            "config/vendors.py",
            "    for vendor in (",
            '        Vendor("mine", "https://mine.example/v1", "MINE_KEY", True, "mine", "mine"),',
        ),
    ),
    "from ragstone.config.vendors import VENDORS\n"
    "from ragstone.providers.mine import WireFormat\n"
    "print(VENDORS['mine'].completes, WireFormat().most > 0)",
)
FILE_TYPE = Addition(
    (
        "extraction/lines.py",
        '"""Lines."""\n\nfrom ragstone.core.types import Block, Extraction, Span\n\n\n'
        "def parse_lines(data: bytes, *, path: str) -> Extraction:\n"
        "    text = data.decode()\n    span = Span(0, len(text), 1, 1)\n"
        '    return Extraction(text, (Block("paragraph", text, (span,)),), "text/x-lines")\n',
    ),
    (
        ("extraction/media_types.py", "BY_NAME = {", '    ".lines": "text/x-lines",'),
        (
            "extraction/__init__.py",
            "        HTML: SandboxedFormat(",
            '        "text/x-lines": SandboxedFormat("lines/1", "ragstone.extraction.lines:parse_lines"),',
        ),
    ),
    "from ragstone.extraction import extract\n"
    "print(extract(b'one', path='a.lines').media_type, extract(b'one', path='a.lines').record)",
)
CHUNKER = Addition(
    (
        "chunking/whole.py",
        '"""Whole."""\n\nfrom dataclasses import dataclass\nfrom ragstone.core.types import Piece, join_slices\n\n\n'
        "@dataclass(frozen=True)\nclass WholeOptions:\n    pass\n\n\nclass WholeChunker:\n"
        "    def __init__(self, options, tokenizer):\n        self.tokenizer = tokenizer\n\n"
        "    recipe = 'whole/1'\n\n    def cut(self, extraction):\n"
        "        spans = tuple(s for b in extraction.blocks for s in b.spans)\n"
        "        return [Piece(0, join_slices(extraction.record, spans), spans, tokens=1)]\n",
    ),
    (
        (
            "chunking/__init__.py",
            "CHUNKERS: dict",
            '    "whole": ChunkerKind("ragstone.chunking.whole", "WholeChunker", "WholeOptions"),',
        ),
    ),
    "from ragstone.chunking import Characters, make_chunker\nprint(make_chunker('whole', tokenizer=Characters(), reads=100).recipe)",
)
STEP = Addition(
    ("retrieval/reverse.py", '"""Reverse."""\n\n\ndef reverse_hits(hits):\n    return hits[::-1]\n'),
    (
        (
            "retrieval/ranking.py",
            "from ragstone.retrieval.question import",
            "from ragstone.retrieval.reverse import reverse_hits",
        ),
        ("retrieval/ranking.py", "    hits = penalise_risk(", "    hits = reverse_hits(hits)"),
    ),
    "from ragstone.retrieval.question import Question\n"
    "from ragstone.retrieval.ranking import apply_options\nprint(apply_options([], Question('x')))",
)
OPTION = Addition(
    None,
    (
        (
            "config/search_options.py",
            "class SearchOptions(RankingOptions):",
            '    reverse: Annotated[bool, Option("Show the worst first.")] = False',
        ),
    ),
    "import ragstone, inspect\nfrom ragstone.retrieval.question import Question\n"
    "from ragstone.cli.search import search\n"
    "print(Question('x', reverse=True).reverse, 'reverse' in inspect.signature(search).parameters,\n"
    "      'reverse' in inspect.signature(ragstone.Knowledge.search).parameters)",
)
COMMAND = Addition(
    (
        "cli/version.py",
        '"""Version."""\n\nfrom ragstone.cli.shared_options import SharedOptions, add_shared_options, print_text\n\n\n'
        '@add_shared_options\ndef version(options: SharedOptions) -> int:\n    """Print the version."""\n'
        '    print_text("1")\n    return 0\n',
    ),
    (("cli/app.py", '        "copy",', '        "version",'),),
    "import sys\nsys.argv = ['ragstone', 'version']\nfrom ragstone.cli import main\nmain()",
)
COUNT = '    @verb(Permission.SEARCH)\n    async def count(self) -> int:\n        """Count."""\n        return 1'
VERB = Addition(
    None,
    (("engine/blocking.py", "    ingest = blocking(", "    count = blocking(Engine.count)"),),
    "import ragstone\nwith ragstone.open('store', embed__model='none') as kb:\n    print(kb.count())",
    ("engine/verbs/documents.py", "class DocumentVerbs(", COUNT),
)
VERB_AND_COMMAND = Addition(
    (
        "cli/count.py",
        '"""Count."""\n\nimport ragstone\nfrom ragstone.cli.shared_options import SharedOptions, add_shared_options, print_text\n\n\n'
        '@add_shared_options\ndef count(options: SharedOptions) -> int:\n    """Count."""\n'
        '    with ragstone.open("store", embed__model="none") as kb:\n        print_text(str(kb.count()))\n    return 0\n',
    ),
    (*VERB.lines, ("cli/app.py", '        "copy",', '        "count",')),
    "import sys\nsys.argv = ['ragstone', 'count']\nfrom ragstone.cli import main\nmain()",
    VERB.method,
)
STORE = Addition(
    (
        "stores/mine.py",
        '"""Mine."""\n\nfrom pathlib import Path\n\nfrom ragstone.stores.jsonfile import JsonStore\n\n\n'
        "class MyStore(JsonStore):\n    pass\n\n\n"
        "def open_url(path, keep_versions, master):\n    return MyStore(Path(path), keep_versions=keep_versions)\n",
    ),
    (("stores/kinds.py", "STORES: Mapping", '    "mine": StoreKind("mine:PATH", "ragstone.stores.mine"),'),),
    "import ragstone\nfrom pathlib import Path\nfrom ragstone.stores import open_store\n"
    "Path('docs').mkdir()\n[Path(f'docs/{n}.md').write_text(f'# {n}') for n in 'abc']\n"
    "with ragstone.open('mine:store.json', embed__model='none') as kb:\n    kb.ingest('docs')\n"
    "    print(type(open_store('mine:x')).__name__, len(kb.documents()))",
)
CASES = [
    ("vendor", VENDOR, 1, "mine True"),
    ("file type", FILE_TYPE, 2, "text/x-lines one"),
    ("store", STORE, 1, "MyStore 3"),
    ("chunker", CHUNKER, 1, "whole/1"),
    ("retrieval step", STEP, 2, "[]"),
    ("option", OPTION, 1, "True True True"),
    ("command", COMMAND, 1, "1"),
    ("method", VERB, 1, "1"),
    ("method with its command", VERB_AND_COMMAND, 2, "1"),
]


@pytest.mark.parametrize(("name", "addition", "places", "printed"), CASES, ids=[case[0] for case in CASES])
def test_a_part_is_added_in_few_lines(name: str, addition: Addition, places: int, printed: str, tmp_path: Path) -> None:
    package = tmp_path / "ragstone"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    if addition.file is not None:
        (package / addition.file[0]).write_text(addition.file[1], encoding="utf-8")
    for file, anchor, line in (*addition.lines, *filter(None, [addition.method])):
        text = (package / file).read_text(encoding="utf-8")
        assert anchor in text, f"{name}: {file} has no {anchor!r}"
        start = text.index(anchor)
        end = text.index("\n", start) + 1
        if anchor.startswith("class "):  # behind the docstring
            end = text.index('"""\n', text.index('"""', end) + 3) + 4
        before = anchor.startswith(("    hits", "        HTML", "    ingest", "from "))
        at = start if before else end
        (package / file).write_text(f"{text[:at]}{line}\n{text[at:]}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", addition.script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == printed, done.stderr
    assert sum(line.count("\n") + 1 for _, _, line in addition.lines) == places
