"""Authentication and permissions: keys, tokens, roles."""

from ragstone.access.credential import Credential, Permission, Role, parse_roles
from ragstone.access.keys import NewKey, authenticate_key, issue_key, parse_expiry, parse_key_id
from ragstone.access.tokens import TokenAuthenticator, looks_like_token

__all__ = [
    "Credential",
    "NewKey",
    "Permission",
    "Role",
    "TokenAuthenticator",
    "authenticate_key",
    "issue_key",
    "looks_like_token",
    "parse_expiry",
    "parse_key_id",
    "parse_roles",
]
