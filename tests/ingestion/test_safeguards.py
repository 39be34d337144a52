"""Where the guards of an ingestion begin: at more than the share, and at what a run says of its documents."""

from types import SimpleNamespace
from typing import Any

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.types import Document
from ragstone.ingestion.document_jobs import needs_rebuild
from ragstone.ingestion.safeguards import SMALL_SOURCE, check_removals


def test_exactly_the_share_of_a_source_may_go_and_one_more_may_not() -> None:
    many = 2 * (SMALL_SOURCE + 1)
    check_removals("docs", gone=many // 2, known=many, share=0.5)
    with pytest.raises(UsageError, match="are gone; nothing was changed"):
        check_removals("docs", gone=many // 2 + 1, known=many, share=0.5)


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
    assert needs_rebuild(before, context) is rebuilt
