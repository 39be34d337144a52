"""What is ticked and chosen in the form fields that Word has had since before its content controls."""

from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value, parse_number


def read_checkbox(field: Element) -> bool | None:
    """Whether the box that begins with this `w:fldChar` is ticked; None for what is no box."""
    box = field.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return None
    now = child_switch(box, W + "checked")
    return bool(now if now is not None else child_switch(box, W + "default"))


def read_list_choice(field: Element) -> str:
    """The entry of a list that is chosen, the first where nothing is said; "" for what is no list."""
    choices = field.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return ""
    entries = [one.get(W + "val") or "" for one in choices.iterchildren(W + "listEntry")]
    at = parse_number(child_value(choices, W + "result") or child_value(choices, W + "default")) or 0
    return entries[at] if 0 <= at < len(entries) else ""
