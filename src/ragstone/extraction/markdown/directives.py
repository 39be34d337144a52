"""Lines in Markdown that are orders to a site generator, not text: they are made blank before parsing."""

import re

FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
LANGUAGE = re.compile(r"[\w+#.-]+")
# `:::note Title`, `:::`, `::: {.class}`, `:::image source="…" alt-text="…":::`
COLONS = re.compile(r"([ \t>]*):{3,}[ \t]*([A-Za-z][\w-]*)?(.*)")
ALT = re.compile(r"\balt-text=\"([^\"]*)\"")
# mdBook's `{{#include x}}`, Hugo's `{{< note >}}` and `{{% note %}}`, Liquid's `{% include x %}`, alone on a line.
BRACES = re.compile(r"[ \t>]*(?:\{\{[<%#][^{}]*\}\}|\{%[^{}]*%\})[ \t]*")
INCLUDE = re.compile(r"[ \t>]*\{\{#\w+ [^{}]*\}\}[ \t]*")
TEMPLATE_LANGUAGES = frozenset(
    ("hbs", "handlebars", "mustache", "markdown", "md", "jinja", "jinja2", "liquid", "django")
)
# MDX: a module's imports and exports before the text begins.
MODULE = re.compile(r"(?:import\s[^'\"]*['\"][^'\"]+['\"]|export\s+(?:const|let|default|function)\b.*)[;\s]*")
SIGNS = (":::", "{{", "{%", "import ", "export ")


def blank_directives(text: str) -> str:
    """The text with directives as spaces: characters and lines stay where they are.

    Code blocks keep theirs, except lines that include a file which is not here (`{{#include …}}`).
    A title beside a directive and an image's `alt-text` stay.
    """
    if not any(sign in text for sign in SIGNS):
        return text
    lines = text.splitlines(keepends=True)
    fence, language, in_text = "", "", False
    for number, line in enumerate(lines):
        if opening := FENCE.match(line):
            mark, rest = opening[1], opening[2]
            if not fence:
                found = LANGUAGE.search(rest)
                fence, language, in_text = mark, found[0].lower() if found else "", True
            elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip():
                fence = ""
        elif fence:
            if "{{#" in line and language not in TEMPLATE_LANGUAGES and INCLUDE.fullmatch(line.rstrip("\r\n")):
                lines[number] = _blank_line(line)
        else:
            lines[number] = _blank_directive(line, in_text=in_text)
            in_text = in_text or bool(lines[number].strip())
    return "".join(lines)


def _blank_directive(line: str, *, in_text: bool) -> str:
    """One line outside code, its directive made blank."""
    bare = line.rstrip("\r\n")
    if ":::" in line and (colons := COLONS.fullmatch(bare)):
        return colons[1] + _keep_directive_title(line, colons)
    if ("{{" in line or "{%" in line) and BRACES.fullmatch(bare):
        return _blank_line(line)
    if not in_text and line.startswith(("import ", "export ")) and MODULE.fullmatch(bare):
        return _blank_line(line)
    return line


def _keep_directive_title(line: str, colons: re.Match[str]) -> str:
    """The rest of a colon line behind its prefix: blank but for a title or an image's description."""
    start = len(colons[1])
    kept = [match.span(1) for match in ALT.finditer(line)]
    rest = colons[3]
    title = rest.strip(" \t[]")
    if not kept and title and ":::" not in rest and not set('={}"') & set(rest):
        at = colons.start(3) + rest.index(title)
        kept = [(at, at + len(title))]
    out = list(_blank_line(line))
    if kept:  # form feeds are white space, but four of them do not make the line a code block
        out[start : kept[-1][1]] = "\f" * (kept[-1][1] - start)
    for a, b in kept:
        out[a:b] = line[a:b]
    return "".join(out[start:])


def _blank_line(line: str) -> str:
    """Spaces in place of a line: the quote marks before it and its end stay."""
    body = line.rstrip("\r\n")
    lead = len(body) - len(body.lstrip(" \t>"))
    return body[:lead] + " " * (len(body) - lead) + line[len(body) :]
