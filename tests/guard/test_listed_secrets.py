"""Secrets in lists, nested structures and columns below a name: each is masked, whatever the notation."""

import pytest

from ragstone.core.types import Span
from ragstone.guard import StreamMask, locate_secrets, mask_patterns, mask_secrets, select_secrets

ONE, OTHER = "Tr0ub4dor-9x", "Zeb-Cr0ss-77"
LISTS = {
    "json1": f'{{"passwords": ["{ONE}", "{OTHER}"]}}',
    "json2": f'{{\n  "passwords": [\n    "{ONE}",\n    "{OTHER}"\n  ]\n}}',
    "yaml": f"passwords:\n  - {ONE}\n  - {OTHER}\n",
    "yaml0": f"passwords:\n- {ONE}\n- {OTHER}\nother: x",
    "yamlq": f"db:\n  passwords:   # of the zoo\n    - \"{ONE}\"\n    - '{OTHER}'\n",
    "nest": f'{{\n  "password": {{\n    "value": "{ONE}"\n  }}\n}}',
    "toml": f'passwords = [\n    "{ONE}",\n    "{OTHER}",\n]',
    "sec": f'"secrets": [\n  "{ONE}" ]',
    "flow": f"passwords: [{ONE}, {OTHER}]",
    "deep": f"passwords:\n  prod:\n    - {ONE}\n  dev:\n    - {OTHER}\n",
    "map": f"passwords:\n  bob: {ONE}\n  alice: {OTHER}\n",
    "mapj": f'{{"passwords": {{"bob": "{ONE}", "alice": "{OTHER}"}}}}',
    "block": f"password: |\n  {ONE}\n  {OTHER}\n",
    "block2": f"password:\n  - |\n    {ONE}\n",
    "py": f'PASSWORDS: list[str] = ["{ONE}", "{OTHER}"]',
    "pyt": f'passwords = ("{ONE}", "{OTHER}")',
    "go": f'passwords := []string{{"{ONE}", "{OTHER}"}}',
    "java": f'String[] passwords = {{"{ONE}", "{OTHER}"}};',
    "java2": f'List<String> passwords = List.of("{ONE}", "{OTHER}");',
    "js": f'const passwords = new Set(["{ONE}", "{OTHER}"]);',
    "hcl": f'secrets = ["{ONE}", "{OTHER}"]',
    "hcl2": f'passwords = {{\n  bob = "{ONE}"\n  alice = "{OTHER}"\n}}',
    "users": f'{{"users": [{{"name": "bob", "pass": "{ONE}"}}, {{"name": "al", "pass": "{OTHER}"}}]}}',
    "users2": f"users:\n  - name: bob\n    pass: {ONE}\n  - name: al\n    pass: {OTHER}\n",
    "xml": f"<passwords><item>{ONE}</item><item>{OTHER}</item></passwords>",
    "xml2": f"<password>\n  <value>{ONE}</value>\n</password>",
    "xml3": f"<credentials>\n <credential><user>bob</user><secret>{ONE}</secret></credential></credentials>",
    "md": f"Passwords:\n\n- {ONE}\n- {OTHER}\n",
    "md2": f"**Passwords:**\n\n* `{ONE}`\n* `{OTHER}`\n",
    "md3": f"## Passwords\n\n- bob: {ONE}\n- alice: `{OTHER}`\n",
    "md4": f"Passwords of the zoo:\n\n1. {ONE}\n2. {OTHER}\n",
    "german": f"Passwörter:\n- {ONE}\n- {OTHER}\n",
    "german map": f"kennwörter:\n  bob: {ONE}\n  al: {OTHER}\n",
    "bob": f"Passwords:\n- bob / {ONE}\n",
    "tex": f"\\begin{{tabular}}{{ll}}\nuser & password \\\\\n\\hline\n"
    f"bob & {ONE} \\\\\nal & {OTHER} \\\\\n\\end{{tabular}}",
    "org": f"| user | password |\n|------+----------|\n| bob  | {ONE} |\n| al | {OTHER} |",
    "adoc": f"|===\n|user |password\n\n|bob |{ONE}\n|al |{OTHER}\n|===",
    "adoc2": f"|===\n|user |password\n\n|bob\n|{ONE}\n\n|al\n|{OTHER}\n|===",
    "adoc3": f"|===\n|user |password\n|bob |{ONE}\n\n|al |{OTHER}\n|===\n\nBelow it.",
    "grid": f"+------+--------------+\n| user | password     |\n+======+==============+\n"
    f"| bob  | {ONE} |\n+------+--------------+\n| al   | {OTHER} |\n+------+--------------+",
    "simple": f"====  ============\nuser  password\n====  ============\n"
    f"bob   {ONE}\nal    {OTHER}\n====  ============\n",
    "ltable": f".. list-table::\n   :header-rows: 1\n\n   * - user\n     - password\n"
    f"   * - bob\n     - {ONE}\n   * - al\n     - {OTHER}\n",
    "csvt": f".. csv-table::\n   :header: user, password\n\n   bob, {ONE}\n   al, {OTHER}\n",
    "html": f"<table><tr><th>user</th><th>password</th></tr>\n"
    f"<tr><td>bob</td><td>{ONE}</td></tr><tr><td>al</td><td>{OTHER}</td></tr></table>",
    "wiki": f'{{| class="wikitable"\n! user !! password\n|-\n| bob || {ONE}\n|-\n| al || {OTHER}\n|}}',
    "comments": f"passwords:\n  # of the zoo\n  - {ONE} # bob's\n\n  - '{OTHER}'  # al's\n",
    "pycomments": f'passwords = [\n    "{ONE}"  # bob\'s\n    ,"{OTHER}",\n]',
    "bullets of flow": f"passwords:\n- {{user: bob, value: {ONE}}}\n- {{user: al, value: {OTHER}}}\n",
    "shell": f'PASSWORDS=("{ONE}" "{OTHER}")',
    "words": f"my @passwords = qw({ONE} {OTHER});",
    "shell words": f"passwords=({ONE} {OTHER})",
    "ruby words": f"PASSWORDS = %w[{ONE} {OTHER}]",
    "powershell": f"$passwords = @{{ bob = '{ONE}'; al = '{OTHER}' }}",
    "go map": f'passwords := map[string]string{{\n\t"bob": "{ONE}",\n\t"al":  "{OTHER}",\n}}',
    "rust": f'let passwords: &[&str] = &["{ONE}", "{OTHER}"];',
    "hcl3": f'variable "passwords" {{\n  type = list(string)\n  default = ["{ONE}", "{OTHER}"]\n}}',
    "sections": f'[passwords]\n# of the zoo\nbob = "{ONE}"\nal = {OTHER}\n\n[other]\nname = "Str0ng1Val"\n',
    "underlined": f"Passwords\n---------\n\n- {ONE}\n- {OTHER}\n",
    "a sentence": f"The passwords for the zoo are:\n\n- {ONE}\n- {OTHER}\n",
    "sentence2": f"The following passwords are valid today:\n- {ONE}\n- {OTHER}\n",
    "arrows": f"Passwords:\n- bob -> {ONE}\n- al – {OTHER}\n",
    "quoted mail": f"> Passwords:\n>\n> - {ONE}\n> - {OTHER}\n",
    "bom": f"\ufeffpasswords:\n  bob: {ONE}\n  al: {OTHER}\n",
    "orgblank": f"| user | password |  \n|------+----------|  \n| bob  | {ONE} |  \n| al | {OTHER} |  ",
    "wiki with styles": f'{{|\n! user !! id="x" | password\n|-\n| bob || id="y" | {ONE}\n|-\n| al || {OTHER}\n|}}',
    "double bars": f"||user||password||\n|bob|{ONE}|\n|al|{OTHER}|\n",
    "one line": f"Passwords: {ONE}, {OTHER}",
    "one line with and": f"The zoo. Passwords: `{ONE}` and `{OTHER}`",
    "bare lines": f"Passwords:\n{ONE}\n{OTHER}\n\nText below.",
    "html bullets": f"<p>Passwords:</p>\n<ul class='x'><li>{ONE}</li>\n<li><b>{OTHER}</b></li></ul>",
    "merged heading": "<table><tr><th rowspan='2'>host</th><th colspan='2'>login</th></tr>\n<tr><th>user</th>"
    f"<th>password</th></tr><tr><td>a</td><td>bob</td><td>{ONE}</td></tr>"
    f"<tr><td>b</td><td>al</td><td>{OTHER}</td></tr></table>",
    "merged cells": f"<table><tr><th>host</th><th>user</th><th>password</th></tr><tr><td rowspan=2>a</td><td>bob</td>"
    f"<td>{ONE}</td></tr><tr><td>al</td><td>{OTHER}</td></tr></table>",
    "anchors": f"common: &first {ONE}\nuser: bob\npassword: *first\n"
    f"other: &second '{OTHER}'\nadmin:\n  password: *second\n",
    "tags": f"password: !!str {ONE}\nadmin_password: &own {OTHER} # of al\n",
    "esc": f'"{{\\"passwords\\": [\\"{ONE}\\", \\"{OTHER}\\"]}}"',
}
ORDINARY = [
    "<table><tr><th>Rule</th><th>Password</th></tr><tr><td>hash</td><td>SHA256</td></tr><tr><td>a</td><td>OAuth2.0</td></tr></table>",
    "|===\n|Rule |Password\n\n|length |min:8\n|===",
    "Option & Password \\\\\nlength & $\\geq$8 \\\\\nsource & \\cite{Smith2020} \\\\\nnote & yes\\footnote{a1} \\\\\n",
    "Passwords :\n- Windows10/11\n- ISO27001\n",
    '[secrets]\npath = Db1Password2\nbackend = "file"\nmode = AesGcm256\n',
    "The tokens are:\n- LlamaTokenizer\n- ERC20Permit\n",
    "tokens = {\n    'root': [\n        (r'\\d+\\.\\d*(e[0-9]+)?', Float),\n    ('dv2uvF_Wrap', 'int2p_n_Wrap')]\n}",
    "if password:\n    salt = make(Str0ng)\n    options.put_u32(Rounds9)\n",
    "tests = {'pass': [\"Lion4Run()\", 'Zoo2Open(1)']}",
    "<tr><th>token</th><th>use</th></tr><tr><td>minWordSizefor1Typo</td><td>x</td></tr>",
    "tokens: [the, cat, sat]",
    "- Passwords: ISO27001:A.9.4.3",
    "Passwords: ISO27001:A.9.2, BS7799-2:2002",
    "Passwords: hashed, salted and rotated",
    "Tokens: Words2Go, and parts of Str0ng words.",
    "Passwords:\nRotation\nare kept for 2weeks",
    "<p>Passwords:</p><ul><li>none of them</li><li>at least 8chars of it</li></ul>",
    "common: &first zoo2lions\nname: *first\npassword: *second\n",
    'tokens: ["the", "cat2", "sat"]',
    "secrets: [db-password-name]",
    "secrets:\n  - db-password-1\n  - app2-secret-v1\n",
    "passwords: [REDACTED]",
    "Passwords:\n- use at least 12 characters\n- SHA256\n- see Chapter2A of it\n",
    'password: {\n  type: "string",\n  pattern: "^Aa1{3}",\n  minLength: 8\n}',
    '{"password": {"type": "string", "format": "Base64", "title": "Pass1Word"}}',
    "secrets:\n  db_password:\n    file: ./Db_password2.txt\n",
    'passwords = get("Server01Abc!")',
    "token = foo(bar2Baz9QuxA1)",
    "secrets:\n  - source: my_Secret1a2b3c\n    target: redis_secret\n",
    "Passwords:\n\n- PBKDF2-SHA256\n- argon2id\n- ES256-K1\n",
    "credentials:\n  user: Bob2Alice!x\n",
    'passwords = ["changeme", "<your-password>", "example"]',
    'passwords: ["at least 12 characters", "no words"]',
    'password: ["required", "min:8", "max:32"]',
    "'password' => ['required', 'string', 'min:8', 'confirmed'],",
    "curl -u <user>:<password> <host1A>\nfoo",
    "passwords = [\nThis is Pr0se2Go with words\nthat goes on A1b2C3d4e, and more A1b2C3d4e\n",
    "## Passwords\n\nThe password of Foo is stored.\n\n- A1b2\n",
    "tokens:\n  - utf8mb4_unicode_ci\n  - Version2Alpha\n",
    "password:\n  secretKeyRef:\n    name: db1\n    key: Db1Password",
    'secrets: ["projects/x/secrets/Db1Password2"]',
]


