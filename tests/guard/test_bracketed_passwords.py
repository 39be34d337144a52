"""Passwords in brackets and beside a user, defaults of look-ups, and keys that only rare pairs of letters tell."""

import random
import string
from collections.abc import Callable

import pytest

from ragstone.guard import mask_patterns
from ragstone.guard.plausible import is_key, is_long_key

WORD = "Wm7kTq2Zb"
PLACES = [
    f"password({WORD})",
    f"PASSWORD ({WORD})",
    f"pw(default: {WORD})",
    f"비밀번호({WORD})",
    f"ID/PW: keeper/{WORD}",
    f"user/password = keeper / {WORD}",
    f"Login and access (ID/PWD) -> keeper:{WORD}, ask Ann",
    f"id pw keeper {WORD}",
    f"아이디/PW: keeper/{WORD}",
    f"user/pw for zoo (keeper/{WORD})",
    f"10.20.30.40 (keeper/{WORD})",
    f"keeper@10.20.30.40:22(keeper/{WORD})",
    "Password Okapi#27b",
    f'password = os.environ.get("PASSWORD") or "{WORD}"',
    f'const password = process.env["PASSWORD"] ?? "{WORD}";',
    "Access Token Wm7kTq2ZbX94Lp",
    "https://zoo.example.org/v1/animals?key=4jx28rpw759mdc64kzjhdct7kqjv5zzn",
]
SECRETS = (WORD, "Okapi#27b", "4jx28rpw759")


@pytest.mark.parametrize("text", PLACES)
def test_the_place_of_a_password_tells_it(text: str) -> None:
    masked, found = mask_patterns(f"Above.\n\n{text}\n\nBelow.")
    assert found
    assert not [secret for secret in SECRETS if secret in masked]


@pytest.mark.parametrize("sign", "/,;!#")
def test_a_password_beside_a_user_is_masked_whole(sign: str) -> None:
    assert mask_patterns(f"id pw keeper Wm7kTq2Zb{sign}9x, ask Ann")[0] == "id pw keeper [masked:password], ask Ann"


@pytest.mark.parametrize(
    "text",
    [
        "set_password(Lion2Tiger)",
        "password(user, Str0ngHash)",
        "pass (see Chapter2A)",
        "parse('x://user:pass@example.test/a%2Fb4?x=A')",
        "user/password combination / Base64Encoded",
        "id/pw: keeper/required",
        "10.20.30.40 (lions/tigers)",
        "version 1.2.3.4 (linux/amd64)",
        "Password OAuth2",
        "def test_MAIL_command_rejects_SMTPUTF8_by_default(self):",
        'password or "none"',
        "Access Token LionEmbedding4Manes",
        "https://zoo.example.org/animals?key=name&sort=asc",
        "https://zoo.example.org/animals?key=thenameofanimal2and3othersofthezoo",
    ],
)
def test_calls_prose_and_versions_stay(text: str) -> None:
    assert mask_patterns(text) == (text, ())


@pytest.mark.parametrize(
    ("letters", "is_found"),
    [(string.ascii_lowercase, is_long_key), (string.ascii_letters, is_key)],
)
def test_hardly_a_random_key_is_taken_for_a_name(letters: str, is_found: Callable[[str], bool]) -> None:
    chance = random.Random(11)
    keys = ["".join(chance.choice(letters + string.digits) for _ in range(32)) for _ in range(1000)]
    assert sum(map(is_found, keys)) >= 950


@pytest.mark.parametrize(
    "name",
    [
        "projectname2024quarter3reportfinal1",
        "thenameofanimal2and3othersofthezoo",
        "getUserById2FromTheDatabase3Version4",
        "utf8mb40900caseinsensitive1collation2",
    ],
)
def test_names_with_digits_are_no_keys(name: str) -> None:
    assert not is_long_key(name)
