"""The names of members: relative paths with `/` that lead nowhere else."""

from ragstone.extraction.legacy_encodings import rank_charsets

LONGEST = 1000  # characters
SHOWN = 200
DOS = "cp437"  # what the format of ZIP says where nothing else is said


def clean_name(raw: str) -> str:
    """The path of a member; "" for a folder. Raises `ValueError` with the reason.

    >>> clean_name("./reports\\\\2024//may.docx"), clean_name("reports/")
    ('reports/2024/may.docx', '')
    >>> clean_name("../etc/passwd")
    Traceback (most recent call last):
    ValueError: its name leads out of the archive
    """
    name = raw.replace("\\", "/")
    if name.endswith("/"):
        return ""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts:
        return ""
    if ".." in parts or (parts[0][1:2] == ":" and parts[0][:1].isalpha()):
        raise ValueError("its name leads out of the archive")
    if any(sign < " " or sign == "\x7f" for sign in name):
        raise ValueError("its name holds control characters")
    cleaned = "/".join(parts)
    if len(cleaned) > LONGEST:
        raise ValueError(f"its name has more than {LONGEST:,} characters")
    try:
        cleaned.encode()
    except UnicodeEncodeError as error:
        raise ValueError("its name is not valid UTF-8") from error
    return cleaned


def escape_name(raw: str) -> str:
    """A name that is not taken, for a list of such.

    >>> escape_name("a\\nb/../c")
    'a\\\\nb/../c'
    """
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in raw[:SHOWN])


def guess_charset(names: list[bytes]) -> str:
    """The encoding of names of which the archive does not say it, all in one.

    >>> guess_charset(["Angebot für Müller.docx".encode("cp437"), "Übersicht.md".encode("cp437")])
    'cp850'
    >>> guess_charset(["日本語の資料.txt".encode("cp932"), "見積書.pdf".encode("cp932")])
    'cp932'
    """
    sample = b"\n".join(names)
    try:
        sample.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    for name in rank_charsets(sample):
        try:
            sample.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return DOS
