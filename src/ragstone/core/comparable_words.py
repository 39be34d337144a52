"""The words of a text as they are compared: numbers by value and unit, dates by month, names, the rest by stem."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ragstone.core.analyzer import CJK, extract_terms
from ragstone.core.late_pattern import compile_late

PARSED_TEXTS = 256  # that are remembered: those of a question or two
Kind = Literal["number", "month", "name", "code", "word", "light"]

WORD = compile_late(
    rf"(?P<word>_*+[^\W\d_{CJK}][^\W{CJK}]*+(?:[._][^\W{CJK}]++)*+(?:['’][^\W\d_]++)?+[+#]{{0,2}})"
    r"|(?P<iso>(?<![\w.-])\d{4}-\d{2}-\d{2}(?![\w-]))"
    r"|(?P<clock>(?<![\w:.])\d{1,2}:\d{2}(?::\d{2})?(?![\w:]))"
    r"|(?:(?P<sign>(?<![\w)])[-−])?(?:(?P<money>[$€£¥]) ?)?)(?<![\w.])"
    r"(?P<figure>\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})++(?:\.\d+)?(?![\d,]*\d)|\d+(?:\.\d+)*+)"
    r"(?P<tail>%| ?°[CF]?|[^\W\d_][\w]*+)?"
    rf"|(?P<script>[{CJK}])"
)
SENTENCE_START = compile_late(r"(?:^|[.!?:;\n•|>#\"“”‘(\[*-])[\s\"“‘'(\[*_`#>-]*$")
LOOK_BACK = 12
LONGEST_CACHED_WORD = 64
UNITS = {
    name: names.split()[0]
    for names in """
%/percent/percentage/pct km/kilometre/kilometres/kilometer/kilometers/kms m/metre/metres/meter/meters
cm/centimetre/centimetres/centimeter/centimeters mm/millimetre/millimetres/millimeter/millimeters mile/miles/mi
foot/feet/ft inch/inches yard/yards/yd kg/kilogram/kilograms/kilogramme/kilogrammes/kilo/kilos
g/gram/grams/gramme/grammes
mg/milligram/milligrams pound/pounds/lb/lbs/£ ounce/ounces/oz ton/tons tonne/tonnes dollar/dollars/$/usd
euro/euros/€/eur yen/¥
cent/cents rupee/rupees franc/francs second/seconds/sec/secs/s ms/millisecond/milliseconds minute/minutes/min/mins
hour/hours/h/hr/hrs
day/days week/weeks month/months year/years/yr/yrs decade/decades century/centuries byte/bytes kb/kilobyte/kilobytes
mb/megabyte/megabytes gb/gigabyte/gigabytes tb/terabyte/terabytes kib/kibibytes mib/mebibytes gib/gibibytes bit/bits
degree/degrees/°
°c/celsius °f/fahrenheit acre/acres hectare/hectares/ha litre/litres/liter/liters gallon/gallons volt/volts watt/watts
kw/kilowatt/kilowatts
mw/megawatt/megawatts hz/hertz khz/kilohertz mhz/megahertz ghz/gigahertz mph knot/knots point/points goal/goals
penny/pence krona/kronor krone/kroner zloty/zlotys peso/pesos rand won baht shekel/shekels ruble/rubles/rouble/roubles
microgram/micrograms/mcg/µg microsecond/microseconds/µs nanosecond/nanoseconds nm/nanometre/nanometres/nanometer
micrometre/micrometres/micrometer/micrometers/µm ml/millilitre/millilitres/milliliter/milliliters
cl/centilitre/centilitres dl/decilitre/decilitres pint/pints quart/quarts teaspoon/teaspoons tablespoon/tablespoons
kj/kilojoule/kilojoules joule/joules kcal/kilocalorie/kilocalories calorie/calories kwh amp/amps/ampere/amperes
milliamp/milliamps bar/bars mbar/millibar/millibars psi pascal/pascals kpa/kilopascal/kilopascals hpa/hectopascal
newton/newtons db/decibel/decibels rpm ppm ppb px/pixel/pixels dpi quarter/quarters fortnight/fortnights
kbit/kilobit/kilobits mbit/megabit/megabits gbit/gigabit/gigabits
""".split()
    for names in [names.replace("/", " ")]
    for name in names.split()
}
SCALES = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0,
    "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9,
}  # fmt: skip
SPELLED_SCALES = frozenset("hundred thousand million billion trillion dozen".split())
UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SPELLED: dict[str, float] = {
    **{word: float(i) for i, word in enumerate(UNDER_TWENTY)},
    **{word: 10.0 * i for i, word in enumerate(TENS, 2)},
}
# "First", "second" and "third" are seldom numbers; they are compared as words.
FROM_FOURTH = "fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
ORDINALS: dict[str, float] = {
    **{word: float(i) for i, word in enumerate(FROM_FOURTH, 4)},
    **{f"{word}th": float(i) for i, word in enumerate(UNDER_TWENTY) if i > 12},
    **{f"{word[:-1]}ieth": 10.0 * i for i, word in enumerate(TENS, 2)},
}
MONTHS = {
    name: i
    for i, names in enumerate(
        "january jan/february feb/march mar/april apr/may/june jun/july jul/august aug/september sept sep/october oct"
        "/november nov/december dec".split("/"),
        1,
    )
    for name in names.split()
}
LIGHT = frozenset(
    """
    a an the and or but nor so yet if then than that this these those there here it its it's itself he him his himself
    she her hers herself they them their theirs themselves we us our ours you your yours i me my mine who whom whose
    which what when where while why how as at by for from in into of off on onto out over to up upon with within about
    across after again against along also although among around because before behind below between both down during
    each either else even ever every few further hence however indeed instead just like many may might more most much
    must neither never no not nothing now only other others otherwise per rather same several shall should since some
    such though through throughout thus too toward towards under unless until very via was were be been being is are am
    has have had having do does did doing done will would can could cannot without one ones any all another first later
    still already often called known named well way able according
    """.split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `start` to `end` of its text. `key` is what it is compared by; `value` and `unit` belong to numbers
    (the unit is "" where none is known); `sure` says that a name is one wherever the word stands."""

    start: int
    end: int
    key: str
    kind: Kind
    lower: str
    value: float = 0.0
    unit: str = ""
    sure: bool = True


