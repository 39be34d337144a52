"""Where a name says that what stands beside it is secret: `name = value` as code, YAML, markup and tables spell it."""

import re

from ragstone.core.late_pattern import compile_late

# A `key` is one of these, or none of our business.
KEYS: tuple[str, ...] = ("api", "app", "auth", "access", "secret", "master", "account", "license", "private", "signing")
KEYS += ("encryption", "fernet", "crypt", "cipher", "session", "cookie", "jwt", "hmac", "aes", "storage", "shared")
# The word for "password" in other languages; a place of one in ASCII letters is no part of a longer word.
FOREIGN_ASCII: tuple[str, ...] = (
    "contrasena",
    "mdp",
    "senha",
    "wachtwoord",
    "kennwort",
    "passord",
    "losenord",
    "adgangskode",
    "kodeord",
)
FOREIGN_ASCII += (
    "salasana",
    "haslo",
    "heslo",
    "geslo",
    "jelszo",
    "parola",
    "sifre",
    "lozinka",
    "palavra-passe",
    "clave",
)
FOREIGN_ASCII += ("mot de passe", "mot_de_passe", "motdepasse", "kata sandi", "codigo secreto")
FOREIGN: tuple[str, ...] = (
    "contraseña",
    "lösenord",
    "hasło",
    "jelszó",
    "parolă",
    "şifre",
    "пароль",
    "пароля",
    "парола",
    "κωδικός",
    "mật khẩu",
)
FOREIGN += (
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "كلمة المرور",
    "كلمة السر",
    "סיסמה",
    "סיסמא",
    "รหัสผ่าน",
    "पासवर्ड",
)
NAME = (
    r"(?:(?P<password>passw(?:or)?d|passphrase|passwort|(?<![a-z])pwd|(?<![a-z])pass(?![a-z])"
    + "".join(rf"|(?<![a-z]){word}(?![a-z])" for word in FOREIGN_ASCII)
    + "".join(f"|{word}" for word in FOREIGN)
    + ")|"
    + "|".join(rf"(?<={word})key|(?<={word}[_ -])key" for word in KEYS)
    + r"|secret|(?<!publickey)(?<!csrf-)(?<!csrf_)token|credentials(?![a-z])|sonar[._]login|(?<=[_?&-])sig(?==)"
    r"|access_?id|(?<=_)api_id|(?:php|j|asp)?sess(?:ion)?_?id(?![a-z]))"
)
# What every such name begins with, at the place where `NAME` matches, in lower case.
STARTS = (
    b"pass",
    b"pwd",
    b"key",
    b"secret",
    b"token",
    b"credential",
    b"sonar",
    b"sig=",
    b"accessid",
    b"access_id",
    b"api_id",
    b"sess",
    *(word.encode() for word in FOREIGN_ASCII),
)
# Names such as `token_file` and `password_length` tell about a secret and hold none.
ABOUT = (
    r"(?![\w.-]{0,30}(?:file|path|url|uri|name|type|length|len|policy|count|limit|expir|ttl|field|hash|digest|env)\b)"
)
OPTION = re.compile(r"(?<![\w-])--?[\w-]{0,40}$")
NAME_END = r"(?:\\{0,2}[\"'`]|[\])*~]|</\w{1,10}>){0,4}"

# `between` tells how name and value are joined: a sign; `cell`, the next cell of a table; `blank`, the
# argument of an option; `said`, words that lead to a quoted value. `below` is a value on a line of its
# own: indented as in YAML, or so strong that it needs no indent.
ASSIGNMENT = compile_late(
    rf"(?i){NAME}{ABOUT}[\w.\[\]-]{{0,40}}{NAME_END}"
    r"(?:[ \t]{0,8}(?::=|::=|\?=|=>|->|→|=|:(?!:)|：|(?<=[\"']),)(?:\*{1,3}|__|</\w{1,10}>){0,2}"
    r"|,?\s{1,40}\"?value\"?[ \t]{0,4}[:=]"
    r"|</(?:td|th|dt|key|b|strong|code|em)>\s{0,20}<(?:td|dd|string|code)(?:\s[^<>\n]{0,60})?>"
    r"|(?P<element>(?<=\w)(?:\s[^<>\n]{0,80})?>)(?=[^<>]{1,512}</)"
    r"|(?P<cell>[ \t]{0,40}\|)(?!\|)"
    r"|(?P<said>(?:[ \t](?:for|of|on|de|du|für|von|per|para)[ \t][^\n:=.,;|]{1,60}?)?(?:[ \t]{1,4}"
    r"(?:is|was|to|of|ist|lautet|war|est|es|è|é|är|er|on)(?=[ \t]{1,4}\S)|(?<=[\w)])[ \t]?[:：](?=[ \t])))"
    r"|(?P<blank>(?=[ \t])))"
    r"[ \t]{0,40}(?P<below>(?:[|>][+-]?)?[ \t]{0,8}(?:\#[^\n]{0,80})?"
    r"(?P<apart>\r?\n[ \t]{0,24})?\r?\n(?:```\w{0,12}\r?\n)?(?P<indent>[ \t]{0,24}))?"
    r"(?:\*{1,3}|</?\w{1,10}>){0,2}(?:(?:str|string)\([ \t]?)?"
    r"(?:\\\"(?P<escaped>[^\"\\\n]{1,512})\\\""
    r"|[bru]?(?P<mark>`{1,2}|[\"'])(?P<quoted>(?:(?!(?P=mark))[^\n\\]|\\.){1,512})(?P=mark)"
    r"|(?P<bare>\S{5,512}))"
)
# Behind a value that must be all there is on its line, or in its cell.
LINE_ENDS = re.compile(r"[*_`\"',]{0,3}[ \t]{0,40}(?:[\r\n#]|\Z)")
CELL_ENDS = re.compile(r"(?:[*_`]|</\w{1,10}>){0,3}[ \t]{0,200}(?:[|\r\n]|\Z)")
