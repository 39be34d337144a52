"""Quantities in units of one measure: 90 minutes and 1.5 hours, two years and 24 months."""

from ragstone.core.comparable_words import Word

MEASURES = """
second 1 minute 60 hour 3600 day 86400 week 604800 fortnight 1209600 ms 0.001 microsecond 1e-6 nanosecond 1e-9
month 1 quarter 3 year 12 decade 120 century 1200
km 1000 m 1 cm 0.01 mm 0.001
tonne 1e6 kg 1000 g 1 mg 0.001
litre 1 dl 0.1 cl 0.01 ml 0.001
tb 1e12 gb 1e9 mb 1e6 kb 1e3 byte 1
""".strip().splitlines()
BASE = {
    unit: (number, float(size))
    for number, line in enumerate(MEASURES)
    for unit, size in zip(line.split()[::2], line.split()[1::2], strict=True)
}


def is_same_quantity(one: Word, other: Word) -> bool:
    """Whether two figures are one quantity in two units.

    >>> from ragstone.core.comparable_words import parse_words
    >>> minutes, hours, days = (parse_words(text)[0] for text in ("90 minutes", "1.5 hours", "90 days"))
    >>> is_same_quantity(minutes, hours), is_same_quantity(minutes, days)
    (True, False)
    """
    if one.kind != other.kind or one.unit not in BASE or other.unit not in BASE:
        return False
    (measure, size), (its, its_size) = BASE[one.unit], BASE[other.unit]
    return measure == its and abs(one.value * size - other.value * its_size) <= 1e-9 * abs(one.value * size)