def parse_words(text: str, most: int | None = None) -> list[Word]:
    """The words of a text in order; one longer than `most` words is read that far.

    >>> [(word.key, word.unit) for word in parse_words("Some 1,200 km by 2 May, twenty-five percent.")][1:6]
    [('#1200', 'km'), ('km', ''), ('by', ''), ('#2', ''), ('month 5', '')]
    """
    raw: list[Word] = []
    for match in WORD.finditer(text):
        if match.lastgroup == "word":
            raw.append(_make_word(match[0], match.start(), match.end(), text))
        else:
            raw += _parse_match(match)
        if most is not None and len(raw) > most:
            break
    return _attach_units(_combine_numbers(raw))


@lru_cache(maxsize=PARSED_TEXTS)
def parse_words_once(text: str) -> tuple[Word, ...]:
    """The words of a text in order, remembered for the next comparison: passages are compared in pairs."""
    return tuple(parse_words(text))


def _parse_match(match: re.Match[str]) -> Iterator[Word]:
    start, end = match.span()
    if iso := match["iso"]:
        year, month, day = iso.split("-")
        yield _make_number(start, end, float(year))
        yield Word(start, end, f"month {int(month)}", "month", iso)
        yield _make_number(start, end, float(day))
    elif match["clock"]:
        yield Word(start, end, match["clock"].lstrip("0"), "code", match["clock"])
    elif match["figure"]:
        yield from _parse_figure(match)
    else:
        yield Word(start, end, match[0], "word", match[0])


def _parse_figure(match: re.Match[str]) -> Iterator[Word]:
    figure, tail = match["figure"], match["tail"] or ""
    start = match.start("figure")
    if figure.count(".") > 1:  # a version
        yield Word(start, match.end(), (figure + tail).lower(), "code", match[0].lower())
        return
    value = float(re.sub(r"[^\d.]", "", figure)) * (-1 if match["sign"] else 1)
    money = UNITS[match["money"]] if match["money"] else ""
    low = tail.strip().lower()
    if not tail or low in ("st", "nd", "rd", "th"):
        yield _make_number(start, match.end(), value, money)
    elif low == "s" and len(figure) >= 2 and figure.isdigit() and value % 10 == 0 and value >= 1000:
        yield Word(start, match.end(), f"#{figure}s", "number", match[0], value)
    elif money and low in SCALES:
        yield _make_number(start, match.end(), value * SCALES[low], money)
    elif low in UNITS or low in ("bn", "mn"):
        scale = SCALES[low] if low in ("bn", "mn") else 1.0
        yield _make_number(start, match.end(), value * scale, money or UNITS.get(low, ""))
    else:  # 3D, 4x4, 2nd-hand identifiers
        yield Word(start, match.end(), (figure + low), "code", match[0].lower())


def _make_number(start: int, end: int, value: float, unit: str = "") -> Word:
    return Word(start, end, f"#{value:.10g}", "number", f"{value:.10g}", value, unit)


