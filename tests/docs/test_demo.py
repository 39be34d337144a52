"""The demo prints what the README shows."""

import re
from pathlib import Path

from tests.docs.blocks import ROOT, blocks, missing
from tests.docs.conftest import Shell


def shown() -> str:
    """The README's screenful."""
    [block] = [block for block in blocks(ROOT / "README.md") if block.language == "text" and "make demo" in block.text]
    return block.text


def test_the_demo_prints_what_the_readme_shows(shell: Shell, tmp_path: Path) -> None:
    done = shell(f"sh '{ROOT}/demo/run.sh' cold-ragstone '{tmp_path}/store'")
    assert done.returncode == 0, done.stdout
    lines = shown().splitlines()
    assert lines[0] == "$ make demo"
    line = missing("\n".join(lines[1:]), done.stdout)
    assert line is None, f"the README shows a line that was not printed: {line}\nprinted:\n{done.stdout}"


def test_the_demo_asks_the_questions_of_its_readme() -> None:
    script = (ROOT / "demo" / "run.sh").read_text(encoding="utf-8")
    table = re.findall(r"^\| (.+?\?) \| .+ \|$", (ROOT / "demo" / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(table) == 3
    assert [question for question in table if question not in script] == []
