"""What a store's URL may say, and that nothing of its password is ever said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import UsageError
from ragstone.stores import open_store, redact_url
from ragstone.stores.postgres.url import parse_postgres_url


def test_our_own_words_are_taken_out_and_theirs_stay() -> None:
    url = parse_postgres_url(
        "postgresql://app:x@a:1,b:2/db?target_session_attrs=primary&exact=true&pool=3&sslmode=prefer"
    )
    assert (url.exact, url.pool) == (True, 3)
    assert "target_session_attrs=primary" in url.conninfo
    assert "host=a,b" in url.conninfo
    assert "exact" not in url.conninfo
    assert url.shown == "postgresql://app:***@a:1,b:2/db?target_session_attrs=primary&exact=true&pool=3&sslmode=prefer"


@pytest.mark.parametrize("query", ["exact=maybe", "pool=0", "pool=x", "pool=99999", "nonsense=1", "sslmode"])
def test_a_wrong_parameter_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        parse_postgres_url(f"postgresql://app:hidden@host/db?{query}")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:hid@den@host/db",
        "postgresql://app:hid/den@host/db",
        "postgresql://app:hid?den@host/db",
        "postgresql://app:hid#den@host/db",
        "postgresql://app:hid den@host:x/db",
        "postgresql://app@host/db?password=hidden&nonsense=1",
        "postgresql://app@host:port/db?sslpassword=hidden",
        "postgers://app:hidden@host/db",
        "postgresql//app:hidden@host/db\0",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(UsageError) as error:
        open_store(url)
    for part in ("hid", "den"):
        assert part not in str(error.value)


@given(st.text("ab@:/?#&=%! ", min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_no_password_shows_in_what_is_shown(middle: str) -> None:
    password = f"Q{middle}Z"
    shown = redact_url(f"postgresql://app:{password}@host/db")
    assert "Q" not in shown
    assert "Z" not in shown


def test_what_is_no_url_is_shown_as_it_is() -> None:
    for plain in ("embedded:./a b", "/some/where", "json:x.json", "C:\\x"):
        assert redact_url(plain) == plain


def test_a_repr_has_no_password() -> None:
    assert "hidden" not in repr(parse_postgres_url("postgresql://app:hidden@host/db"))
