"""Times in JSON that programs count in seconds since 1970: a reader is shown, and asks for, dates."""

import re
from datetime import UTC, datetime

NAME = (
    r"ts|\w{0,40}_ts|(?:\w{0,40}_)?(?:time|timestamp|date|created|updated|edited|sent|received|posted|latest_reply)(?:_(?:at|ms|on))?"
    r"|\w{0,40}(?:[tT]imestamp|[tT]ime|Date|At|_at)(?:Usec|Ms|Millis|_ms|_usec)?|\w{0,40}_?unixtime"
)
# How long something took or how much there was, where no word of a point in time ends the name.
AMOUNTS = frozenset(
    "runtime uptime downtime lifetime playtime up down life cpu elapsed total response processing duration idle busy"
    " wait spent exec execution seek latency lag delay bytes packets octets requests count num size".split()
)
POINTS = frozenset("at on date ts timestamp unixtime".split())
WORD = re.compile("[A-Za-z][a-z]*")
DAY, HOUR = "(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])", "(?:[01][0-9]|2[0-3])"
CALENDAR = re.compile(f"20[0-9]{{2}}{DAY}{HOUR}|[0-9]{{2}}{DAY}{HOUR}[0-5][0-9]")  # digits of a date, no seconds
# Seconds with or without parts, thousandths and millionths; whole values only.
MEMBER = re.compile(
    rf'("(?:{NAME})"\s{{0,20}}:\s{{0,20}})("?)([1-4]\d{{9}}(?:\.\d{{1,9}})?|[1-4]\d{{12}}|[1-4]\d{{15}})\2(?=\s{{0,20}}[,}}\]])'
)


def show_times(text: str) -> str:
    """The text with the value of each such member as a date.

    >>> show_times('{"ts": "1709547072.000100", "id": 1709547072, "sent_at":1709547072000}')
    '{"ts": "2024-03-04 10:11:12 UTC", "id": 1709547072, "sent_at":"2024-03-04 10:11:12 UTC"}'
    """
    return MEMBER.sub(_show_time, text)


def _show_time(member: re.Match[str]) -> str:
    words = {word.lower() for word in WORD.findall(member[1])}
    if (words & AMOUNTS and not words & POINTS) or CALENDAR.fullmatch(member[3]):
        return member[0]
    seconds = int(member[3][:10])
    return f'{member[1]}"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"'
