"""Where a name says that what stands beside it is secret: `name = value` as code, YAML, markup and tables spell it."""

import re

from ragstone.core.late_pattern import compile_late
from ragstone.guard.password_words import ASCII_STARTS, ASCII_WORDS, BEFORE_PASSE, ENDINGS, FOR, IS, OTHER_WORDS

# A `key` is one of these, or none of our business.
KEYS: tuple[str, ...] = ("api", "app", "auth", "access", "secret", "master", "account", "license", "private", "signing")
KEYS += ("encryption", "fernet", "crypt", "cipher", "session", "cookie", "jwt", "hmac", "aes", "storage", "shared")
NAME = (
    r"(?:(?P<password>passw(?:or)?d|passphrase|passwort|(?<![a-z])pwd|(?<![a-z])pw(?![a-z])|(?<![a-z])psk(?![a-z])"
    r"|(?<![a-z])pass(?![a-z])|(?:(?<=key)|(?<=store)|(?<=db)|(?<=user)|(?<=admin)|(?<=root)|(?<=sql)|(?<=smtp)|(?<=require))pass(?![a-z])"
    r"|(?:(?<=wifi[_ -])|(?<=wi-fi[_ -])|(?<=wpa[_ -])|(?<=wlan[_ -]))key(?![a-z])"
    + "".join(rf"|(?<![a-z]){word}{ENDINGS}(?![a-z])" for word in sorted(ASCII_WORDS, key=len, reverse=True))
    + "".join(rf"|(?<={before})passe(?![a-z])" for before in BEFORE_PASSE)
    + "".join(f"|{word}" for word in OTHER_WORDS)
    + ")|"
    + "|".join(rf"(?<={word})key|(?<={word}[_ -])key" for word in KEYS)
    + r"|secret|(?<!publickey)(?<!csrf-)(?<!csrf_)token|credentials(?![a-z])|sonar[._]login|(?<=[_?&-])sig(?==)"
    r"|access_?id|(?<=_)api_id|(?:php|j|asp)?sess(?:ion)?_?id(?![a-z]))"
)
# The key of anything else: its value must be as random as keys are.
ANY_KEY = (
    r"(?P<anykey>(?:(?<=[a-z0-9])|(?<=[a-z0-9][ _.-])|(?<=--))key(?![a-z])|(?<=[?&])key(?==)"
    r"|[_-](?:api|pat|auth)(?![a-z_-]))"
)
NO_SECRET = compile_late(
    r"(?i)(?:public|pub|primary|foreign|partition|sort|cache|row|site|publishable|hash|group|host|routing|object|index|map"
    r"|idempotency|unique|composite|ssh|gpg|pgp|rsa|dsa|ecdsa|ed25519|verif\w{1,10}|s3|dedup\w{0,14}|registry|lookup|join|surrogate|natural"
    r"|record|document|chunk|vector|entity|order|shard|image)[ _.-]?\Z"
)
# A value that names the function that made it is a fingerprint.
MADE_BY = compile_late(r"(?i)(?:sha|md|blake)-?\d{1,3}[=:-]")
# Tokens that say how far a list was read or who holds a lock.
PAGING = compile_late(
    r"(?i)(?:next|page|paging|pagination|continuation|continue|sync|lock|cursor|resum\w{1,5}|cancel\w{0,8})"
    r"[ _-]?(?:page[ _-]?)?\Z"
)
# Words between a name and a value that make the value a fingerprint of the key.
ABOUT_KEY = compile_late(
    r"(?i)finger|digest|sum|hash|sha-?\d|md5|commit|revision|serial|thumbprint|\bids?\b|version|signature"
)
# What every such name begins with, at the place where `NAME` matches, in lower case.
STARTS = (
    "pass",
    "pwd",
    "pw",
    "psk",
    "key",
    "secret",
    "token",
    "credential",
    "sonar",
    "sig=",
    "accessid",
    "access_id",
    "api_id",
    "sess",
    *("_api", "-api", "_pat", "-pat", "_auth", "-auth"),
    *ASCII_STARTS,
)
# Names such as `token_file` and `password_length` tell about a secret and hold none.
ABOUT = (
    r"(?![\w.-]{0,30}(?:file|path|url|uri|name|type|length|len|policy|count|limit|expir|ttl|field|hash|digest|env"
    r"|regexp?|pattern|label|kind|title|message|msg|placeholder|charset|alphabet)\b)"
)
OPTION = re.compile(
    r"(?:(?<![\w-])--?|(?:^|[\s\"'`])(?:ENV|ARG|setenv|setx|set -g?x)[ ]{1,4})[\w-]{0,40}$"
    r"|(?:^|[\s\"'`])(?:require|master)$"
)
QUOTE_NEXT = r"(?=[ \t]{0,4}[bru@$]?(?:\"(?!\")|'(?!')|`(?!`)))"
NAME_END = r"(?:\\{0,2}[\"'`]|[\])*~]|</\w{1,10}>){0,4}"

