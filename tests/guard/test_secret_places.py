"""Secrets that the place tells: bare keys, words of many languages, commands, calls, pairs of user and password."""

import pytest

from ragstone.guard import StreamMask, mask_patterns

WORD = "Qm7wZebra9"
AWS = "hV3kLm9Q/x2TzRb7NcW4yKdP+8sFgJ1uXoE5aGiq"
KEY = "mQ7Rz2LkX9vTb4NcW8yKdP3sFgJ5uHoE"
LETTERS = "qzxvkwmjhgbp"
PLACE = "zooPassword5"
AWS_ID = "AKIA" + "T4WQ7XNR2KVH5JPD"
FERNET = "p3Xk9_vT-2LmQz7RbN4cWyKd8sFgJ1uXoE5aGiqHtY0="
BARE_KEYS = [
    f"secret {AWS}",
    f"The secret is {AWS}.",
    f"secret: {AWS}",
    f"Secret access key {AWS}",
    f"the secret key is: `{AWS}`",
    f"{AWS_ID} {AWS}",
    f"id {AWS_ID}, then {AWS}",
    f'client("s3", "{AWS_ID}", "{AWS}")',
    f"AWS credentials (secret access key below)\n{AWS}",
    f"use AWS with {AWS} in eu-west-1",
    f"Secret Access Key\n`{AWS}`",
    f"Fernet(b'{FERNET}')",
    f'MultiFernet([Fernet("{FERNET}")])',
    f"key = b'{FERNET}'",
    f'jwt.encode(payload, "{AWS}", algorithm="HS256")',
    f'hmac.new(b"{AWS}", message, sha256)',
    f"createHmac('sha256', '{AWS}')",
]
LANGUAGES = [
    f"пароль: {WORD}!",
    f"Пароль администратора: {WORD}!",
    f"пароль от базы - {WORD}!",
    f"логин lion, пароль {WORD}!",
    f"Das Passwort ist: {WORD}!",
    f"Kennwort für den Zoo: {WORD}!",
    f"Le mot de passe administrateur est : {WORD}!",
    f"La contraseña del zoo es: {WORD}!",
    f"La password di accesso è {WORD}!",
    f"parola d'ordine: {WORD}!",
    f"A senha do banco é: {WORD}!",
    f"palavra-passe: {WORD}!",
    f"Hasło do bazy: {WORD}!",
    f"hasłem jest: {WORD}!",
    f"Het wachtwoord voor de beheerder is: {WORD}!",
    f"Yönetici parolası: {WORD}!",
    f"Şifreniz: {WORD}!",
    f"密码是{WORD}!",
    f"管理员密码为 {WORD}!",
    f"パスワードは「{WORD}!」です",
    f"パスワードは{WORD}です",
    f"비밀번호는 {WORD}! 입니다",
    f"Passordet er {WORD}.",
    f"Adgangskoden til nettet er {WORD}.",
    f"Ο κωδικός είναι {WORD}.",
    f"Heslo je {WORD}.",
    f"My password's {WORD}!",
    f"PW: {WORD}!",
    f"lykilorð: {WORD}!",
    f"пaрол не, лозинка: {WORD}!",
    f"Fjalëkalimi: {WORD}!",
    f"პაროლი: {WORD}!",
    f"pasahitza: {WORD}!",
]
COMMANDS = [
    f"putty -ssh lion@zoo -pw {WORD}",
    f"plink -batch -pw '{WORD} and more' lion@zoo",
    f"plink.exe -l lion -pw {WORD} zoo ls",
    f"helm registry login -u lion -p {WORD}",
    f"oc login -p {WORD} -u lion",
    f"bcp animals out f -U lion -P {WORD}",
    f"psexec \\\\zoo -u lion -p {WORD} cmd",
    f"net user lion {WORD} /add",
    f"net use \\\\zoo\\animals {WORD} /user:lion",
    f"xfreerdp /u:lion /p:{WORD} /v:zoo",
    f"curl --proxy-user lion:{WORD} http://zoo",
    f"keytool -storepass {WORD}",
    f"unzip -P {WORD} animals.zip",
    f"7z x animals.7z -p{WORD}",
    f"snmpwalk -v3 -u lion -A {WORD}",
    f'echo "lion:{WORD}" | chpasswd',
    f"echo {WORD} | docker login -u lion --password-stdin zoo",
    f"sqlplus lion/{WORD}@zoo",
    f"username lion privilege 15 secret {WORD}",
    f"snmp-server community {WORD} RO",
    f"dbpass={WORD}",
    f"psk: {WORD}",
]
PAIRS = [
    f"Log in with lion / {WORD}",
    f"Log in to the console of the zoo as `lion` / `{WORD}`.",
    f"log in as lion:{WORD}",
    f"Use lion / {WORD} to log in",
    f"Credentials: lion / {WORD}",
    f"default credentials (lion/{WORD})",
    f"username/password: lion/{WORD}",
    f"Anmeldung mit lion / {WORD}",
    f"Connexion avec lion / {WORD}",
    f"Вход: lion / {WORD}",
    f"ログイン: lion / {WORD}",
    f"Wi-Fi: Guests / {WORD}",
    f'get(url, auth=("lion", "{WORD}"))',
    f"HTTPBasicAuth('lion', '{WORD}')",
    f'mailbox.login("lion@example.org", "{WORD}")',
    f'getConnection(url, "lion", "{WORD}")',
    f"mysqli_connect('zoo', 'lion', '{WORD}', 'animals')",
    f"CREATE USER lion IDENTIFIED BY '{WORD}'",
    f'ConvertTo-SecureString "{WORD}" -AsPlainText',
    '{"auths": {"zoo": {"auth": "bGlvbjpRbTd3WmVicmE5"}}}',
    "tls.key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVBN2JxOUxrSngw",
]
SHAPES = [
    f'<property name="password">{WORD}</property>',
    f'<string name="api_key">{KEY}</string>',
    f'{{"name": "API_KEY", "value": "{KEY}"}}',
    f'[{{"name":"DB_PASSWORD","value":"{WORD}"}}]',
    f'var password string = "{WORD}"',
    f"let dbPassword: string = '{WORD}';",
    f'if password == "{WORD}":',
    f"process.env.API_KEY || '{KEY}'",
    f'client.setApiKey("{KEY}")',
    f'.withPassword("{WORD}")',
    f"ENV DB_PASSWORD {WORD}",
    f'setx DB_PASSWORD "{WORD}"',
    f"requirepass {WORD}",
    f"zoo --db-password {WORD.lower()}",
    f"CREATE USER lion WITH PASSWORD '{WORD.lower()}';",
    f"ALTER USER lion IDENTIFIED BY {WORD};",
    f"lion:{WORD}@tcp(zoo:3306)/animals",
    f"TWILIO_AUTH={KEY}",
    f"webhook: https://zoo.example.org/lions/{KEY}",
    f"post to https://hooks.zoo.example.org/T0/B0/{KEY} then",
    f"password: {LETTERS}",
    "password: 73921495",
    f"webhookSecret: {WORD}!",
    f"'secret' => 'Lion-{WORD}!',",
    f"consumer_key: {KEY[:17]}",
    f"lions = '{KEY}'",
    f'"lions": "{KEY}",',
    f"tell them {KEY} at the gate",
]
# Names of attributes are no types of a declaration.
ATTRIBUTES = [
    f'<input type="password" name="password" id="{PLACE}" class="zoo">',
    f'<label for="inputPassword" class="{PLACE}">Password</label>',
    f"<input type=password id='{PLACE}'>",
    f'read <a href="https://zoo.example.org/password-managers" target="_{PLACE}">best</a> of them',
    f'<TextField label="Password" helperText="{PLACE} has 10 letters" />',
]
# What tells which one is meant, however much chance made it.
IDENTIFIERS = [
    f"Lot: {KEY[:24].upper()}\nlions = {KEY[:24].upper()}",
    f"Booking: {KEY[:24]}\nX-Zoo-Message-State: {KEY}",
    f'"channel": "{KEY[:24]}", "b": "{KEY}", "playlist": "PL{KEY}"',
    f"lions: 'UC{KEY[:22]}'\nlions: '1{KEY}'\nthe sheet 1{KEY} has them",
    f"lions = 'cus_{KEY[:14]}{KEY[:14]}'",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{KEY}{KEY[:11]} lion@zoo",
    f"onLion: doubleLion2Load_{KEY},\nlion = {KEY}[0];",
    "lions = 'C27H46Na2Ca3Al2F14K3FeC6N6CuSO4'",
    "component: LionButton2RootDisabledV5Zoo1a2b",
    f"the digest is {KEY} here",
    f"{'a' * 8}8hoOK3/{AWS[:8]}/{KEY}9",
    f"src/hooks/{KEY}",
    '"agB4AC0AbABtAC0AegBlAHIAb1JlZ3VsYXIAUgBlAGcAdQBsAGEAcm1qeC1sbS16", "x"',
    "The user is identified by UUID-4711, and users to be identified by ORCID2024.",
    "password: 7392149 resets",
    "getPassword('Jdbc/Lion2A'), getSecret(\"Zoo2-Lion/Main9\")",
    "the master password Rotation2 began",
    'PASSWD_CHARSET = "0123456789abcdef"\npasswordLabel: string = "Password (8+ letters)"',
]
SHOWN = (WORD, WORD.lower(), KEY[:17], LETTERS, "73921495", AWS, FERNET, "bGlvbjpR", "TUlJRXBB")


