"""All words at which a secret is looked for, of every finder, as one search."""

from ragstone.guard import aws_secrets, other_secrets
from ragstone.guard.assignments import STARTS
from ragstone.guard.call_secrets import CALL_STARTS
from ragstone.guard.commands import COMMAND_STARTS
from ragstone.guard.credentials import AUTHORIZATION_STARTS, LOGIN_STARTS, PRIVATE_KEY_STARTS
from ragstone.guard.encoded_secrets import ENCODED_STARTS
from ragstone.guard.hook_secrets import HOOK_STARTS
from ragstone.guard.login_pairs import ASCII_LEADS
from ragstone.guard.secret_places import Places, WordFinder, fold_case

LEADS = (
    *(*STARTS, *PRIVATE_KEY_STARTS, *AUTHORIZATION_STARTS, *LOGIN_STARTS, *CALL_STARTS, *ENCODED_STARTS),
    *(*COMMAND_STARTS, *ASCII_LEADS, *aws_secrets.STARTS, *other_secrets.COOKIE_STARTS, *HOOK_STARTS),
)
_FINDER = WordFinder(LEADS)


def find_places(text: str) -> Places:
    """Where the words stand in a text."""
    return _FINDER.find(fold_case(text))
