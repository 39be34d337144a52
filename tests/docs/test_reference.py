"""The reference is what the commands say of themselves."""

import runpy

from tests.docs.blocks import DOCS


def test_the_reference_of_commands_is_not_stale() -> None:
    made = runpy.run_path(str(DOCS / "reference" / "generate.py"))["text"]()
    assert (DOCS / "reference" / "cli.md").read_text(encoding="utf-8") == made, "run: python docs/reference/generate.py"
