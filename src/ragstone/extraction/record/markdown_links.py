"""Addresses of links as Markdown writes them."""

import re

SCHEMES = re.compile(r"(?:https?|ftps?|mailto|tel|news):", re.IGNORECASE)
RELATIVE = re.compile(r"[\w./%~][^:]{0,500}")
LONGEST = 2000
SPECIAL = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\t": "", "\n": "", "\r": ""}


def format_link(text: str, address: str | None) -> str:
    """`[text](address)`; the text alone where the address says no more, is none, or is one that runs code."""
    shown = text.strip()
    target = (address or "").strip()
    if not shown or not target or len(target) > LONGEST or not (SCHEMES.match(target) or RELATIVE.fullmatch(target)):
        return text
    if _strip_scheme(shown) == _strip_scheme(target) or "](" in shown:
        return text
    target = "".join(SPECIAL.get(c, c) for c in target)
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}[{shown}]({target}){after}"


def _strip_scheme(address: str) -> str:
    return re.sub(r"^(?:https?://|mailto:)", "", address.lower()).rstrip("/")
