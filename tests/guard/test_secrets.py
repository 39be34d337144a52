"""Secrets are masked with their kind, placeholders stay, masking twice changes nothing."""

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.guard import find_secrets, mask_patterns, secrets
from tests.speed import in_step

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
    masked, findings = mask_patterns(f"before {text} after")
    assert secret not in masked
    assert f"[masked:{kind}]" in masked
    assert kind in [finding.kind for finding in findings]
    assert masked.startswith("before ")


WORD = "S3cr3t-9xLion"
SPELLINGS = [
    f"- **password**: `{WORD}`",
    f"**Password:** {WORD}",
    f"- <b>password</b>: {WORD}",
    f"<password>{WORD}</password>",
    f"<td>password</td><td>{WORD}</td>",
    f"<dt>password</dt>\n<dd>{WORD}</dd>",
    f'<add key="password" value="{WORD}"/>',
    f"db:\n  password:\n    {WORD}\n  user: x",
    f"db:\n  password: |\n    {WORD}\n",
    f"Password:\n\n```\n{WORD}\n```",
    f'- name: DB_PASSWORD\n  value: "{WORD}"',
    f"| host | password |\n|---|---|\n| lion | {WORD} |",
    f"host | Password (admin)\n--- | :---:\nlion | `{WORD}`",
    f"| DB password | {WORD} |",
    f"mysql --password {WORD} -h db",
    f"The admin password is `{WORD}`.",
    f'{{"text": "{{\\"password\\": \\"{WORD}\\"}}"}}',
    f"password：{WORD}",
    f"| user | API key |\n|---|---|\n| x | {KEY} |",
    f"API key: `{KEY}`",
    f'passphrase: "Gir4ffe tall? {WORD} Yes it Is9 long"',
    f'password: "Corr3ct! {WORD} battery staple7"',
    "BUNDLE_GEMS__CONTRIBSYS__COM=ca11ab1e:deadbeef",
    f"host,password\nlion,{WORD}",
    f'"host","API key"\n"lion","{KEY}"',
    f"user;Passwort;since\r\nanna;{WORD};2020\r\n\r\nbob;{WORD}2;2021\r\n",
    f"Machines of 2024\n\nhost\ttoken\nlion\t{KEY}",
    f'note,password\n"two\nlines, and a comma",{WORD}\ntiger,"with ""quotes"" {WORD}"',
    f"host,password\nlion,Corr3ct! {WORD} battery",
    f"name,value\npassword,{WORD}\nhost,lion",
    f"| Access | | x |\n|---|---|---|\n| user | password | since |\n| anna | {WORD} | 2020 |",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_spellings_of_code_markup_and_tables_are_known(text: str) -> None:
    masked, _ = mask_patterns(text)
    assert not any(secret in masked for secret in (WORD, KEY, "ca11ab1e", "tall", "battery"))
    assert "[masked:" in masked


def test_an_encrypted_key_is_a_key_and_one_that_is_cut_short_ends_with_its_lines() -> None:
    begin, body = "-----BEGIN RSA PRIVATE KEY-----\n", f"{KEY}{KEY}\n" * 3
    head = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n"
    assert mask_patterns(f"{begin}{head}{body}-----END RSA PRIVATE KEY-----\nafter")[0] == "[masked:private_key]\nafter"
    assert mask_patterns(f"{begin}{body}abc=\n\nThis is prose.")[0] == "[masked:private_key]\n\nThis is prose."


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
        'password: "The base64 encoded password of the user"',
        'password: "must be at least 8 characters long, with 2FA"',
        "| Password | OAuth2 |",
        "| password | Base64-encoded |",
        "| Parameter | Password |\n|---|---|\n| a | string |",
        "password:\n  secretKeyRef:\n    name: db1",
        "Password:\n  min8chars: 5",
        "The password is `string`.",
        "--password PASSWORD",
        "echo $token | base64 -d",
        "password: **required**",
        "- `password` (string): base64-encoded",
        "-Credential Domain01\\Admin01",
        "UserSecretsId: 79a3edd0-2092-40a2-a04d-dcb46d5ca9ed",
        "host,password,token_file\nlion,changeme,/etc/x",
        "name,value\npassword,required\nhost,db2-host",
        "topic,password\nlogin,see the manual of 2024",
        "Use a password, token or key,\nas in 3xAmple!1, foo2bar, x",
        "connect(user, password)\nconnect(root, S3cr3t9x)",
        "| | Default |\n|---|---|\n| password | none |\n| db2-host | lion |",
    ],
)
def test_placeholders_and_look_alikes_stay(text: str) -> None:
    assert mask_patterns(text) == (text, ())