@pytest.mark.parametrize("notation", LISTS)
def test_each_value_below_a_name_is_masked(notation: str) -> None:
    masked, _ = mask_patterns(f"Above.\n\n{LISTS[notation]}")
    assert ONE not in masked
    assert OTHER not in masked
    assert masked.count("[masked:") == LISTS[notation].count(ONE) + LISTS[notation].count(OTHER)


def test_a_sign_of_a_wiki_within_a_password_does_not_end_it() -> None:
    text = "{|\n! user !! password\n|-\n| bob || Tr0ub4dor!9x\n|}"
    assert mask_patterns(text)[0] == text.replace("Tr0ub4dor!9x", "[masked:password]")


@pytest.mark.parametrize("notation", LISTS)
def test_lines_may_end_as_on_windows(notation: str) -> None:
    masked, _ = mask_patterns(f"Above.\n\n{LISTS[notation]}\n\nBelow.\n".replace("\n", "\r\n"))
    assert masked == mask_patterns(f"Above.\n\n{LISTS[notation]}\n\nBelow.\n")[0].replace("\n", "\r\n")


@pytest.mark.parametrize("tag", ['<password">', "<secret*>", f"<passwords_prod{'a' * 80}>", '<password rule="1"/>'])
def test_a_tag_that_is_spoiled_or_empty_opens_nothing(tag: str) -> None:
    text = f"<a>{tag}</b><value>{ONE}</value></a>"
    assert mask_patterns(text) == (text, ())


