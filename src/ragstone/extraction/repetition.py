"""Rules of repetition in calendars (RFC 5545) as people say them."""

import re

UNITS = {
    "SECONDLY": "second",
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
DAYS = dict(
    zip("MO TU WE TH FR SA SU".split(), "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(), strict=True)
)
MONTHS = "January February March April May June July August September October November December".split()
ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "second to last"}
WORKDAYS = ["MO", "TU", "WE", "TH", "FR"]
DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
UNTIL = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T.*)?")
SAID = frozenset("FREQ INTERVAL BYDAY BYMONTHDAY BYMONTH COUNT UNTIL WKST".split())
MOST = 31  # values of one part
LONGEST = 500  # characters of a rule


def show_rule(rule: str) -> str:
    """The rule in words; as it stands where it has parts that are not said here.

    >>> show_rule("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20241231T225959Z")
    'every 2 weeks on Monday and Wednesday until 2024-12-31'
    >>> show_rule("FREQ=MONTHLY;BYDAY=-1FR;COUNT=6"), show_rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
    ('every month on the last Friday, 6 times', 'every week from Monday to Friday')
    >>> show_rule("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=15"), show_rule("FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO")
    ('every year on day 15 in March', 'FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO')
    """
    if len(rule) > LONGEST:
        return rule.strip()
    parts = dict(part.upper().split("=", 1) for part in rule.strip().strip(";").split(";")[:MOST] if "=" in part)
    unit, every = UNITS.get(parts.get("FREQ", "")), parts.get("INTERVAL", "1")
    days = [DAY.fullmatch(day) for day in _list_values(parts, "BYDAY")]
    months = _list_values(parts, "BYMONTH")
    numbers = _list_values(parts, "BYMONTHDAY")
    if (
        unit is None
        or not SAID.issuperset(parts)
        or not all(one.lstrip("-").isdecimal() for one in (every, parts.get("COUNT", "1"), *numbers))
        or not all(month.isdecimal() and 1 <= int(month) <= len(MONTHS) for month in months)
        or not all(day is not None and (day[1] is None or int(day[1]) in ORDINALS) for day in days)
    ):
        return rule.strip()
    said = f"every {unit}" if int(every) == 1 else f"every {every} {unit}s"
    if _list_values(parts, "BYDAY") == WORKDAYS:
        said += " from Monday to Friday"
    elif days:
        said += f" on {_join([_show_day(day) for day in days if day is not None])}"
    if numbers:
        said += f" on {_join(['the last day' if number == '-1' else f'day {number}' for number in numbers])}"
    if months:
        said += f" in {_join([MONTHS[int(month) - 1] for month in months])}"
    if "COUNT" in parts:
        said += f", {parts['COUNT']} times"
    until = UNTIL.fullmatch(parts.get("UNTIL", ""))
    return f"{said} until {until[1]}-{until[2]}-{until[3]}" if until else said


def _list_values(parts: dict[str, str], name: str) -> list[str]:
    return [value for value in parts.get(name, "").split(",")[: MOST + 1] if value]


def _show_day(day: re.Match[str]) -> str:
    name = DAYS[day[2]]
    return f"the {ORDINALS[int(day[1])]} {name}" if day[1] else name


def _join(words: list[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
