"""What each role permits, and whom a credential lets in."""

from datetime import UTC, datetime, timedelta

import pytest

from ragstone.access import Credential, Permission, Role, parse_roles
from ragstone.core.errors import Forbidden, Unauthorized, UsageError

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def permitted(*roles: str) -> set[str]:
    return {permission.value for permission in Credential("acme", parse_roles(roles)).permissions}


def test_each_role_permits_what_the_table_in_the_docs_says() -> None:
    assert permitted("read") == {"search"}
    assert permitted("read-restricted") == {"search", "restricted"}
    assert permitted("write") == {"search", "write"}
    assert permitted("admin") == {"search", "restricted", "write", "explain", "export", "keys"}


def test_roles_add_up() -> None:
    assert permitted("write", "read-restricted") == {"search", "restricted", "write"}
    assert parse_roles(["admin", "read", "read"]) == (Role.READ, Role.ADMIN)


@pytest.mark.parametrize("names", [(), ("boss",), ("read", "Admin"), ("",)])
def test_what_is_no_role_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="read, read-restricted, write, admin"):
        parse_roles(names)


@pytest.mark.parametrize("tenant", ["", "a\nb", "a\0", "x" * 121])
def test_what_is_no_name_of_a_tenant_is_refused(tenant: str) -> None:
    with pytest.raises(UsageError, match="tenant name"):
        Credential(tenant, (Role.READ,))


def test_who_lacks_a_role_hears_which_would_do() -> None:
    reader = Credential("acme", (Role.READ,))
    reader.check(Permission.SEARCH, what="search")
    with pytest.raises(Forbidden, match=r"^ingest needs the role write or admin; this credential has read$"):
        reader.check(Permission.WRITE, what="ingest")


def test_a_credential_ends_when_it_says() -> None:
    passing = Credential("acme", (Role.ADMIN,), expires=NOW)
    passing.check(Permission.KEYS, what="keys", now=NOW - timedelta(seconds=1))
    with pytest.raises(Unauthorized, match="expired at 2026-01-01T00:00:00") as refused:
        passing.check(Permission.KEYS, what="keys", now=NOW)
    assert refused.value.reason == "expired"


def test_an_end_without_a_time_zone_is_refused() -> None:
    with pytest.raises(UsageError, match="time zone"):
        Credential("acme", (Role.READ,), expires=datetime(2026, 1, 1))
