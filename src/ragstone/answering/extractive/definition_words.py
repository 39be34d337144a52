"""How languages ask for the meaning of a word, and how their sentences tell it."""

from collections.abc import Mapping
from typing import NamedTuple


class DefinitionWords(NamedTuple):
    """asks: what stands before the subject of such a question; behind: what may stand behind it; article: of the
    subject; verbs: what stands behind the subject of a sentence that defines it; called: a sentence in which the
    subject, `{name}`, is given as a name; endings: of the subject's other numbers and cases."""

    asks: str
    article: str
    verbs: str
    called: str
    behind: str = ""
    endings: str = "s|es"


WORDS: Mapping[str, DefinitionWords] = {
    "german": DefinitionWords(
        asks=r"was (?:ist|sind|war|bedeutet|bedeuten|heißt|bezeichnet|meint|versteht man unter)(?: mit)?"
        r"|wer (?:ist|war|sind)|wofür steht|erkläre?|definiere?",
        article=r"(?:ein(?:e[nmrs]?)?|der|die|das|dem|den)\s",
        verbs=r"(?:ist|sind|war)\s(?:ein(?:e[nrms]?)?|der|die|das|jede[rs]?|alle|wenn)\b"
        r"|(?:bedeutet|bedeuten|bezeichnet|beschreibt|heißt|meint|steht für|dient)\b",
        called=r"\b(?:unter|als|mit)\s(?:(?:ein\w{0,2}|de[mnrs]|die|das)\s)?{name}\s(?:versteht|bezeichnet|meint|wird"
        r"|ist gemeint)\b|\bnennt man (?:\w+ )?{name}|(?<!\w){name}\s(?:genannt|nennt man)",
        endings="e|n|en|s|es|er",
    ),
    "french": DefinitionWords(
        asks=r"qu'est[- ]ce (?:que |qu')(?:c'est (?:que |qu'))?|que (?:signifie|veut dire)|c'est quoi|qui (?:est|était)"
        r"|définis(?:sez)?|expliquez?(?:-moi)?",
        article=r"(?:une?|l[ea]s?|des|du)\s|[ld]'",
        verbs=r"(?:est|sont)\s(?:une?|l[ae]s?|l'|des|ce|tout)(?!\w)|(?:désigne|désignent|signifie|représente|décrit)\b",
        called=r"\b(?:on |s')appelle\s(?:(?:une?|l[ae]|les)\s|l')?{name}(?!\w)|\b(?:appelée?s?|nommée?s?)\s{name}(?!\w)"
        r"|\bon entend par\s(?:(?:une?|l[ae]|les)\s|l')?{name}(?!\w)",
        endings="s|x",
    ),
    "spanish": DefinitionWords(
        asks=r"qué (?:es|son|significan?|quiere decir|se entiende por)|quién (?:es|fue|era)|define|explica",
        article=r"(?:un[oa]?s?|el|la|los|las)\s",
        verbs=r"(?:es|son)\s(?:un[oa]?s?|el|la|los|las|lo|aquel\w*|todo)\b"
        r"|(?:significan?|designan?|describen?|se refiere a|consiste en)\b",
        called=r"\bse (?:llama|denomina|conoce como)n?\s(?:(?:el|la|los|las|un|una)\s)?{name}(?!\w)"
        r"|\b(?:llamad[oa]s?|denominad[oa]s?)\s{name}(?!\w)|\bse entiende por\s(?:(?:el|la|los|las)\s)?{name}(?!\w)"
        r"|\bpor\s(?:(?:el|la|los|las)\s)?{name}\sse entiende\b",
    ),
    "italian": DefinitionWords(
        asks=r"(?:che )?(?:cos'è|cosa (?:è|sono|significano?|vuol dire|si intende per|s'intende per))"
        r"|che significa|chi (?:è|era)|definisci|spiega",
        article=r"(?:un[oa]?|il|l[oae]|i|gli)\s|(?:un|l)'",
        verbs=r"(?:è|sono)\s(?:un[oa]?|un'|il|l[oae]|l'|i|gli|ciò|tutto)(?!\w)"
        r"|(?:significano?|indicano?|descrive|consiste in)\b",
        called=r"\bsi chiama(?:no)?\s(?:(?:il|l[oae]|i|gli)\s|l')?{name}(?!\w)|\b(?:chiamat|dett)[oaie]\s{name}(?!\w)"
        r"|\bper\s(?:(?:il|l[oae])\s|l')?{name}\ss'?i?\s?intende\b|\bsi intende per\s{name}(?!\w)",
        endings="i|e|a|o",
    ),
    "portuguese": DefinitionWords(
        asks=r"o que (?:é|são|significam?|quer dizer|se entende por)|que é|quem (?:é|foi|era)|defin[ae]|explique",
        article=r"(?:uma?|uns|umas|[oa]s?)\s",
        verbs=r"(?:é|são)\s(?:uma?|uns|umas|o|a|os|as|aquel\w*|todo)\b"
        r"|(?:significam?|designam?|descreve|refere-se a|consiste em)\b",
        called=r"\b(?:chama-se|denomina-se|entende-se por|chamamos)\s(?:(?:o|a|os|as|uma?)\s)?{name}(?!\w)"
        r"|\b(?:chamad[oa]s?|denominad[oa]s?)\s{name}(?!\w)",
    ),
    "dutch": DefinitionWords(
        asks=r"wat (?:is|zijn|betekent|betekenen|houdt|verstaat men onder|verstaan we onder)|wie (?:is|was)|definieer"
        r"|leg uit",
        article=r"(?:een|de|het)\s",
        verbs=r"(?:is|zijn)\s(?:een|de|het|elke?|iedere?|alle)\b"
        r"|(?:betekent|betekenen|beschrijft|verwijst naar|staat voor)\b",
        called=r"\bonder\s(?:(?:een|de|het)\s)?{name}\s(?:verstaat|verstaan|wordt verstaan)\b"
        r"|\bnoemt men\s(?:\w+\s)?{name}(?!\w)|(?<!\w){name}\sgenoemd\b",
        behind=r" in",
        endings="s|en|n",
    ),
    "swedish": DefinitionWords(
        asks=r"vad (?:är|betyder|menas med|innebär)|vem (?:är|var)",
        article=r"(?:en|ett|den|det|de)\s",
        verbs=r"är\s(?:en|ett|den|det|de|när|alla)\b|(?:betyder|innebär|beskriver|avser)\b",
        called=r"\bmed\s{name}\s(?:menas|avses)\b|\bkallas\s(?:för )?{name}(?!\w)",
        endings="en|et|n|t|ar|er|or",
    ),
    "danish": DefinitionWords(
        asks=r"hvad (?:er|betyder|menes med|forstås ved)|hvem (?:er|var)",
        article=r"(?:en|et|den|det|de)\s",
        verbs=r"er\s(?:en|et|den|det|de|når|alle)\b|(?:betyder|beskriver|betegner)\b",
        called=r"\b(?:med|ved)\s{name}\s(?:menes|forstås)\b|\bkaldes\s{name}(?!\w)",
        endings="en|et|n|t|er|e",
    ),
    "norwegian": DefinitionWords(
        asks=r"hva (?:er|betyr|menes med)|hvem (?:er|var)",
        article=r"(?:en|et|ei|den|det|de)\s",
        verbs=r"er\s(?:en|et|ei|den|det|de|når|alle)\b|(?:betyr|beskriver|betegner)\b",
        called=r"\bmed\s{name}\s(?:menes|forstås)\b|\bkalles\s{name}(?!\w)",
        endings="en|et|n|t|er|e|a",
    ),
    "russian": DefinitionWords(
        asks=r"что (?:такое|значит|означает)|кто так(?:ой|ая|ие)|объясни",
        article=r"(?!)",
        verbs=r"(?:это|означает|является|называется|представляет собой)\b",
        called=r"\b(?:называют|называется|называются)\s{name}(?!\w)|\bпод\s{name}\w*\sпонима\w+",
        endings="а|ы|и|у|ом|ой|е",
    ),
}
