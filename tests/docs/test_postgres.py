"""What the pages say of PostgreSQL, carried out on a server."""

from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, missing, pages
from tests.docs.conftest import Shell
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import Server

__all__ = ["server"]

ASKING = [page for page in pages() if any("postgres" in block.marks for block in blocks(page))]


@pytest.mark.parametrize("page", ASKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_does_with_a_database_works(page: Path, shell: Shell, tmp_path: Path, server: Server) -> None:
    printed: str | None = None
    with server.database("template0") as name:
        server.run("CREATE EXTENSION vector", name)
        server.run("GRANT CREATE ON SCHEMA public TO PUBLIC", name)
        for block in blocks(page):
            where = f"{page.name}:{block.line}"
            if block.file is not None:
                (tmp_path / "scratch" / block.file).write_text(block.text, encoding="utf-8")
            elif "postgres" in block.marks:
                done = shell(block.text, python=block.language == "python", DATABASE_URL=server.owner(name))
                assert done.returncode == block.status, f"{where} ended with {done.returncode}:\n{done.stdout}"
                printed = done.stdout
                continue
            elif block.language == "text" and printed is not None:
                line = missing(block.text, printed)
                assert line is None, f"{where} shows a line that was not printed: {line}\nprinted:\n{printed}"
            printed = None