# `between` tells how name and value are joined: a sign; `cell`, the next cell of a table; `blank`, the
# argument of an option; `said`, words that lead to a quoted value. `below` is a value on a line of its
# own: indented as in YAML, or so strong that it needs no indent.
ASSIGNMENT = compile_late(
    rf"(?i)(?:{NAME}|{ANY_KEY}){ABOUT}[\w.\[\]-]{{0,40}}{NAME_END}"
    r"(?:(?:,\s{0,40}|\s{1,40})\"?value\"?[ \t]{0,4}[:=]"
    rf"|(?<=\w)(?::[ ]?[A-Za-z][\w.&<>\[\]|?]{{0,40}}[ ]?:?=|[ ][A-Za-z][\w.\[\]]{{0,40}}[ ]:?=[ ]){QUOTE_NEXT}"
    rf"|[ \t]{{0,8}}(?::=|::=|\?=|=>|->|→|[=!]={{1,2}}{QUOTE_NEXT}|=|:(?!:)|：|(?P<comma>(?<=[\"']),))"
    r"(?:\*{1,3}|__|</\w{1,10}>){0,2}"
    rf"|(?<=[\w\"'\])])[ \t]{{1,2}}(?:or|\|\||\?\?){QUOTE_NEXT}"
    rf"|(?P<call>\(){QUOTE_NEXT}"
    r"|</(?:td|th|dt|key|b|strong|code|em)>\s{0,20}<(?:td|dd|string|code)(?:\s[^<>\n]{0,60})?>"
    r"|(?P<element>(?<=[\w\"'])(?:\s[^<>\n]{0,80})?>)(?=[^<>]{1,512}</)"
    r"|(?P<cell>[ \t]{0,40}\|)(?!\|)"
    rf"|(?P<said>(?:[ \t](?:{FOR})[ \t][^\n:=.,;|]{{1,60}}?|(?:[ \t][^\W\d_]{{2,24}}){{1,2}})?(?:[ \t]{{1,4}}"
    rf"(?:{IS})[:：]?(?=[ \t]{{1,4}}\S)|'s(?=[ \t])|[ \t]{{1,4}}[-–—](?=[ \t])|(?<=[\w)])[ \t]?[:：](?=[ \t])))"
    r"|(?P<blank>(?=[ \t]|\r?\n(?!\s{0,20}<))))"
    r"[ \t]{0,40}(?P<below>(?:[|>][+-]?)?[ \t]{0,8}(?:\#[^\n]{0,80})?"
    r"(?P<apart>\r?\n[ \t]{0,24})?\r?\n(?:```\w{0,12}\r?\n)?(?P<indent>[ \t]{0,24}))?"
    r"(?:(?<=:[ ])(?:!!?[\w/.-]{0,24}[ ])?(?:&[\w.-]{1,40}[ ])?(?=\S{1,512}[ \t]{0,8}(?:[#\r\n]|\Z)))?"
    r"(?:\*{1,3}|</?\w{1,10}>){0,2}(?:(?:str|string)\([ \t]?)?"
    r"(?:\\\"(?P<escaped>[^\"\\\n]{1,512})\\\""
    r"|[bru]?(?P<mark>`{1,2}|[\"'])(?P<quoted>(?:(?!(?P=mark))[^\n\\]|\\.){1,512})(?P=mark)"
    r"|(?P<bare>(?!</?[a-z]{1,10}>)\S{5,512}))"
)
# Behind a value that must be all there is on its line, or in its cell.
LINE_ENDS = re.compile(r"[*_`\"',]{0,3}[ \t]{0,40}(?:[\r\n#]|\Z)")
CELL_ENDS = re.compile(r"(?:[*_`]|</\w{1,10}>){0,3}[ \t]{0,200}(?:[|\r\n]|\Z)")
