"""Counts as lists show them: letters, Roman numerals, circled digits …"""

from collections.abc import Callable, Mapping

ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
ROMAN_SMALL = (*ROMAN, (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
LARGEST_ROMAN = 9999
LONGEST = 20  # letters; Word repeats a letter once more every 26 items
HAN = "〇一二三四五六七八九"
HAN_UNITS = ("", "十", "百", "千")
STEMS = "甲乙丙丁戊己庚辛壬癸"
IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
GANADA = "가나다라마바사아자차카타파하"
CYRILLIC = "абвгдежзиклмнопрстуфхцчшщыэюя"
HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
CIRCLED = 20


def format_numeral(n: int, shape: str) -> str:
    """The count `n` in one of the format's shapes (`lowerLetter`, `upperRoman` …); decimal where it is not known."""
    shaped = SHAPES.get(shape)
    return shaped(n) if shaped is not None and n > 0 else str(n)


def _format_letters(n: int) -> str:
    return chr(ord("a") + (n - 1) % 26) * min(LONGEST, (n - 1) // 26 + 1)


def _format_roman(n: int) -> str:
    if n > LARGEST_ROMAN:
        return str(n)
    out = ""
    for size, sign in ROMAN_SMALL:
        out += sign * (n // size)
        n %= size
    return out


def _format_ordinal(n: int) -> str:
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _format_han(n: int) -> str:
    if n > 9999:
        return str(n)
    out, empty = "", False
    for place in range(3, -1, -1):
        digit = n // 10**place % 10
        if digit:
            out += (HAN[0] if empty and out else "") + HAN[digit] + HAN_UNITS[place]
        empty = not digit
    return out.removeprefix("一") if out.startswith("一十") else out


def _format_circle(n: int) -> str:
    return chr(0x245F + n) if n <= CIRCLED else str(n)


def _cycle_signs(signs: str) -> Callable[[int], str]:
    return lambda n: signs[(n - 1) % len(signs)]


SHAPES: Mapping[str, Callable[[int], str]] = {
    "decimalZero": lambda n: f"{n:02d}",
    "lowerLetter": _format_letters,
    "upperLetter": lambda n: _format_letters(n).upper(),
    "lowerRoman": _format_roman,
    "upperRoman": lambda n: _format_roman(n).upper(),
    "ordinal": _format_ordinal,
    "decimalEnclosedCircle": _format_circle,
    "decimalEnclosedCircleChinese": _format_circle,
    "decimalEnclosedParen": lambda n: f"({n})",
    "decimalEnclosedFullstop": lambda n: f"{n}.",
    "numberInDash": lambda n: f"- {n} -",
    "chineseCounting": _format_han,
    "chineseCountingThousand": _format_han,
    "taiwaneseCounting": _format_han,
    "taiwaneseCountingThousand": _format_han,
    "japaneseCounting": _format_han,
    "koreanCounting": _format_han,
    "ideographDigital": lambda n: "".join(HAN[int(d)] for d in str(n)),
    "japaneseDigitalTenThousand": lambda n: "".join(HAN[int(d)] for d in str(n)),
    "ideographTraditional": _cycle_signs(STEMS),
    "iroha": _cycle_signs(IROHA),
    "irohaFullWidth": _cycle_signs(IROHA),
    "aiueo": _cycle_signs(AIUEO),
    "aiueoFullWidth": _cycle_signs(AIUEO),
    "ganada": _cycle_signs(GANADA),
    "russianLower": _cycle_signs(CYRILLIC),
    "russianUpper": _cycle_signs(CYRILLIC.upper()),
    "hebrew2": _cycle_signs(HEBREW),
}