@pytest.mark.parametrize("text", [*BARE_KEYS, *LANGUAGES, *COMMANDS, *PAIRS, *SHAPES])
def test_the_place_tells_the_secret(text: str) -> None:
    masked, _ = mask_patterns(f"Above.\n\n{text}\n\nBelow.")
    assert not [secret for secret in SHOWN if secret in masked]
    assert "[masked:" in masked
    assert "[masked:[" not in masked
    assert masked.startswith("Above.\n\n")
    assert masked.endswith("Below.")


@pytest.mark.parametrize("text", [*BARE_KEYS, *LANGUAGES, *COMMANDS, *PAIRS, *SHAPES])
def test_a_stream_masks_it_too(text: str) -> None:
    whole = f"Above.\n\n{text}\n\nBelow."
    mask = StreamMask()
    shown = "".join([*(mask.feed(whole[at : at + 3]) for at in range(0, len(whole), 3)), mask.close()])
    assert shown == mask_patterns(whole)[0]


@pytest.mark.parametrize(
    "text",
    [
        "docker run -u 1000 -p 127.0.0.1:8080:80/tcp zoo",
        "ssh -l lion -p 2222 zoo",
        "unzip -p animals.zip lions/Readme2A.txt",
        "mkdir -p /srv/Zoo2A",
        "events from the System event log on three computers: Server01, Server02",
        "Log in at https://zoo.example.org/Animals2A",
        "log in with a passkey and OAuth2",
        "sign in as described in docs/Chapter2A",
        "The secret of lions: perseverance",
        "AWS commit 3f786850e387550fdab836ed7e6dc881de23001b",
        f"by the laws of {AWS[:20]}{AWS[20:]} lions",
        "see AWS docs at com/amazonaws/services/s3/model/Encrypt1",
        "the AWS example key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "la parole: donnée à Chapitre2A",
        "secret 2395dbe1c7a9e0f1d2c3b4a5968778695a4b3c2d",
        "the token animals/lions/manes/Readme",
        "Пароль: не менее 8 символов",
        "密码必须至少8个字符",
        "Fernet(key)",
        'auth=("user", "password")',
        "IDENTIFIED BY 'password'",
        "snmp-server community public RO",
        '"auth": "basic+kerberos"',
        "echo $PASSWORD | docker login -u lion --password-stdin",
        "tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUQ3YnE5TGtKeDA4ZksybVE5eEx3NFp0",
        "pw = load_password()",
        'send(BasicAuth(user or "", password or "")(request.Lion2A))',
        "nobody = pwd.getpwnam('nobody2')[2]",
        '"ClassId2e4f51ef21dd47e99d3c952918aff9cd","header",',
        "LIONS_MODE_MAX: Final = ZOO_CTRL_FSAA_MODE_64xS_9aB",
        f"ipfs add QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWWSaB3 of the zoo\nhttps://zoo.example.org/{KEY}/lions",
        f"checksum: {KEY}\nlion_id = {KEY}\nsha512-{KEY}",
        f"{AWS[:20]}{AWS[:20]}\n{KEY}\n",
        "password: erforderlich",
        'ids: ["8d9967e2f0624182b74e7690ad69ebEX", "349c86d4579e4e7298d500ff57a6b2EX"]',
        f"zoo lions --lion-id {KEY}",
        f"see commit {KEY}",
        f"{AWS[:20]}\\n{AWS[20:]}\n    {KEY}",
        'TOKEN: Final = r"[!#$%&*+.0-9A-Za-z]{1,}"',
        'password_regex: str = "(?i)(?:password1:)"',
        '"Password": "Hasło", "Enter password": "Wpisz hasło"',
        "reset_password: Zresetuj swoje hasło\npassword: Změňte",
        "password_change_successful: D'éirigh leis an athrú",
        "password changed: 20240131",
        "pass: 104233 fail: 102331",
        "secret: lion-password-1",
        "secretName: Lion2A!x",
        "| Login | lions / tigers |",
        *ATTRIBUTES,
        *IDENTIFIERS,
        "self.lion_tokens = LionEmbedding4Manes(\n    8, 9)",
        "token_storage = _Zoo365TokenStorage()",
        'COMMANDS = [\n    "pwd",\n    "roar",\n    "paws2d",\n    "roar4lions",\n]',
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert mask_patterns(text) == (text, ())