def _make_word(written: str, start: int, end: int, text: str) -> Word:
    kind, key, low, value = (
        _classify_word(written) if len(written) <= LONGEST_CACHED_WORD else _classify_word.__wrapped__(written)
    )
    if kind == "number":
        return Word(start, end, key, kind, low, value)
    if kind == "month":
        if _is_month(text, start, end, low):
            return Word(start, end, key, kind, low)
        kind, key = "light", low
    if kind == "name" and not any(c.isupper() for c in written[1:]):
        return Word(start, end, key, kind, low, 0.0, "", _is_inside_sentence(text, start))
    return Word(start, end, key, kind, low)


@lru_cache(maxsize=100_000)
def _classify_word(written: str) -> tuple[Kind, str, str, float]:
    """What a word is by itself: its kind, its key, itself in small letters, its value."""
    low = written.replace("’", "'").casefold().removesuffix("'s")
    if not low.isascii():
        low = "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))
    value = SPELLED.get(low, ORDINALS.get(low))
    if value is not None and low != "one":
        return "number", f"#{value:.10g}", low, value
    if written[0].isupper() and low in MONTHS:
        return "month", f"month {MONTHS[low]}", low, 0.0
    if "." in low and all(len(part) == 1 for part in low.split(".")):
        low = low.replace(".", "")  # U.S
        return "name", low.upper(), low, 0.0
    if written in ("US", "IT", "WHO"):
        return "name", written, low, 0.0
    if low in LIGHT:
        return "light", low, low, 0.0
    if any(c.isdigit() or c == "_" for c in written) or "." in written:
        return "code", next(iter(extract_terms(low)), low), low, 0.0
    key = next(iter(extract_terms(low)), low)
    return ("name" if written[0].isupper() and len(written) > 1 else "word"), key, low, 0.0


def _is_inside_sentence(text: str, start: int) -> bool:
    """Whether a word stands inside a sentence, where a capital letter makes a name of it."""
    return SENTENCE_START.search(text[max(0, start - LOOK_BACK) : start]) is None


def _is_month(text: str, start: int, end: int, low: str) -> bool:
    """Whether "May" or "March" is a month here: beside a figure or in the middle of a sentence."""
    if low not in ("may", "march", "mar", "dec", "jan", "sep", "jun"):
        return True
    before = re.search(r"\d(?:st|nd|rd|th)?(?: of)? $", text[max(0, start - LOOK_BACK) : start])
    return bool(before or re.match(r"\.?,? ?(?:of )?\d", text[end : end + LOOK_BACK])) or _is_inside_sentence(
        text, start
    )


def _combine_numbers(raw: list[Word]) -> list[Word]:
    """Numbers of several words as one: "twenty-five", "3.5 million", "two hundred and six"."""
    out: list[Word] = []
    for word in raw:
        last = out[-1] if out else None
        if last is not None and last.kind == "number" and not last.key.endswith("s"):
            if word.lower in SPELLED_SCALES and word.kind in ("word", "light") and word.start - last.end <= 2:
                out[-1] = _make_number(last.start, word.end, last.value * SCALES[word.lower], last.unit)
                continue
            if _continues_number(last, word):
                out[-1] = _make_number(last.start, word.end, last.value + word.value, last.unit)
                continue
        elif word.lower in SPELLED_SCALES and last is not None and last.lower in ("a", "one"):
            out[-1] = _make_number(last.start, word.end, SCALES[word.lower])
            continue
        out.append(word)
    return out


def _continues_number(last: Word, word: Word) -> bool:
    """Whether `word` goes on counting: "twenty" and "five"."""
    near = word.kind == "number" and word.start - last.end == 1
    return (
        near
        and last.end - last.start > 4
        and last.value in range(20, 100, 10)
        and 0 < word.value < 10
        and not last.unit
    )


def _attach_units(found: list[Word]) -> list[Word]:
    """Numbers with the unit that the next word names."""
    for i, word in enumerate(found[:-1]):
        after = found[i + 1]
        if word.kind == "number" and not word.unit and after.start - word.end <= 2:
            low = after.lower
            if low == "per" and i + 2 < len(found) and found[i + 2].lower == "cent":
                low = "percent"
            unit = UNITS.get(low, "") if len(low) > 2 or after.kind != "light" else ""
            if low in ("square", "cubic") and i + 2 < len(found) and found[i + 2].lower in UNITS:
                unit = f"{low} {UNITS[found[i + 2].lower]}"
            if unit:
                found[i] = replace(word, unit=unit)
    return found


def key_of(word: str) -> str:
    """The key by which a single lower-case word is compared."""
    return _classify_word(word)[1]
