"""What the pages leave out, and what they must not say."""

import dataclasses
import pkgutil
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, get_args, get_type_hints
from urllib.parse import urlsplit

import pytest
import yaml

from ragstone import guard
from ragstone.access import Role
from ragstone.chunking import CHUNKERS
from ragstone.cli.app import make_app
from ragstone.cli.output import FORMATS
from ragstone.config import model_settings, serve_settings, settings
from ragstone.config.deadlines import Deadlines
from ragstone.config.jwt import JwtSettings
from ragstone.config.vendors import VENDORS, is_local_address
from ragstone.core import errors
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, OPERATORS
from ragstone.engine.blocking import Knowledge
from ragstone.evaluation.case import KEY_MEANINGS
from ragstone.providers import RUNTIMES
from tests.docs.blocks import DOCS, ROOT, pages

HOW_TO = "\n".join(
    path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", DOCS / "start.md", *sorted((DOCS / "how-to").glob("*.md"))]
)
# Absolute paths below folders that systems give to people or to work in, and this very checkout's and user's own.
OWN = [str(folder) for folder in (ROOT, ROOT.parent, Path.home()) if folder != Path(folder.anchor)]
MACHINE = re.compile(
    r"(?<![\w.~:/-])/(?:home|root|Users|tmp|mnt|media|srv|workspace|build)/"
    rf"|(?<![\w.~-])(?:{'|'.join(map(re.escape, OWN))})(?![\w.-])"
    r"|[A-Z]:\\|\blocalhost\b|\b127\.0\.0\.1\b"
)
ABOUT_SERVERS = (
    "deploy.md",
    "frameworks.md",
    "agents.md",
    "cli.md",
    "configure.md",
    "observe.md",
    "serve.md",
)  # where a client finds them
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
SECTIONS = {
    "Top level": settings.Settings,
    "`access`": settings.AccessSettings,
    "`jwt`": JwtSettings,
    "`sources`": settings.SourceSettings,
    "`chunk`": settings.ChunkSettings,
    "`embed`": model_settings.EmbedSettings,
    "`llm`": model_settings.LlmSettings,
    "`rerank`": model_settings.RerankSettings,
    "`sparse`": model_settings.SparseSettings,
    "`answer`": model_settings.AnswerSettings,
    "`external`": model_settings.ExternalSettings,
    "`deadlines`": Deadlines,
    "`limits`": settings.LimitSettings,
    "`watch`": settings.WatchSettings,
    "`serve`": serve_settings.ServeSettings,
    "`log`": serve_settings.LogSettings,
    "`traces`": serve_settings.TraceSettings,
    "`search`": settings.SearchSettings,
    "`collections`": settings.CollectionSettings,
    "`tenants`": settings.TenantSettings,
    "`encryption`": settings.EncryptionSettings,
    "`pipelines`": settings.PipelineSettings,
    "`tables`": settings.TableSettings,
}
GROUPS = (
    "access",
    "sources",
    "chunk",
    "embed",
    "llm",
    "judge",
    "rerank",
    "sparse",
    "answer",
    "external",
    "limits",
    "watch",
    "serve",
    "log",
    "traces",
    "deadlines",
    "search",
    "collections",
    "tenants",
    "encryption",
    "pipelines",
)


def commands() -> list[str]:
    """Every command as it is typed."""
    app = make_app()
    own = [str(command.name or (command.callback and command.callback.__name__)) for command in app.registered_commands]
    groups = [
        f"{group.name} {command.name or (command.callback and command.callback.__name__)}"
        for group in app.registered_groups
        for command in (group.typer_instance.registered_commands if group.typer_instance else ())
    ]
    return [*own, *groups]


@pytest.mark.parametrize("command", commands())
def test_every_command_is_used_on_a_page(command: str) -> None:
    assert f"ragstone {command}" in HOW_TO


