"""The claim in a sentence: without courtesies, announcements, headings and frames."""

import re

from ragstone.core.sentences import is_heading_line

MARKER = re.compile(r"\[(?:\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*|chunk:[^\]\s]{1,200})\]")
BULLET = re.compile(r"^\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+)+")
FRAME = re.compile(
    r"^(?:(?:in (?:short|summary|brief|other words)|to summari[sz]e|overall|so|therefore|thus|yes|no"
    r"|additionally|also|furthermore"
    r"|moreover|however|finally|in addition|in conclusion|specifically|for example|sure|certainly)[,:]\s+"
    r"|(?:please )?note that\s+"
    r"|(?:according to|based on|as (?:stated|described|mentioned|noted|per|shown|said|explained) (?:in|by)?)\s*"
    r"(?:the |this |these |your )?(?:(?:provided|given|retrieved|above|following|supplied) )*"
    r"(?:documents?|documentation|context|passages?|sources?|texts?|excerpts?|information"
    r"|articles?)(?: provided| above)?,?\s+"
    r"|as (?:the |this )?(?:document|documentation|context|passage|source|text|excerpt|article)s? (?:says?"
    r"|states?|notes?|explains?|mentions?),?\s+"
    r"|(?:the |this |these )?(?:provided |given )?(?:documents?|documentation|context|passages?|sources?|texts?"
    r"|excerpts?|article) "
    r"(?:also )?(?:says?|states?|notes?|explains?|mentions?|shows?|indicates?|describes?) that\s+)+",
    re.IGNORECASE,
)
COURTESY = re.compile(
    r"^\W*(?:i hope (?:this|that|it) (?:helps?|is helpful|answers? your question)|let me know if"
    r"|please let me know|feel free to"
    r"|is there anything else|if you (?:have|need) (?:any |more |further )|great question|thanks? (?:you|for)"
    r"|(?:sure|certainly|of course)(?:\W*$|\W+(?:i|here|let)\b)"
    r"|happy to help|i(?:'|’)d be happy to|you(?:'|’)re welcome|sources?:?\W*$|references?:?\W*$"
    r"|citations?:?\W*$)[^\d]{0,120}$",
    re.IGNORECASE,
)
ANNOUNCES = re.compile(
    r"(?:\bhere(?:'s| is| are)\b|\bbelow\b|\bfollowing\b|\bas follows\b|\bthese\b|\bthis is what\b|\bsummary\b"
    r"|\banswer\b|\bsteps?\b"
    r"|\bto (?:do (?:this|so|that)|summari[sz]e)\b)[^.!?\d]{0,120}[:：]\W*$",
    re.IGNORECASE,
)
DECLINES = re.compile(
    r"^\W*(?:unfortunately,? |however,? |but )?(?:i(?:'|’)m sorry[^.]{0,40}|i (?:do not|don(?:'|’)t) (?:know"
    r"|have (?:enough|sufficient|any) information)"
    r"|i (?:cannot|can(?:'|’)t|am unable to|could not) (?:answer|find|determine)|there is (?:no"
    r"|not enough) (?:information|mention)"
    r"|(?:the |this |these )?(?:provided |given |current )?(?:documents?|documentation|context|passages?"
    r"|sources?|texts?|information)(?: provided)? "
    r"(?:do|does) not (?:say|mention|contain|provide|specify|state|include|answer|give|explain|discuss))\b"
    r"(?:(?!\b(?:but|however|although|though|because)\b)[^;\d]){0,200}$",
    re.IGNORECASE,
)
SAYS = re.compile(r"[^\W_]")
LONGEST_ASIDE = 400  # characters; nothing longer is a courtesy


def extract_claim(sentence: str) -> str:
    """The claim of a sentence: without markers, list marks and frames; "" when it claims nothing.

    Nothing is claimed by courtesies, announcements of a list, questions, headings, and by saying that the documents
    do not tell: none of them with a figure in it, and no announcement or courtesy that is longer than a line or two.

    >>> extract_claim("According to the documents, it was 911 [2].")
    'it was 911 .'
    >>> extract_claim("Here is what I found:"), extract_claim("I hope this helps!"), extract_claim("### Summary")
    ('', '', '')
    """
    text = MARKER.sub("", sentence).strip()
    if not SAYS.search(text) or text.startswith("#") or is_heading_line(text) or text.endswith(("?", "？")):
        return ""
    if len(text) <= LONGEST_ASIDE:
        plain = text.strip("*_ ")
        if COURTESY.match(plain) or ANNOUNCES.search(plain) or DECLINES.match(plain):
            return ""
        text = BULLET.sub("", text, count=1)
        framed = FRAME.match(text)
        if framed and SAYS.search(text, framed.end()):
            text = text[framed.end() :]
    return text.strip()
