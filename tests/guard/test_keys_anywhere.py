"""Keys of any vendor, tokens with a prefix, passwords that are words, and identifiers that only look like keys."""

import pytest

from ragstone.guard import StreamMask, find_secrets, mask_patterns

HEX = "9c41e07ab3d25f688e1704cbd9f32a56"
MIXED = "tR7wQz4LmXc92VbNk8YpHs3JdGf6"
LOWER = "k3v9q2zt7m4xw8bn5cr1hd6pj0sf"
SECRETS = [
    f"LIONFINDER_KEY={HEX}",
    f'zebraKey: "{MIXED}"',
    f"lion finder key = {HEX}",
    f"lions link --key={HEX} --host=zoo.example.org",
    f"keeper_pat: {MIXED}",
    f"zebra-api = {HEX}",
    f"nest key: {LOWER}",
    f"lion_key = {HEX}.{MIXED}",
    f"Zebra api key {HEX}",
    f"API Key\n{HEX}",
    f"api_key = {MIXED[:10]}.{MIXED}",
    f'client = Lions("lnx_{MIXED}9aB4")',
    f"use ZOO-{MIXED}9aB4 for the gate",
    f"zoo_{LOWER}{LOWER}",
    f"Client Secret {HEX}12ab34cd",
    "Zebra-Auth-Key 5ef4a0d1-7e1f-47b2-ac0a-1282002aa2a1:zoo",
    f"https://{MIXED}:@git.zoo.example.org/lions.git",
    f"live_auth_{HEX}",
    f"sk_{HEX}",
    f"sk_live_{HEX}1f8e07ab",
    f"live_{HEX}",
    f"git clone https://{MIXED}@git.zoo.example.org/lions.git",
]
WORDS = [
    "ZOO_DB_PASSWORD=lionessa",
    "export ZOO_PASS=lionessa",
    "      MYSQL_ROOT_PASSWORD: lionessa",
    "Server=db;Port=5432;User Id=keeper;Password=lionessa;Database=zoo;",
]
NONE = [
    f"public_key = {HEX}",
    f"cache key: {HEX}",
    f"ssh key fingerprint = {HEX}",
    f"the key {HEX.upper()}AB12CD34 signs releases",
    f"lions.py,sha256={MIXED}_-{MIXED},42",
    f"sha512-{MIXED}{MIXED}",
    f'"NextToken": "{MIXED}"',
    f'"nextPageToken": "{MIXED}"',
    "secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:zoo/Lions-a1B2c3",
    "PASS: 64-bit lions roar",
    "PASS: zoo.base/lions-c++.exp: print all",
    "tests pass: `pytest tests/lions_2A.py` and lint",
    "ZOO_PASSWORD: z.string().optional(),",
    "password = zoo?.remote?.Password2",
    '["lion_secretbox", "zoo_secretstream_x2lions_init"]',
    f'"jobId": "lnx_{MIXED}9aB4"',
    "zoo-api-key-bGlvbnMgcm9hciBhdCBuaW5lIGFtIQ",
    "file-tR7wQz4LmXc92VbNk8YpHs3J",
    "ZOO_NATIVE_lions_div_qr_1n_pi1_A2",
    "ZOO_PASSWORD=changeme",
    "password: lionessa is what zebras say",
    "https://zebra@zoo.example.org/lions",
    f"{MIXED}KEY\n{MIXED}+/{MIXED}=",
    f"fingerprint of the key: SHA256:{MIXED}{MIXED[:15]}",
    f"document_key: {HEX}",
    "order key: 5ef4a0d1-7e1f-47b2-ac0a-1282002aa2a1",
    "ZOO_PASS=passed",
    "ZOO_PASS: failed",
    f"image: zoo/lions:prod-{HEX}1f8e07ab",
    f"zoo-test-{HEX}1f8e07ab",
    "test_5ef4a0d1-7e1f-47b2-ac0a-1282002aa2a1",
    f"prod-sha256-{HEX}{HEX}",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_key_is_masked_whoever_issued_it(text: str) -> None:
    masked, found = mask_patterns(text)
    assert [one.kind for one in found] == ["api_key"]
    assert not any(part in masked for part in (HEX[:8], MIXED[:8], LOWER[:8], "5ef4a0d1"))


@pytest.mark.parametrize("text", WORDS)
def test_a_word_is_a_password_where_nothing_else_stands(text: str) -> None:
    masked, found = mask_patterns(text)
    assert [one.kind for one in found] == ["password"]
    assert "lionessa" not in masked


@pytest.mark.parametrize("text", NONE)
def test_identifiers_digests_and_verdicts_stay(text: str) -> None:
    assert find_secrets(text) == []


def test_an_encrypted_vault_is_masked_whole() -> None:
    text = "$ANSIBLE_VAULT;1.1;AES256\n" + 500 * f"{HEX}\n" + "end"
    assert mask_patterns(text)[0] == "[masked:password]\nend"


@pytest.mark.parametrize("text", [*SECRETS, *WORDS])
def test_a_stream_masks_it_too(text: str) -> None:
    whole = f"Above.\n\n{text}\n\nBelow."
    mask = StreamMask()
    shown = "".join([*(mask.feed(whole[at : at + 3]) for at in range(0, len(whole), 3)), mask.close()])
    assert shown == mask_patterns(whole)[0]
