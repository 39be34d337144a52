"""Who asks, and what they may: keys, tokens, roles."""

from ragstone.access.credential import Credential, Permission, Role, roles_of
from ragstone.access.keys import MadeKey, ending, identified, issued, recognised
from ragstone.access.tokens import Tokens, looks_like_token

__all__ = [
    "Credential",
    "MadeKey",
    "Permission",
    "Role",
    "Tokens",
    "ending",
    "identified",
    "issued",
    "looks_like_token",
    "recognised",
    "roles_of",
]