@pytest.mark.parametrize("notation", LISTS)
def test_a_stream_masks_it_too(notation: str) -> None:
    whole = f"Above.\n\n{LISTS[notation]}"
    mask = StreamMask()
    shown = "".join([*(mask.feed(whole[at : at + 3]) for at in range(0, len(whole), 3)), mask.close()])
    assert shown == mask_patterns(whole)[0]


@pytest.mark.parametrize("text", ORDINARY)
def test_names_rules_and_prose_in_lists_stay(text: str) -> None:
    assert mask_patterns(text) == (text, ())


@pytest.mark.parametrize("notation", LISTS)
def test_a_chunk_that_begins_within_the_list_is_masked_by_what_its_document_says(notation: str) -> None:
    record = f"Above.\n\n{LISTS[notation]}\n\nBelow.\n"
    found = locate_secrets(record)
    for start in range(8, len(record) - 1, 5):
        spans = [Span(start, min(start + 40, len(record)), 1, 1)]
        shown = mask_secrets(record[start : spans[0].char_end], spans, select_secrets(found, spans))
        assert not [part for part in (ONE[:5], ONE[-5:], OTHER[:5], OTHER[-5:]) if part in shown]


def test_a_list_goes_on_over_blank_lines_in_a_stream() -> None:
    text = "passwords = [\n" + "".join(f'    "{ONE}{i}",\n\n' for i in range(40)) + "]\n\nAfter it.\n\nThe end.\n"
    mask = StreamMask()
    shown = "".join([*(mask.feed(text[at : at + 7]) for at in range(0, len(text), 7)), mask.close()])
    assert shown == mask_patterns(text)[0]
    assert ONE not in shown


def test_what_stands_in_quotes_that_a_text_cuts_is_masked() -> None:
    assert ONE[:9] not in mask_patterns(f'"passwords": ["{OTHER}", "{ONE[:9]}')[0]


def test_a_list_that_never_ends_hides_nothing_of_the_prose_below() -> None:
    text = f'passwords = ["{ONE}",\n\nThe lions of the zoo sleep in Hall2Alpha at night.\nThey roar in "Hall3Beta9".\n'
    assert mask_patterns(text)[0] == text.replace(ONE, "[masked:password]")
