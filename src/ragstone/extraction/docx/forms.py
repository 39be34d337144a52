"""What is ticked and chosen in the form fields that Word has had since before its content controls."""

from ragstone.extraction.ooxml.ooxml import Element, W, number, switch, value


def ticked(field: Element) -> bool | None:
    """Whether the box that begins with this `w:fldChar` is ticked; None for what is no box."""
    box = field.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return None
    now = switch(box, W + "checked")
    return bool(now if now is not None else switch(box, W + "default"))


def chosen(field: Element) -> str:
    """The entry of a list that is chosen, the first where nothing is said; "" for what is no list."""
    choices = field.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return ""
    entries = [one.get(W + "val") or "" for one in choices.iterchildren(W + "listEntry")]
    at = number(value(choices, W + "result") or value(choices, W + "default")) or 0
    return entries[at] if 0 <= at < len(entries) else ""
