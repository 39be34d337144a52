"""Passwords on command lines and in the lines that configure routers: no name tells them, the command does."""

import re
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.plausible import is_password, is_strong
from ragstone.guard.secret_places import Places

ARGUMENT = r"(?:'(?P<single>[^'\n]{3,128})'|\"(?P<double>(?:[^\"\\\n]|\\.){3,128})\"|(?P<plain>[^\s-][^\s`]{2,127}))"
WORDS = r"(?:[^\n|;\\]|\\\s?){0,300}?\s"
# Commands by the option that takes a password: joined to it, or as the next word.
OPTIONS = (
    ("mysql", rf"mysql\w*{WORDS}-p(?=\S)"),
    ("mariadb", rf"mariadb\S*{WORDS}-p(?=\S)"),
    ("sshpass", r"sshpass\s+-p[ \t]?"),
    *((name, rf"{name}(?:\.exe)?{WORDS}-pw[ \t]+") for name in ("putty", "kitty", "plink", "pscp", "psftp")),
    ("redis-cli", rf"redis-cli{WORDS}-a[ \t]+"),
    ("mongo", rf"mongo\w*{WORDS}-p[ \t]+"),
    ("docker", rf"docker\s+login{WORDS}-p[ \t]+"),
    ("podman", rf"podman\s+login{WORDS}-p[ \t]+"),
    ("ldap", rf"ldap(?:search|modify|add|delete|passwd|whoami){WORDS}-w[ \t]+"),
    ("mosquitto_", rf"mosquitto_(?:pub|sub){WORDS}-P[ \t]*"),
    ("sqlcmd", rf"sqlcmd{WORDS}-P[ \t]*"),
    ("htpasswd", r"htpasswd\s+-\w{0,5}b\w{0,5}\s+\S{1,200}\s+\S{1,64}[ \t]+"),
    ("smbclient", rf"smbclient{WORDS}-U[ \t]*[^\s%]{{1,64}}%"),
    ("sqlplus", r"sqlplus\s+(?:-\S{1,20}\s+){0,3}[\w$]{1,64}/(?=[^\s/@])"),
    ("jdbc:oracle", r"jdbc:oracle:\w{2,5}:[\w$]{1,64}/(?=[^\s/@])"),
    ("lftp", rf"lftp{WORDS}-u[ \t]+[^\s,]{{1,64}},"),
    ("http -", r"http\s+(?:-a|--auth)[ \t=][^\s:]{1,64}:"),
    ("zip ", rf"zip{WORDS}(?-i:-P)[ \t]*"),
    ("7z", rf"7z\w?\s+[axbdelu]{{1,3}}{WORDS}-p(?=\S)"),
    ("openssl enc", rf"openssl\s+enc{WORDS}-k[ \t]+"),
    ("xfreerdp", rf"xfreerdp{WORDS}/p:"),
    ("net user", r"net\s+user\s+[^\s/]{1,64}[ \t]+(?![/*])"),
    ("net use ", r"net\s+use\s+(?:[a-z]:\s+|\*\s+)?\\\\\S{3,128}[ \t]+(?![/*])"),
    ("snmp", rf"snmp\w{{3,12}}{WORDS}(?-i:-A)[ \t]*"),
    ("snmp", rf"snmp\w{{3,12}}{WORDS}(?-i:-X)[ \t]*"),
    (
        "echo ",
        r"echo\s+(?:-\w{1,3}\s+)?(?=[^\n|]{3,128}\|[^\n|]{0,60}(?:sudo\s+-S|--stdin|--password-stdin|--passphrase-fd))",
    ),
    ("echo ", r"echo\s+[\"']?[\w-]{1,32}:(?=[^\n|]{3,128}\|[^\n|]{0,20}chpasswd)"),
)
# The same, where the value too must look like a password: any command with a user, and lines of routers.
LOOSE_OPTIONS = (
    (" -u", rf"\s-u[ \t=]?\S{{1,64}}+{WORDS}-(?:p|w|pass)[ \t]?"),
    (" --user", rf"\s--user(?:name)?[ \t=]\S{{1,64}}+{WORDS}-(?:p|w|pass)[ \t]?"),
    (" -l", rf"\s-l[ \t]\S{{1,64}}+{WORDS}-(?:p|w|pass)[ \t]?"),
    (" -p", r"\s-p[ \t]?(?=\S{6,128}[ \t](?:[^\n|;\\]|\\\s?){0,200}?(?<=\s)(?:-u|--user(?:name)?)[ \t=]\S)"),
    ("snmp-server", r"snmp-server\s+community\s+"),
    ("pre-shared-key", r"pre-shared-key\s+(?:address\s+\S{1,64}\s+key\s+)?"),
    ("key-string", r"key-string\s+(?:\d\s+)?"),
    ("username", r"username\s+\S{1,64}\s+(?:privilege\s+\d{1,2}\s+)?(?:secret|password)\s+(?:\d\s+)?"),
)
COMMANDS = [(start, compile_late(f"(?i:{option}){ARGUMENT}"), False) for start, option in OPTIONS]
COMMANDS += [(start, compile_late(f"(?i:{option}){ARGUMENT}"), True) for start, option in LOOSE_OPTIONS]
COMMAND_STARTS = frozenset(start for start, _, _ in COMMANDS)
PORTS = re.compile(r"[\d.:\[\]-]+(?:/\w+)?")


def find_commands(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """Arguments of commands that are passwords."""
    if COMMAND_STARTS.isdisjoint(places.starts):
        return
    for start, command, loose in COMMANDS:
        done = 0
        for at in places.starts.get(start, ()):
            inside = at > 0 and (text[at - 1].isalnum() or text[at - 1] in "-_.") and start != "zip "
            if at >= done and (not inside or loose) and (match := command.match(text, at)):
                done = match.end()
                if not loose or _is_meant(match[match.lastgroup or 0]):
                    yield "password", *match.span(match.lastgroup or 0)


def _is_meant(value: str) -> bool:
    return is_strong(value) and is_password(value) and PORTS.fullmatch(value) is None
