"""The word for "password" in other languages, and how their sentences lead to the password."""

import re
from collections.abc import Iterable, Iterator

from ragstone.core.late_pattern import compile_late

# A place of one of these is no part of a longer word, endings of Turkish apart.
ASCII_WORDS: tuple[str, ...] = (
    *("contrasena", "contrasenya", "clave", "codigo secreto", "mdp"),
    *("senha", "wachtwoord", "toegangscode", "kennwort", "zugangscode"),
    *(
        "passord",
        "passordet",
        "losenord",
        "adgangskode",
        "adgangskoden",
        "kodeord",
        "kodeordet",
        "salasana",
        "salasanan",
        "parool",
        "parola",
        "parola d'ordine",
    ),
    *(
        "haslo",
        "hasla",
        "heslo",
        "hesla",
        "geslo",
        "lozinka",
        "zaporka",
        "jelszo",
        "sifre",
        "kata sandi",
        "kata laluan",
        "pasahitza",
        "pasfhocal",
        "cyfrinair",
        "nenosiri",
        "parol",
    ),
)
ASCII_STARTS = tuple(
    word for word in ASCII_WORDS if not any(word != other and word.startswith(other) for other in ASCII_WORDS)
)
# Those that end in "passe", by what is before it.
BEFORE_PASSE = ("mot de ", "mot_de_", "motde", "mots de ", "palavra-", "palavra ", "palavra_")
# Words with other letters: inflected forms begin like the first part that all share.
OTHER_WORDS: tuple[str, ...] = (
    *(
        "contraseña",
        "passwört",
        "kennwört",
        "lösenord",
        "hasł",
        "jelsz",
        "parolă",
        "şifre",
        "slaptažod",
        "парол",
        "κωδικό",
        "mật khẩu",
    ),
    *(
        "密码",
        "密碼",
        "口令",
        "通行码",
        "通行碼",
        "パスワード",
        "パスコード",
        "暗証番号",
        "비밀번호",
        "비번",
        "패스워드",
        "암호",
    ),
    *("lykilorð", "fjalëkalim", "лозинк", "құпия сөз", "құпиясөз", "нууц үг", "პაროლ", "գաղտնաբառ"),
    *("كلمة المرور", "كلمة السر", "رمز عبور", "گذرواژه", "סיסמה", "סיסמא", "รหัสผ่าน", "पासवर्ड", "পাসওয়ার্ড", "پاس ورڈ"),
)
ENDINGS = "(?:s[ıi]|n[ıi]z|m)?"
# "The password for X is": the words between, and the verb.
FOR = (
    r"for|of|on|de|du|des|del|della|di|da|do|dos|für|von|vom|zu|zum|zur|per|para|pour|voor|van|för|till|til|для|от|к|на"
)
IS = r"is|was|to|of|ist|lautet|war|est|es|è|é|är|er|on|to jest|je|este|это|был|olan|είναι|adalah"
# Scripts that put no blank between the word, what joins it, and the password.
UNSPACED = r"密码|密碼|口令|通行[码碼]|パスワード|パスコード|暗証番号|비밀번호|비번|패스워드|암호"
OTHER_PATTERN = compile_late("|".join(OTHER_WORDS), re.IGNORECASE)
FOLDED_WORDS = tuple(word.casefold() for word in OTHER_WORDS)
DOT_ABOVE = "\u0307"


def find_other_words(text: str) -> Iterator[int]:
    """Where the words stand that are not written in ASCII."""
    if text.isascii():
        return iter(())
    folded = text.casefold().replace(DOT_ABOVE, "")  # what a capital dotted I of Turkish leaves behind
    hinted = holds_any(folded, FOLDED_WORDS)
    return (match.start() for match in OTHER_PATTERN.finditer(text)) if hinted else iter(())


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands in a text. The letters of most stand in no text of another language."""
    letters = set(text)
    return any(word in text for word in words if letters.issuperset(word))
