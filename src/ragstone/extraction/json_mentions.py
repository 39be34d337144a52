"""Names in place of the identifiers by which messages of Slack mention people, where the export tells them."""

import re

# Of a message its author, and of that author the name; of a list of users each with the name behind it.
PERSON = re.compile(
    r'"(?:user|id)"\s{0,20}:\s{0,20}"([UW][A-Z0-9]{1,20})"|"real_name"\s{0,20}:\s{0,20}"([^"\\\n]{1,200})"'
)
MENTION = re.compile(r"<@([UW][A-Z0-9]{1,20})(?:\|[^<>\n]{0,200})?>")


def show_mentions(text: str) -> str:
    """The text with `@` and the name for each mention of a person whose name stands in it.

    >>> show_mentions('[{"user": "U1", "text": "Hi", "user_profile": {"real_name": "Ann"}}, {"text": "<@U1> <@U2>"}]')
    '[{"user": "U1", "text": "Hi", "user_profile": {"real_name": "Ann"}}, {"text": "@Ann <@U2>"}]'
    """
    if "<@" not in text:
        return text
    names: dict[str, str] = {}
    person = ""
    for found in PERSON.finditer(text):
        if found[1]:
            person = found[1]
        elif person:
            names.setdefault(person, found[2])
            person = ""
    return MENTION.sub(lambda mention: f"@{name}" if (name := names.get(mention[1])) else mention[0], text)
