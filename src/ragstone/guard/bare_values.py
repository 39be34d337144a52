"""Where a password without quotes ends, and whether it is a template, a variable or code instead of a password."""

import re

RUN = re.compile(r"\S{1,512}")
TOKEN = re.compile(r"[^\s\"'`,;<>(){}\[\]&|]{5,512}")
# What ends a value before the next blank: markup, a further option of the same kind, the bar of a table.
MARKUP = re.compile(r"</[a-zA-Z]|<(?:br|td|th|tr|dd|li|div|span|code|strong|em)\b|\\[nr](?![A-Za-z0-9])|\\\"")
NEXT = re.compile(r"[&;,](?:[\"']?[A-Za-z_][A-Za-z_]{2,30}[\"']?(?:=|:(?!//)))")
CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<", '"': '"', "'": "'", "`": "`"}
OPENERS = tuple("$@%#<[{(")
ENDS = ".,;:"
BEFORE = 400  # characters of a line in which a bracket may be open
# A name where a value would stand: `$NAME`, `${name}`, `%NAME%`, `{{ name }}`, `<your name>`, `[name]`, `@name`.
VARIABLE = re.compile(r"[$@%#]{0,2}[A-Za-z_][A-Za-z_:.-]*\d{0,2}(?:\[[^\s\]]{0,40}\]|->\w+|::\w+)*[%$]?\S?")
BRACKETS = re.compile(
    r"[$@%#]?(?:\{\{[^{}\n]{0,80}\}\}|<[^<>\n]{0,80}>|\[[^\[\]\n]{0,80}\]|\([^()\n]{0,80}\)[sd]?|\{[^{}\n]{0,80}\})\S{0,2}"
)
PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
WORDLIKE = 2.6  # letters or digits in a piece; names have about five, random letters of both cases and digits two
LEAST_PIECES, LEAST_LETTERS = 4, 3
PLAIN_SIGNS = re.compile(r"[\w\s.,:/?'\"|$@%<>{}()\[\]=*-]*")
CALL = re.compile(r"(?:[A-Za-z_]{1,40}[.:])*[A-Za-z_]{3,}\d{0,3}[(\[]")
PATTERN = re.compile(r"\\[wdsSWDb][+*{)\]]|\.[+*]\??[)\]\"'/]|\[\^|\(\?[:=!<P]|[+*]\?\)|\w\?\.[A-Za-z]|\Atrue\|false")


def find_bare_end(text: str, start: int, *, line_start: int, in_cell: bool) -> int:
    """Where the password ends that begins here: at white space, and before what belongs to the text around it."""
    run = RUN.match(text, start)
    if run is None:
        return start
    end = run.end()
    for ending in (MARKUP, NEXT):
        if (found := ending.search(text, start + 1, end)) is not None:
            end = found.start()
    if in_cell and (bar := text.find("|", start, end)) >= 0:
        end = bar
    before = text[max(line_start, start - BEFORE) : start]
    while end - start > 1 and (opener := CLOSERS.get(text[end - 1])) is not None:
        value = text[start : end - 1]
        closed = value.count(opener) > value.count(text[end - 1]) if opener != text[end - 1] else opener in value
        if closed or not _is_open(before, opener, text[end - 1]):
            break
        end -= 1
    return end - 1 if end - start > 1 and text[end - 1] in ENDS else end


def _is_open(before: str, opener: str, closer: str) -> bool:
    if opener == closer:
        return before.count(opener) % 2 == 1
    return before.count(opener) > before.count(closer)


def is_random(value: str) -> bool:
    """Whether letters of both cases and digits change places too often for words, as in `kX9q2RzL` and not in
    `dbPasswordFile`."""
    pieces = PIECE.findall(value[:200])
    letters = sum(len(piece) for piece in pieces if not piece[0].isdigit())
    return len(pieces) >= LEAST_PIECES and letters >= LEAST_LETTERS and sum(map(len, pieces)) < WORDLIKE * len(pieces)


def is_template(value: str) -> bool:
    """Whether a value in brackets or behind a sign is a name that something else fills in.

    >>> [is_template(one) for one in ("${DB_PASSWORD}", "$PASS", "<your password>", "$ecr3t9!x", "[kX9(q2")]
    [True, True, True, False, False]
    """
    if not value.startswith(OPENERS):
        return False
    name = value[1:] if value[0] in "$@%#" else value
    if is_random(value) and not name.isupper() and not _is_dotted(value):
        return False
    if VARIABLE.fullmatch(value):
        return True
    return BRACKETS.fullmatch(value) is not None and PLAIN_SIGNS.fullmatch(value) is not None


def _is_dotted(value: str) -> bool:
    """Whether this is a path of names in brackets, as templates write them: `${steps.k8s.outputs}`."""
    return re.fullmatch(r"[$@%#]?[{(<\[]{1,2}\s?[A-Za-z]\w*(?:[._-]\w+)+\s?[})>\]]{1,2}", value) is not None


def is_code(value: str, rest: str) -> bool:
    """Whether a value is a call, an index or a pattern of code, or begins a template; `rest` is what follows on its
    line."""
    if PATTERN.search(value):
        return True
    whole = BRACKETS.match(value + rest) if value.startswith(OPENERS) else None
    if whole is not None and whole.end() >= len(value) and is_template(whole[0].rstrip()):
        return True
    call = CALL.match(value)
    if call is None or is_random(call[0]):
        return False
    closer = ")" if call[0][-1] == "(" else "]"
    return closer in value or closer in rest
