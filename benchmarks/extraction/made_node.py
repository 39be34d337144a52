"""Sites of `made_sites.py` whose programs run on Node.js: Hexo, VitePress, HonKit, Docusaurus."""

import shutil
from pathlib import Path
from typing import Any

from made_texts import TEXTS, to_markdown


def _begin(modules: str, folder: Path, *needed: str) -> bool:
    """Link the modules into a folder; whether those that are needed are there."""
    place = Path(modules) / "node_modules"
    if not all((place / name).exists() for name in needed):
        return False
    (folder / "node_modules").symlink_to(place)
    return True


def make_hexo(made: Any, modules: str, folder: Path) -> None:
    """With each theme that is installed."""
    from made_sites import run

    if not _begin(modules, folder, "hexo"):
        return
    names = sorted(path.name for path in (Path(modules) / "node_modules").iterdir() if path.name.startswith("hexo-"))
    posts = folder / "source/_posts"
    posts.mkdir(parents=True)
    for n, text in enumerate(TEXTS, 1):
        head = f'---\ntitle: "{text.title}"\ndate: 2024-01-{n:02d} 10:00:00\ntags: [one, two]\ncategories: notes\n---'
        (posts / f"{text.name}.md").write_text(to_markdown(text, head))
    parts = [name for name in names if not name.startswith("hexo-theme-")]
    needs = ", ".join(f'"{name}": "*"' for name in parts)
    (folder / "package.json").write_text(f'{{"name": "site", "hexo": {{"version": ""}}, "dependencies": {{{needs}}}}}')
    for name in names:
        theme = name.removeprefix("hexo-theme-")
        if theme == name:
            continue
        (folder / "_config.yml").write_text(
            f"title: Handbook\nurl: https://example.org\ntheme: {theme}\nsource_dir: source\npublic_dir: public\n"
            f"permalink: :title/\n"
        )
        shutil.rmtree(folder / "public", ignore_errors=True)
        (folder / "db.json").unlink(missing_ok=True)
        run(folder, "node", "node_modules/hexo-cli/bin/hexo", "generate")
        if (folder / "public").is_dir():
            made.keep_built(f"hexo-{theme}", folder / "public")


def make_vitepress(made: Any, modules: str, folder: Path) -> None:
    from made_sites import run

    if not _begin(modules, folder, "vitepress"):
        return
    (folder / "package.json").write_text('{"name": "site", "type": "module"}')
    (folder / ".vitepress").mkdir()
    (folder / ".vitepress/config.mjs").write_text(
        "export default {title: 'Handbook', themeConfig: {sidebar: ["
        + ", ".join(f"{{text: {text.title!r}, link: '/{text.name}'}}" for text in TEXTS)
        + "]}}"
    )
    for text in TEXTS:
        (folder / f"{text.name}.md").write_text(to_markdown(text, f"# {text.title}"))
    if run(folder, "node", "node_modules/vitepress/bin/vitepress.js", "build"):
        made.keep_built("vitepress", folder / ".vitepress/dist")


def make_honkit(made: Any, modules: str, folder: Path) -> None:
    from made_sites import run

    if not _begin(modules, folder, "honkit"):
        return
    (folder / "README.md").write_text("# Handbook\n\nAll pages.\n")
    (folder / "SUMMARY.md").write_text(
        "# Summary\n\n* [Start](README.md)\n" + "".join(f"* [{text.title}]({text.name}.md)\n" for text in TEXTS)
    )
    for text in TEXTS:
        (folder / f"{text.name}.md").write_text(to_markdown(text, f"# {text.title}"))
    if run(folder, "node", "node_modules/honkit/bin/honkit.js", "build"):
        made.keep_built("honkit", folder / "_book")


def make_docusaurus(made: Any, modules: str, folder: Path) -> None:
    """As documents and as posts of a blog."""
    from made_sites import run

    if not _begin(modules, folder, "@docusaurus/core", "@docusaurus/preset-classic"):
        return
    for part in ("docs", "blog"):
        (folder / part).mkdir()
        for text in TEXTS:
            head = f'---\ntitle: "{text.title}"\nslug: /{part}-{text.name}\ndate: 2024-01-01\n---'
            (folder / part / f"{text.name}.md").write_text(to_markdown(text, head))
    (folder / "package.json").write_text('{"name": "site"}')
    (folder / "docusaurus.config.js").write_text(
        "module.exports = {title: 'Handbook', url: 'https://example.org', baseUrl: '/', onBrokenLinks: 'ignore', "
        "presets: [['classic', {docs: {}, blog: {}}]], themeConfig: {navbar: {title: 'Handbook'}, "
        "footer: {copyright: 'Handbook'}}};"
    )
    if run(folder, "node", "node_modules/@docusaurus/core/bin/docusaurus.mjs", "build"):
        for part in ("docs", "blog"):
            for text in TEXTS:
                found = sorted((folder / "build").rglob(f"{part}-{text.name}/index.html"))
                made.keep(f"docusaurus-{part}", text, found[0] if found else None)
