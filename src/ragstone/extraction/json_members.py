"""Messages of a chat and entries of a list, known by the members of a JSON object."""

from collections.abc import Set
from typing import Any

# The members by which an object is a message: of whom, when, and its words.
WHO = frozenset(
    "user username user_name user_id from author author_id sender sender_name sender_id name nick nickname creator "
    "actor user_profile login".split()
)
WHEN = frozenset(
    "ts date time timestamp timestamp_ms datetime created created_at createdat created_date createddatetime create_at "
    "sent sent_at posted_at".split()
)
WORDS = frozenset("text content message body msg comment".split())
# The members by which an object is an entry of a list, as a card or a ticket is: its title, and its words.
TITLES = frozenset("title name subject summary headline".split())
DETAILS = WORDS | frozenset("desc description textcontent note notes details".split())


def is_entry(value: dict[str, Any]) -> bool:
    """Whether an object has a title and words."""
    told = {key.lower() for key, one in value.items() if isinstance(one, str) and one.strip()}
    return bool(told & TITLES and told & DETAILS)


def is_message(value: dict[str, Any]) -> bool:
    """Whether an object has an author, a time and words."""
    return has_members({key.lower() for key, one in value.items() if one}, {key.lower() for key in value})


def has_members(told: Set[str], keys: Set[str]) -> bool:
    """Whether these are the keys of a message; `told` are those with a value."""
    return bool(told & WHO and told & WHEN and keys & WORDS)
