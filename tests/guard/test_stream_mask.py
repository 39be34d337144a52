"""A secret that comes in pieces is masked as one that comes at once, and other text does not wait for its end."""

import random

import pytest

from ragstone.guard import StreamMask, mask_secrets
from tests.guard.test_every_output import SECRETS, leaks
from tests.speed import in_step


def told(text: str, chance: random.Random) -> list[str]:
    """What a mask gives for a text in pieces of chance."""
    mask, at, out = StreamMask(), 0, []
    while at < len(text):
        size = chance.randint(1, 9)
        out.append(mask.feed(text[at : at + size]))
        at += size
    return [*out, mask.close()]


@pytest.mark.parametrize("name", SECRETS)
def test_no_piece_shows_a_secret(name: str) -> None:
    text = f"Okapis are kept here.\n\n{SECRETS[name][0]}\nThe end of it, with some words behind it.\n"
    for seed in range(20):
        out = told(text, random.Random(seed))
        assert leaks("".join(out)) == []
        assert "".join(out) == mask_secrets(text)


def test_a_table_is_masked_whatever_its_length() -> None:
    rows = "".join(f"| host{n} | S3cr3t-9x{n}Lion |\n" for n in range(30))
    text = f"The hosts:\n\n| host | password |\n|---|---|\n{rows}\nThat is all.\n"
    assert "S3cr3t" not in "".join(told(text, random.Random(1)))


WIDE = {  # headings whose first cells stand more than a few words before the one that tells
    "bars": "| user | full name | where they work | mail | password |\n|---|---|---|---|---|\n"
    "| bob | Bob B | zoo | b@z | Tr0ub4dor-9x |\n",
    "semicolons": "user; full name; where they work; mail; password\nbob;Bob B;zoo;b@z;Tr0ub4dor-9x\n",
    "commas": "user, full name, where they work, mail, password\nbob, Bob B, zoo, b@z, Tr0ub4dor-9x\n",
    "tex": "user & full name & where they work & mail & password \\\\\nbob & Bob & zoo & b@z & Tr0ub4dor-9x \\\\\n",
    "simple": "====  =========  ===============  ============\nuser  full name  where they work  password\n"
    "====  =========  ===============  ============\nbob   Bob B      zoo              Tr0ub4dor-9x\n",
    "html": "<table>\n<tr>\n<th>user</th>\n<th>full name</th>\n<th>where they work</th>\n<th>password</th>\n</tr>\n"
    "<tr>\n<td>bob</td>\n<td>Bob</td>\n<td>zoo</td>\n<td>Tr0ub4dor-9x</td>\n</tr></table>\n",
    "asciidoc": "|===\n| user | full name | where they work | password\n| bob | Bob | zoo | Tr0ub4dor-9x\n|===\n",
    "wiki": "{|\n! user\n! full name\n! where they work\n! password\n|-\n| bob\n| Bob\n| zoo\n| Tr0ub4dor-9x\n|}\n",
    "wiki line": "! user !! full name !! where they work !! password\n|-\n| bob || Bob || zoo || Tr0ub4dor-9x\n",
    "items": ".. list-table::\n\n   * - user\n     - full name\n     - where they work\n     - password\n"
    "   * - bob\n     - Bob\n     - zoo\n     - Tr0ub4dor-9x\n",
}


@pytest.mark.parametrize("kind", WIDE)
def test_a_wide_heading_is_read_from_its_first_cell(kind: str) -> None:
    text = f"Okapis.\n\n{WIDE[kind]}\nThe end of it, with some words behind it.\n"
    for seed in range(20):
        out = "".join(told(text, random.Random(seed)))
        assert "Tr0ub4dor" not in out
        assert out == mask_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "password: [required]\n\nPasswords of the zoo:\n\n1. Tr0ub4dor-9x\n2. Zeb-Cr0ss-77\n",
        "10.20.30.40 (keeper/Tr0ub4dor-9X)\n\nThe passwords of it are kept elsewhere.\n",
    ],
)
def test_what_tells_a_secret_does_not_go_on_before_it(text: str) -> None:
    for seed in range(20):
        out = "".join(told(f"Okapis.\n\n{text}\nThe end of it, with some words.\n", random.Random(seed)))
        assert "[masked:password]" in out
        assert "Tr0ub4dor" not in out


@pytest.mark.parametrize("text", ["okapi ", "this passage passes a session by keyboard to the monkeys and "])
def test_text_that_names_no_secret_goes_on_at_once(text: str) -> None:
    mask, shown = StreamMask(), ""
    for word in (words := [f"{word} " for word in (text * 40).split()]):
        shown += mask.feed(word)
    assert len(shown) >= sum(map(len, words[:-6]))


def test_a_long_answer_costs_linear_time() -> None:
    for unit in ("okapi ", "password: x ", "password\n\n", "a"):

        def stream(size: int, unit: str = unit) -> None:
            mask = StreamMask()
            for _ in range(size):
                mask.feed(unit)
            mask.close()

        in_step(stream, 5_000, 20_000, most=8)
