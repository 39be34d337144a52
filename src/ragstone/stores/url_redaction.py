"""A store's URL for messages, without anything that could be a password."""

import re

REDACTED = "***"
# Greedy up to the last @: a password with an unquoted @ or / must not show either.
URL_USER = re.compile(r"(?P<lead>^(?:[a-z+]+:/{0,2}|[^@]*?//))(?P<user>[^:@/]*):.*@", re.DOTALL | re.IGNORECASE)
# The ledger of a Qdrant store is a URL within a URL, where a password may stand in percent signs.
SECRET_PARAMETER = re.compile(
    r"(?P<name>[^?&=]*(?:password|passwd|pwd|secret|token|key(?!words)|ledger)[^&=]*)=[^&]*", re.IGNORECASE
)


def redact_url(url: str) -> str:
    """The URL with its password as `***`; a path stays as it is.

    >>> redact_url("postgresql://app:s3cret@db/prod?sslmode=require&sslpassword=x")
    'postgresql://app:***@db/prod?sslmode=require&sslpassword=***'
    """
    if "//" not in url and "@" not in url:
        return url
    base, mark, query = URL_USER.sub(rf"\g<lead>\g<user>:{REDACTED}@", url).partition("?")
    return base + mark + SECRET_PARAMETER.sub(rf"\g<name>={REDACTED}", query)
