"""Sites of `made_sites.py` that are wikis in PHP: DokuWiki and MediaWiki with its skins."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from made_texts import TEXTS, to_wiki

SHOW = (
    "$_SERVER += ['REQUEST_METHOD' => 'GET', 'HTTP_HOST' => 'example.org', 'SERVER_NAME' => 'example.org', "
    "'REQUEST_URI' => '/', 'REMOTE_ADDR' => '127.0.0.1'];"
)


def _show(folder: Path, code: str) -> bytes:
    settings = {**os.environ, "DOKU_CONF": str(folder / "conf")}
    return subprocess.run(("php", "-r", code), cwd=folder, env=settings, capture_output=True, check=False).stdout


def make_dokuwiki(made: Any, php: str, folder: Path) -> None:
    source = Path(php) / "dokuwiki"
    if not source.is_dir():
        return
    wiki = folder / "wiki"
    shutil.copytree(source / "usr/share/dokuwiki", wiki, symlinks=True, ignore_dangling_symlinks=True)
    for place in ("conf", "data"):
        shutil.rmtree(wiki / place, ignore_errors=True)
    shutil.copytree(source / "etc/dokuwiki", wiki / "conf", ignore_dangling_symlinks=True)
    (wiki / "conf/local.php").write_text(
        "<?php\n$conf['title'] = 'Handbook';\n$conf['useacl'] = 0;\n$conf['savedir'] = './data';\n"
    )
    (wiki / "inc/preload.php").write_text("<?php\ndefine('DOKU_CONF', dirname(__DIR__) . '/conf/');\n")
    for place in "attic cache index locks media media_attic media_meta meta pages tmp log".split():
        (wiki / "data" / place).mkdir(parents=True, exist_ok=True)
    for text in TEXTS:
        content = to_wiki(text, "===", ("<code python>", "</code>"), "bars")
        (wiki / f"data/pages/{text.name}.txt").write_text(content)
    for text in TEXTS:
        code = f"{SHOW} $_GET['id'] = $_REQUEST['id'] = '{text.name}'; include 'doku.php';"
        made.keep("dokuwiki", text, _show(wiki, code))


def make_mediawiki(made: Any, php: str, folder: Path) -> None:
    from made_sites import run

    source = Path(php) / "mediawiki"
    if not source.is_dir():
        return
    wiki = folder / "wiki"
    shutil.copytree(source / "usr/share/mediawiki", wiki, symlinks=True, ignore_dangling_symlinks=True)
    for name in ("LocalSettings.php", "extensions", "images", "cache", "config"):
        if (wiki / name).is_symlink():
            (wiki / name).unlink()
    installed = run(
        wiki, "php", "maintenance/install.php", "--dbtype", "sqlite", "--dbpath", str(folder), "--dbname", "wiki",
        "--server", "http://example.org", "--scriptpath", "", "--pass", "a-long-pass-phrase", "Handbook", "Admin",
    )  # fmt: skip
    if not installed:
        return
    skins = sorted(path.parent.name for path in wiki.glob("skins/*/skin.json"))
    with (wiki / "LocalSettings.php").open("a") as settings:
        settings.writelines(f"wfLoadSkin('{skin}');\n" for skin in skins)
    for text in TEXTS:
        content = to_wiki(text, "=", ("<pre>", "</pre>"), "mediawiki")
        run(wiki, "php", "maintenance/edit.php", "-u", "Admin", text.name.capitalize(), given=content)
    for skin in ("vector", "vector-2022", "monobook", "timeless", "minerva"):
        for text in TEXTS:
            title = text.name.capitalize()
            code = f"{SHOW} $_GET += $_REQUEST += ['title' => '{title}', 'useskin' => '{skin}']; include 'index.php';"
            made.keep(f"mediawiki-{skin}", text, _show(wiki, code))
