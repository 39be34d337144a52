"""Which texts are the source of a manual page."""

import re

# A comment, or a macro that manual pages begin with.
BEGINNING = re.compile(
    rb"\s*(?:(?:[.'][ \t]*)?\\[\"#]|\.[ \t]*\n|[.'][ \t]*(?:TH|Dd|Dt|SH|de1?|d[as]|nr|ig|i[ef]|so|mso|do|tr|hw|lf|als"
    rb"|rm|rn|nh|hy|ad|na|ll|p[los]|cs|UC|PU)(?=[\s\\!]))"
)
NAMED = re.compile(
    rb"^[.'][ \t]*(?:TH[ \t]+(?:\"[^\"\n]{0,200}\"|\S+)[ \t]+\"?[\dnlLo\"]|Dd[ \t]|Dt[ \t]+\S)", re.MULTILINE
)


def is_manual_page(start: bytes) -> bool:
    """Whether a text begins as the source of a manual page does, and a line in its start names the page."""
    return BEGINNING.match(start) is not None and NAMED.search(start) is not None
