"""Hidden content of a text: invisible letters, encodings, letters that look like others."""

import base64
import binascii
import codecs
import re
import unicodedata
from functools import cache
from urllib.parse import unquote

ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]")
# A letter, something invisible, a letter: in Latin script nobody needs it. Emoji and Indic or
# Persian script do, so that other letters do not count.
SPLIT_WORD = re.compile("(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\ufeff]+(?=[A-Za-z])")
SPLIT_WORDS = 3
OVERRIDE = re.compile("[\u202d\u202e]")
# Letters written in tag characters, which show as nothing; after a black flag they spell a region.
TAGGED = re.compile("(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}")
BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,20000}={0,2}(?![A-Za-z0-9+/=_-])")
HEX = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}[ :]?){16,5000}(?![A-Za-z0-9])")
ESCAPED = re.compile(r"(?:(?:%|\\x)[0-9a-fA-F]{2}){8,}")
# Words of orders as rot13 and as read from behind write them, where no other text has them.
ROT13_WORDS = ("vtaber", "vafgehpgvba", "qvfertneq", "flfgrz cebzcg", "cerivbhf", "nffvfgnag")
REVERSED_WORDS = ("erongi", "noitcurtsni", "dragersid", "tpmorp metsys", "suoiverp", "tnatsissa")
# Digits and signs that stand for letters within a word.
LEET = re.compile(
    r"(?<![\w@$])(?=[a-z0-9@$!]{0,23}[a-z])(?=[a-z0-9@$!]{0,23}[0134578@$])[a-z0-9@$!]{3,24}(?![\w@$])", re.IGNORECASE
)
LETTERS = str.maketrans("013457@$8", "oieastasb")
ORDER_WORDS = frozenset(
    "ignore disregard forget instructions instruction previous system prompt assistant reveal".split()
)
# Cyrillic and Greek letters that look like Latin ones.
ALIKE = str.maketrans(
    "аеорсухіјѕԁһӏАВЕКМНОРСТУХІЈЅαονρτικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhlABEKMHOPCTYXIJSaovptikABEZHIKMNOPTYX"
)
MIXED = re.compile(r"\b(?=\w*[A-Za-z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w+")  # looked at once a word
# Letters of other alphabets of Unicode in the shape of Latin ones: mathematical, full width, small capitals.
SHAPED = re.compile(
    "[\U0001d400-\U0001d7ff\uff21-\uff3a\uff41-\uff5a\u1d00-\u1d22\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f]"
)
SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")
# A word written letter by letter, and its end: two blanks, or the end of the line.
SPACED = re.compile(r"(?<![^\W_])(?:[a-z][ ._-]){3,20}[a-z](?![^\W_])", re.IGNORECASE)
# Words of orders, found in spite of a letter that is one too many, missing or in another place.
KEY_WORDS = frozenset(
    "ignore disregard override previous instruction instructions directions guidelines restrictions reveal prompt "
    "system respond assistant".split()
)
MISSPELT = re.compile(r"\b[idoprgsa][a-z]{4,13}\b", re.IGNORECASE)
LONG = 8  # letters of a word of which one may be missing or too many
# What stands for a plain sign in print: after this most documentation is ASCII, which is quicker to look through.
PLAIN_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "\xa0": " ", "•": "*"}
)


def normalize_text(text: str) -> str:
    """The text as it is to be looked through: nothing invisible, plain quotes and dashes."""
    return text if text.isascii() else ZERO_WIDTH.sub("", text.translate(PLAIN_SIGNS))


def has_invisible(text: str) -> bool:
    """Whether something in a text is made not to be seen, or to be seen in another order."""
    if text.isascii():
        return False
    split = sum(1 for _ in SPLIT_WORD.finditer(text)) >= SPLIT_WORDS
    return bool(split or TAGGED.search(text) or OVERRIDE.search(text))


def decode_hidden(text: str) -> list[str]:
    """The decoded texts in it: tag characters, base64, hexadecimal, rot13 and so on."""
    out = [*_decode_base64(text), *_decode_hex(text)]
    out += [unquote(run.replace("\\x", "%")) for run in ESCAPED.findall(text)]
    lower = text.lower()
    if any(word in lower for word in ROT13_WORDS):
        out.append(codecs.decode(text, "rot13"))
    if any(word in lower for word in REVERSED_WORDS):
        out.append(text[::-1])
    if any(_replace_leetspeak(word).lower() in ORDER_WORDS for word in LEET.findall(text)):
        out.append(LEET.sub(lambda word: _replace_leetspeak(word[0]), text))
    if any(_find_key_word(word.lower()) for word in MISSPELT.findall(text)):
        out.append(MISSPELT.sub(lambda word: _find_key_word(word[0].lower()) or word[0], text))
    if SPACED.search(text):
        joined = SPACED.sub(lambda word: re.sub(r"[ ._-]", "", word[0]), text)
        out.append(re.sub(r"[ \t]{2,}", " ", joined))
    if not text.isascii():
        if SHAPED.search(text):
            out.append(unicodedata.normalize("NFKC", text.translate(SMALL_CAPITALS)))
        out += ["".join(chr(ord(c) - 0xE0000) for c in run) for run in TAGGED.findall(text)]
        if MIXED.search(text):
            out.append(MIXED.sub(lambda word: word[0].translate(ALIKE), text))
    return out


def _replace_leetspeak(word: str) -> str:
    return word.translate(LETTERS).replace("!", "i")


@cache
def _key_word_forms() -> dict[str, str]:
    """Key words by their first and last letter with those between in order, and without each of their letters."""
    forms = {_sort_inner(word): word for word in KEY_WORDS}
    for word in sorted(KEY_WORDS):
        if len(word) >= LONG:
            forms.update((word[:at] + word[at + 1 :], word) for at in range(1, len(word) - 1))
    return forms


def _find_key_word(word: str) -> str | None:
    """The key word that a misspelt one stands for."""
    if word in KEY_WORDS:
        return None
    forms = _key_word_forms()
    found = forms.get(_sort_inner(word)) or forms.get(word)
    if found is None and len(word) > LONG:
        found = next((cut for at in range(1, len(word) - 1) if (cut := word[:at] + word[at + 1 :]) in KEY_WORDS), None)
    return found


def _sort_inner(word: str) -> str:
    return f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]} "


def _decode_base64(text: str) -> list[str]:
    out = []
    for run in BASE64.findall(text):
        try:
            out.append(base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode("utf-8"))
        except (binascii.Error, UnicodeDecodeError):
            continue
    return [found for found in out if found.replace("\n", " ").isprintable()]


def _decode_hex(text: str) -> list[str]:
    out = []
    for run in HEX.findall(text):
        try:
            out.append(bytes.fromhex(run.replace(":", " ")).decode("utf-8"))
        except ValueError:
            continue
    return [found for found in out if found.replace("\n", " ").isprintable()]
