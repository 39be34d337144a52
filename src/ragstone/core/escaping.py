"""Text for terminals: nothing in it moves the cursor, changes colours or ends a line unseen."""

import re

# Terminal commands: CSI, OSC (titles, links, clipboard) and the short ones; then what is left of
# control characters, and what turns the direction of writing around.
ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|\x9b[0-?]*[ -/]*[@-~]?"
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ORDERS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # what moves other text about

# Around a word that is shown marked, until the terminal's own marks replace them: private characters, no letters.
MARK_START, MARK_END = "\ue0f0", "\ue0f1"
BOLD, PLAIN = "\x1b[1;31m", "\x1b[0m"  # as `grep --color` marks its matches


def render_marks(text: str, *, bold: bool) -> str:
    """Text whose marked words a terminal shows in bold red, or as all others."""
    return text.replace(MARK_START, BOLD if bold else "").replace(MARK_END, PLAIN if bold else "")


def remove_controls(text: str) -> str:
    r"""Text that a terminal shows and does not obey; newlines and tabs stay.

    >>> remove_controls("\x1b[31mred\x1b]0;title\x07\r!")
    'red!'
    """
    return CONTROLS.sub("", ESCAPES.sub("", text))


def escape_line_ends(name: str) -> str:
    r"""A name on one line, as it is: what would end the line or move what follows is escaped.

    >>> escape_line_ends("two\nlines\x1b[31m.md")
    'two\\nlines\\x1b[31m.md'
    """
    return ORDERS.sub(lambda found: ascii(found[0])[1:-1], name)
