"""Where the guards of an ingestion begin: at more than the share, and at what a run says of its documents."""

from types import SimpleNamespace
from typing import Any

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.core.types import Document
from ragstone.ingestion.document_jobs import needs_rebuild
from ragstone.ingestion.safeguards import SMALL_SOURCE, UnreadPaths, check_removals
from tests.speed import in_step


def test_exactly_the_share_of_a_source_may_go_and_one_more_may_not() -> None:
    many = 2 * (SMALL_SOURCE + 1)
    check_removals("docs", gone=many // 2, known=many, share=0.5)
    with pytest.raises(UsageError, match="are gone; nothing was changed"):
        check_removals("docs", gone=many // 2 + 1, known=many, share=0.5)


def test_what_lies_in_a_folder_that_could_not_be_read_is_not_gone() -> None:
    unread = UnreadPaths([Skipped("a/b", "unreadable"), Skipped("c/", "unreadable"), Skipped("d", "denied")])
    paths = ["a/b", "a/b/1.md", "a/b/c/1.md", "a/bc/1.md", "a/1.md", "c/1.md", "cd/1.md", "d/1.md"]
    assert [path for path in paths if path in unread] == ["a/b", "a/b/1.md", "a/b/c/1.md", "c/1.md"]


def test_many_unread_files_and_many_gone_ones_are_told_apart_in_step_with_their_number() -> None:
    def look(number: int) -> None:
        unread = UnreadPaths(Skipped(f"unread/{n}", "unreadable") for n in range(number))
        assert not any(f"gone/{n}" in unread for n in range(number))

    in_step(look, 5_000, 50_000, most=20)


@pytest.mark.parametrize(("said", "rebuilt"), [(None, False), ("v1", False), ("v2", True)])
def test_a_run_that_says_no_version_leaves_the_one_that_a_document_has(said: str | None, rebuilt: bool) -> None:
    before = Document("docs/a.md", "docs", "a.md", 1, "0", "r", version_label="v1")
    builder = SimpleNamespace(
        version_label=said,
        effective_at=None,
        address=None,
        is_former=lambda _: False,
        keeps_other_share=lambda _: False,
    )
    context: Any = SimpleNamespace(builder=builder, refresh=False, enrichment=None)
    assert needs_rebuild(before, context, ListedFile("a.md", 1)) is rebuilt