def test_rows_end_where_other_text_begins_and_the_time_is_linear() -> None:
    masked, _ = mask_patterns(f"host,password\nlion,{WORD}\n\nAfter it, {WORD} is a word\n")
    assert masked == f"host,password\nlion,[masked:password]\n\nAfter it, {WORD} is a word\n"
    for part in ('password,"', "password,a\n", 'password,"a\n', "token;\n\n", '"",token,', "a,password\nb,c\n\n"):
        in_step(lambda size, part=part: find_secrets(part * (size // len(part))), 40_000, 160_000, most=12)  # type: ignore[misc]


SIGNS = "&(),;'\"<>$%@[{!#*+=?^~|/}]"
PLACES = (
    "password: {}",
    "DB_PASSWORD={}",
    "The password is {}",
    "the password for admin is {}",
    "db:\n  password: {}\n  user: x",
    "export PGPASSWORD={}",
    "Contraseña: {}",
    "mot de passe : {}",
    "Passwort: {}",
    "mysql -uroot -p{} db",
    "sshpass -p {} ssh h",
)


def test_generated_passwords_are_masked_whole() -> None:
    """300 values at each place, with signs in them or before them; the seed is none that the rules were made with."""
    chance = random.Random(2024)
    letters = string.ascii_letters + string.digits
    shown: dict[str, int] = {}
    for place in PLACES:
        for _ in range(300):
            value = [chance.choice(letters) for _ in range(chance.randint(10, 20))] + [chance.choice(string.digits)]
            chance.shuffle(value)
            for at in [0, *chance.sample(range(1, len(value)), 2)][chance.randint(0, 1) :]:
                value[at] = chance.choice("$%@(<[{" if at == 0 else SIGNS)
            secret = "".join(value) + chance.choice(string.digits)
            masked = mask_patterns(f"Above.\n{place.format(secret)}\nBelow.\n")[0]
            shown[place] = shown.get(place, 0) + any(secret[i : i + 4] in masked for i in range(len(secret) - 3))
    assert all(count <= 9 for count in shown.values()), shown


PIECES = st.sampled_from(
    [
        *(text for _, text, _ in SECRETS),
        *SPELLINGS,
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
    masked, _ = mask_patterns(text)
    assert mask_patterns(masked) == (masked, ())


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=100, deadline=None)
def test_findings_are_in_order_and_never_overlap(text: str) -> None:
    found = find_secrets(text)
    edges = [edge for finding in found for edge in (finding.start, finding.end)]
    assert edges == sorted(edges)
    assert all(0 <= f.start < f.end <= len(text) for f in found)


def test_names_upon_names_are_hardly_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def counted(value: str) -> bool:
        searched.append(value)
        return False

    monkeypatch.setattr(secrets, "is_placeholder", counted)
    mask_patterns("password=" * 500 + " " + "api_key=" * 500)
    assert len(searched) < 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "password=",
        "api_key=1a",
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
        "| password ",
        "| password |\n|---|\n| x |\n",
        "password:\n",
        "--password ",
        "password is `",
        "password</b>",
        "<password>",
        "password: ```\n",
        "-----BEGIN PRIVATE KEY-----" + "A" * 40 + "\n",
        "password: $[",
        "password=(a;b=",
        "password for a ",
        "mysql -u ",
        "mysql ",
        "docker login ",
        "a:1:b:c:",
        "a:1:",
        "$1$",
        "cookie: a=b; ",
        "cookie",
        'password" {\n  type = x\n',
        "password\n default",
        "PuTTY-User-Key-File-2: x\n",
        "PuTTY-User-Key-File-2: x\nAAAA\n",
        "пароль: ",
        "密码",
        "password='a'b",
        " -u",
        "login a/b",
        "密码是a",
        "AKIAT4WQ7XNR2KVH5JPD ",
        "auth=('a','b",
        "LS0tLS1CRUdJTi",
        "passwords: [",
        'passwords: ["A1b2c3d4x", ',
        "passwords:\n- A1b2C3d4x\n",
        "passwords:\n a:\n  ",
        '{"passwords": {',
        "<passwords>",
        "<password> ",
        "password & \\",
        "<tr>password ",
        "|===\n|password\n",
        "   * - password\n",
        "! a !! password\n",
        "user  password\n====  =====\n",
        "   :header: a, password\n",
        "||password||\n",
        "[passwords]\na = ",
        '{|\n! password !! a="b" ',
        "passwords=(a ",
    ],
)
def test_hostile_text_costs_linear_time(unit: str) -> None:
    in_step(lambda size: mask_patterns(unit * (size // len(unit))), 40_000, 160_000, most=8)
