"""The markup of a wiki by the beginning of a text, as exports of wikis are `.txt`."""

import re

HEADING = re.compile(rb"^(={2,6})[ \t]*[^=\s][^=\n]{0,200}?[ \t]*(={2,6})[ \t]*\r?$", re.MULTILINE)
RULE = re.compile(rb"={7}")  # of a log or a banner
DOKUWIKI = re.compile(
    rb"\[\[[^\s\[\]][^\[\]\n]{0,300}\]\]|^(?:  |\t){1,9}[*-] \S|^\^[^\n]{1,900}\^[ \t]*\r?$"
    rb"|<(?:code|file)\b[^>\n]{0,200}>|\*\*[^*\s][^*\n]{0,200}\*\*|(?<![:\w])//[^/\s](?:[^/\n]{0,200}[^/\s:])?//(?!\w)",
    re.MULTILINE,
)
MEDIAWIKI = re.compile(
    rb"'''|^\{\|[^\n|]{0,300}\r?\n(?:\|[-+|!]|!)|\[\[(?:Category|File|Image|Kategorie|Datei):", re.MULTILINE
)
NUMBERED = re.compile(rb"^h[1-6](?:\([^()\n]{0,100}\))?\.[ \t]+\S", re.MULTILINE)
JIRA = re.compile(
    rb"\{(?:anchor|code|noformat|quote|panel|color)(?::[^{}\n]{0,300})?\}|^\|\||\{\{[^{}\n]{1,200}\}\}", re.MULTILINE
)
TEXTILE = re.compile(
    rb"^(?:bc|p|pre)(?:\([^()\n]{0,100}\))?\.{1,2}[ \t]|^h[1-6]\(|^\|_\.|\"[^\"\n]{1,200}\":(?:https?:|/)|<pre>"
    rb"|(?<!\w)@[^@\n]{1,200}@(?!\w)",
    re.MULTILINE,
)


def find_wiki(start: bytes) -> str:
    """`dokuwiki`, `mediawiki`, `jira` or `textile` for a text with headings and other marks of it; "" for any other.

    >>> find_wiki(b"====== Leave ======\\n\\n  * [[hr:form]]\\n"), find_wiki(b"====== session ======\\nok\\n")
    ('dokuwiki', '')
    >>> find_wiki(b"h1. Leave\\n\\nh2. Form\\n\\n{{hr}}\\n"), find_wiki(b"h1. Leave\\n\\nh2. Form\\n\\nbc. hr\\n")
    ('jira', 'textile')
    """
    if len(NUMBERED.findall(start)) >= 2:
        return "textile" if TEXTILE.search(start) and not JIRA.search(start) else "jira"
    headings = [found for found in HEADING.finditer(start) if found[1] == found[2]]
    if not headings or RULE.search(start):
        return ""
    if len(headings[0][1]) >= 5 and DOKUWIKI.search(start):
        return "dokuwiki"
    return "mediawiki" if len(headings) > 1 and len(headings[0][1]) < 4 and MEDIAWIKI.search(start) else ""
