"""Secrets are masked with their kind, placeholders stay, masking twice changes nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.guard import find, mask

KEY = "q7Rz2LmX9vTb4NcW8yKd"  # looks random, is none
SECRETS = [
    ("aws_key", "id AKIA" + "Z7QXW3ERTY5UIOP9", "AKIA" + "Z7QXW3ERTY5UIOP9"),
    ("aws_secret", f'aws_secret_access_key = "{KEY}{KEY}"', KEY),
    ("api_key", "token ghp_" + KEY * 2, KEY),
    ("api_key", f"API_KEY={KEY}", KEY),
    ("bearer", f"Authorization: Bearer {KEY}", KEY),
    ("password", 'password: "hunter2!"', "hunter2!"),
    ("password", "postgres://app:S3cr3t-9x@db/prod", "S3cr3t-9x"),
    ("password", "curl -u admin:S3cr3t-9x https://h/", "S3cr3t-9x"),
    ("jwt", f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.{KEY}", KEY),
    ("private_key", "-----BEGIN RSA PRIVATE KEY-----\n" + KEY * 9 + "\n-----END RSA PRIVATE KEY-----", KEY),
    ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + KEY * 9, KEY),
]


@pytest.mark.parametrize(("kind", "text", "secret"), SECRETS)
def test_a_secret_is_masked_with_its_kind(kind: str, text: str, secret: str) -> None:
    masked, findings = mask(f"before {text} after")
    assert secret not in masked
    assert f"[masked:{kind}]" in masked
    assert kind in [finding.kind for finding in findings]
    assert masked.startswith("before ")


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=<your-api-key>",
        "password: ${DB_PASSWORD}",
        "password: xxxxxxxx",
        "token = os.environ['TOKEN']",
        "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
        "https://user:password@host/",
        "password_file: /etc/secrets/pw1",
        "The password: it must have 8 characters.",
        "Authorization: Bearer <token>",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 2395dbe1c7a9e0f1d2c3b4a5968778695a4b3c2d",
        "bearer_token: string",
        "The secret to success: perseverance and 3 friends",
    ],
)
def test_placeholders_and_look_alikes_stay(text: str) -> None:
    assert mask(text) == (text, ())


PIECES = st.sampled_from(
    [
        *(text for _, text, _ in SECRETS),
        KEY,
        "password=",
        "token: ",
        '"',
        "'",
        " ",
        "\n",
        "://u:",
        "@h",
        "-----",
        "x",
        "[masked:jwt]",
        "Bearer ",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=8).map("".join)))
@settings(max_examples=200, deadline=None)
def test_masking_a_masked_text_changes_nothing(text: str) -> None:
    masked, _ = mask(text)
    assert mask(masked) == (masked, ())


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=100, deadline=None)
def test_findings_are_in_order_and_never_overlap(text: str) -> None:
    found = find(text)
    edges = [edge for finding in found for edge in (finding.start, finding.end)]
    assert edges == sorted(edges)
    assert all(0 <= f.start < f.end <= len(text) for f in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "<",
        "key=",
        "password",
        'password="',
        "token:",
        "-----BEGIN PRIVATE KEY-----\n",
        "-",
        "eyJ",
        "eyJa.",
        "://a:",
        "bearer ",
        "curl ",
        "curl -u ",
        "1aQ~",
        "sk-",
        "AKIA",
        "token='\\",
    ],
)
def test_a_megabyte_of_hostile_text_costs_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        mask(unit * (size // len(unit)))
        return time.process_time() - start

    small, large = seconds(250_000), seconds(1_000_000)
    assert large < 8 * max(small, 0.05)