@pytest.mark.parametrize("name", SECTIONS)
def test_every_setting_stands_in_its_section_with_its_default(name: str) -> None:
    text = (DOCS / "how-to" / "configure.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    table = section.split("\n\n| way |")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.MULTILINE))
    for field in dataclasses.fields(SECTIONS[name]):
        if name == "Top level" and field.name in GROUPS:
            assert f"\n## `{field.name}`\n" in text
            continue
        assert rows.get(field.name) == default(field), f"{name}: {field.name}"
    unknown = set(rows) - {field.name for field in dataclasses.fields(SECTIONS[name])}
    assert unknown == set()


def default(field: "dataclasses.Field[Any]") -> str:
    """A default as the tables write it."""
    if field.default_factory is not dataclasses.MISSING:
        return "`{}`"
    value = field.default
    words = {None: "`null`", True: "`true`", False: "`false`", (): "`[]`", dataclasses.MISSING: "needed"}
    for known, word in words.items():
        if value is known:
            return word
    return f"`{value}`"


def test_every_choice_of_a_setting_is_named() -> None:
    text = (DOCS / "how-to" / "configure.md").read_text(encoding="utf-8")
    for kind in SECTIONS.values():
        for hint in get_type_hints(kind).values():
            for choice in get_args(hint):
                assert not isinstance(choice, str) or f"`{choice}`" in text, choice


def test_every_reason_for_skipping_is_explained() -> None:
    reasons = re.search(r"one of: ([\w, \n]+)\.", errors.Refused.__doc__ or "")
    assert reasons
    text = (DOCS / "how-to" / "ingest.md").read_text(encoding="utf-8")
    assert [name for name in re.findall(r"\w+", reasons[1]) if f"| `{name}` |" not in text] == []


def test_every_reason_for_not_letting_in_is_explained() -> None:
    reasons = re.search(r"one of: ([\w, \n]+)\.", errors.Unauthorized.__doc__ or "")
    assert reasons
    text = (DOCS / "how-to" / "access.md").read_text(encoding="utf-8")
    table = text.split("| reason | it means |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == set(re.findall(r"\w+", reasons[1]))


def test_every_role_is_explained() -> None:
    text = (DOCS / "how-to" / "access.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| ", text.split("## Roles")[1].split("## ")[0], re.MULTILINE) == list(Role)


def test_every_key_of_a_golden_set_is_explained() -> None:
    text = (DOCS / "how-to" / "evaluate.md").read_text(encoding="utf-8")
    assert [key for key in KEY_MEANINGS if f"`{key}`" not in text and f"`{key}: " not in text] == []


def test_every_way_of_cutting_is_explained_with_its_options() -> None:
    text = (DOCS / "how-to" / "configure.md").read_text(encoding="utf-8")
    for name, chunker in CHUNKERS.items():
        [row] = re.findall(rf"^\| `{name}` \| (.*`.*) \|$", text, re.MULTILINE)
        options = dataclasses.fields(chunker.load_options())
        assert all(f"`{field.name}: {field.default}`" in row for field in options), name


def test_every_filter_and_format_is_explained() -> None:
    text = (DOCS / "how-to" / "search.md").read_text(encoding="utf-8")
    assert [name for name in OPERATORS if f"`{name}`" not in text] == []
    assert [name for name in (*CHUNK_FACTS, *DOCUMENT_FACTS) if f"`{name}`" not in text] == []
    assert [name for name in FORMATS if f"`{name}`" not in text] == []
    options = re.findall(r"`(--[\w-]+)", (DOCS / "reference" / "cli.md").read_text("utf-8").split("## ragstone")[0])
    assert [name for name in options if name not in HOW_TO] == []


def test_every_error_is_explained() -> None:
    text = (DOCS / "how-to" / "trouble.md").read_text(encoding="utf-8")
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RagstoneError)
    ]
    assert [kind.code for kind in kinds if f"| `{kind.code}` | `{kind.__name__}` |" not in text] == []


def test_every_vendor_stands_in_the_table_with_what_it_gives() -> None:
    text = (DOCS / "how-to" / "models.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for vendor in VENDORS.values():
        [row] = re.findall(rf"^\| `{vendor.name}` \| .*$", text, re.MULTILINE)
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        able = (vendor.completes, vendor.embeds, vendor.reranks, vendor.sparse)
        assert cells[3:7] == ["yes" if one else "no" for one in able]
        assert (vendor.variable or "none") in cells[2]
        address = urlsplit(vendor.base_url or "")
        assert (f"port {address.port}" if is_local_address(vendor.base_url) else str(address.hostname)) in cells[
            1
        ] or not address.netloc
        built_in = vendor.name in RUNTIMES  # runs on a package that every installation has
        assert cells[7] == ("–" if built_in else f"`ragstone[{vendor.name}]`")
        assert built_in or vendor.name in extras


LINKING = [
    *pages(),
    *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "demo/README.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
]


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def anchors(file: Path) -> set[str]:
    """The anchors of a page: its headings, as GitHub makes them, and `<a id="…">`."""
    text = file.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_names_of_the_library_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    methods = {*dir(Knowledge), "engine"}  # an attribute of each object
    assert set(re.findall(r"\bkb\.(\w+)", text)) - methods == set()
    assert [name for name in re.findall(r"\bguard\.(\w+)\(", text) if not hasattr(guard, name)] == []
    dotted = set(re.findall(r"`(ragstone\.[\w.]+?)(?:\(|`)", text)) - {"ragstone.yaml", "ragstone.calibration.json"}
    assert [name for name in sorted(dotted) if not is_importable(name)] == []


def is_importable(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_hooks_before_a_commit_run_what_make_lint_and_make_types_run() -> None:
    make = ["make", "--no-print-directory", "-n", "-o", ".venv/.tested", "lint", "types"]
    run = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [hook["entry"] for repo in config["repos"] for hook in repo["hooks"]] == run


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_speaks_of_somebodys_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name in ABOUT_SERVERS:
        text = text.replace("localhost:", "").replace("127.0.0.1", "")
    assert MACHINE.findall(text) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        todo += [(page.parent / t.partition("#")[0]).resolve() for t in LINK.findall(page.read_text(encoding="utf-8"))]
    assert set(pages()) - seen == set()


@pytest.mark.parametrize(
    ("target", "measured"),
    [
        ("eval", "--mode retrieval"),
        ("eval-rag", "--mode rag"),
        ("eval-both", "--mode both"),
        ("eval-chunk", "--granularity span"),
    ],
)
def test_make_evaluates_the_demo_and_its_help_says_so(target: str, measured: str) -> None:
    make = ["make", "--no-print-directory", "-n", target, "EVAL=--json"]
    done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True)
    ingest, evaluate = [line.partition("ragstone ")[2] for line in done.stdout.splitlines()[-2:]]
    assert ingest == "ingest demo/docs --store demo/.ragstone"
    assert evaluate == f"eval --golden demo/golden.jsonl --store demo/.ragstone {measured} --json"
    assert re.search(rf"\b{target}\b[ :]", subprocess.check_output(["make", "help"], cwd=ROOT, text=True))
