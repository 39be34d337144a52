"""Greetings, thanks and signatures around a question, which name nothing that is searched for."""

import re

from ragstone.core.late_pattern import compile_late

NAME = r"[A-Z][\w.'’-]*"
GREETS = (
    r"hi(?:ya)?|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|guten (?:tag|morgen|abend)"
    r"|liebe[sr]?|bonjour|bonsoir|salut|hola|buenos días|buenas tardes|ciao|buongiorno|olá|bom dia|goedemorgen"
)
TO_WHOM = rf"(?: (?i:there|all|team|everyone|everybody|folks|guys|together|zusammen|tous|todos)| {NAME}){{0,3}}"
OPENS = (
    r"sorry(?: again)?(?: (?:to (?:bother|disturb|trouble) you|for (?:the |another )?(?:bother|trouble|question)))?"
    r"|(?:just )?(?:a )?(?:very )?(?:quick|short|small|silly|stupid) (?:one|question)(?: (?:for you|please))?"
    r"|(?:i have|i['’]ve got|i['’]d have) (?:a|one|another) (?:quick |short |small )?question(?: for you)?"
    r"|(?:i was |i am |i['’]m )?(?:just )?wondering|i hope (?:you are|you['’]re|this finds you)(?: doing)? well"
    r"|excuse me|eine (?:kurze )?frage|kurze frage|une (?:petite )?question|una (?:pequeña )?pregunta|una domanda"
)
THANKS = (
    r"(?:(?:many|best|kind|warm|with|thanks and) (?:kind |best )?)?(?:thanks|thank you|thx|regards|wishes|cheers)"
    r"(?: (?:a lot|so much|very much|in advance|again|for (?:your|the|any) \w+|everyone|all|team))*"
    r"|best(?! )|yours(?: (?:sincerely|faithfully|truly))?|sincerely"
    r"|(?:vielen |besten )?danke?(?: (?:im voraus|dir|ihnen))?|(?:viele|liebe|beste) grüße"
    r"|merci(?: beaucoup| d['’]avance)?|cordialement|(?:muchas )?gracias|saludos"
    r"|grazie(?: mille)?|obrigad[oa]|bedankt"
)
LEAD = compile_late(rf"\s*(?:(?i:{GREETS}){TO_WHOM}|(?i:{OPENS}))\s*(?:[,.!:;–—\n]|\s-\s)[\s,.!:;–—-]*")
TAIL = compile_late(rf"(?<=[.?!,\n])\s*(?i:{THANKS})\s*(?:[,.!–—-]*\s*{NAME}(?: {NAME}){{0,2}})?\s*[.!]*\s*$")
LONGEST = 160  # characters of thanks with a name: in longer ones a search would take the square of their spaces
FEWEST = 2  # words that are left
WORD = re.compile(r"\w+")


def strip_courtesies(question: str) -> str:
    """A question without the greeting before it and the thanks and the name behind it; whole where less than two words
    would be left.

    >>> strip_courtesies("Hi team, quick one: how long is the warranty? Thanks!")
    'how long is the warranty?'
    >>> strip_courtesies("Hello Ann, sorry to bother you. Who leads the hub? Best regards, Tom Hill")
    'Who leads the hub?'
    >>> strip_courtesies("Hello world"), strip_courtesies("Thanks for the fish"), strip_courtesies("hi, refunds?")
    ('Hello world', 'Thanks for the fish', 'hi, refunds?')
    """
    rest = question
    while (match := LEAD.match(rest)) and match.end():
        rest = rest[match.end() :]
    rest = rest.rstrip()
    while match := TAIL.search(rest, max(0, len(rest) - LONGEST)):
        rest = rest[: match.start()].rstrip()
    return rest.lstrip() if rest != question.rstrip() and len(WORD.findall(rest)) >= FEWEST else question
