"""Words with which other languages than English ask for a kind of answer, and with which they answer that."""

import re
from collections.abc import Mapping
from functools import cache
from operator import itemgetter
from typing import NamedTuple

# The kinds in the order in which they are looked for at the same place: "how long" before "how".
HOW_MANY, WHEN, WHERE, WHO, WHY = "how_many", "when", "where", "who", "why"
HOW_TO, YES_NO, WHAT_IS = "how_to", "yes_no", "what_is"
ASKED: Mapping[str, Mapping[str, str]] = {
    "german": {
        HOW_MANY: r"wie ?(?:viele?n?|hoch|lange?|groß|weit|oft|schwer|teuer|alt|tief|breit|schnell)|wieviele?"
        r"|was (?:kostet|kosten)|welche (?:anzahl|menge|höhe|größe|länge)",
        WHEN: r"wann|seit wann|bis wann|an welchem (?:tag|datum)|in welchem (?:jahr|monat)|um wie viel uhr",
        WHERE: r"wo|wohin|woher|in welche[mnr] (?:stadt|ort|land|ordner|datei|raum)",
        WHO: r"wer|wen|wem|wessen|welche[rn]? (?:person|firma|kunde|kundin|mitarbeiter|abteilung)",
        WHY: r"warum|wieso|weshalb|aus welchem grund",
        HOW_TO: r"wie|womit|wodurch",
        YES_NO: r"^\W*(?:ist|sind|war|waren|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|wird|werden|gibt es)",
        WHAT_IS: r"^\W*was",
    },
    "french": {
        HOW_MANY: r"combien|quel(?:le)?s? (?:est|sont) l[ea']s? ?(?:prix|montant|nombre|taille|durée|hauteur|coût)"
        r"|quel(?:le)?s? (?:prix|montant|nombre|taille|durée|coût|part|pourcentage|température|plafond)",
        WHEN: r"quand|(?:à|en|depuis|jusqu'à) quel(?:le)?s? (?:date|heure|jour|mois|année)|quel jour",
        WHERE: r"où|dans quel(?:le)? (?:ville|pays|salle|dossier|fichier|lieu)",
        WHO: r"^\W*qui|(?:à|de|par|chez|avec|pour) qui|qui(?=\W*$)"
        r"|quel(?:le)? (?:personne|entreprise|société|client|service)",
        WHY: r"pourquoi|pour quelle raison",
        HOW_TO: r"comment|que (?:faire|dois-je faire|faut-il faire)",
        YES_NO: r"^\W*(?:est-ce qu[e']|peut-on|puis-je|faut-il|y a-t-il|doit-on|ai-je|a-t-on)",
        WHAT_IS: r"^\W*(?:qu'est-ce|que signifie|c'est quoi)",
    },
    "spanish": {
        HOW_MANY: r"cuánt[oa]s?|cuál(?:es)? (?:es|son) (?:el|la|los|las) (?:precio|importe|número|tamaño|coste)",
        WHEN: r"cuándo|(?:en|desde|hasta) qué (?:fecha|día|mes|año|hora)|a qué hora|qué días?",
        WHERE: r"a?dónde|en qué (?:ciudad|país|lugar|sala|carpeta|archivo)",
        WHO: r"quién(?:es)?|qué (?:persona|empresa|cliente|departamento)",
        WHY: r"por qué|por cuál razón",
        HOW_TO: r"cómo|qué (?:hago|debo hacer|hay que hacer|tengo que hacer)",
        YES_NO: r"^\W*(?:es|son|hay|se puede|puedo|tengo que|debo|está|están)",
        WHAT_IS: r"^\W*qué (?:es|son|significa)",
    },
    "italian": {
        HOW_MANY: r"quant[oiae]|qual è (?:il|la|l') ?(?:prezzo|costo|numero|importo|durata|dimensione)",
        WHEN: r"quando|(?:in|da|entro|a) che (?:data|giorno|mese|anno|ora)|entro quando",
        WHERE: r"dove|dov'è|in quale (?:città|paese|luogo|sala|cartella)",
        WHO: r"chi|quale (?:persona|azienda|cliente|reparto)",
        WHY: r"perché|per quale motivo|come mai",
        HOW_TO: r"come|cosa (?:devo|bisogna) fare",
        YES_NO: r"^\W*(?:è|sono|posso|si può|devo|c'è|ci sono)",
        WHAT_IS: r"^\W*(?:che )?(?:cos'è|cosa)",
    },
    "portuguese": {
        HOW_MANY: r"quant[oa]s?|qual é (?:o|a) (?:preço|custo|número|valor|duração|tamanho)",
        WHEN: r"quando|(?:em|desde|até) que (?:data|dias?|mês|ano|horas?)|a que horas",
        WHERE: r"a?onde|em que (?:cidade|país|lugar|sala|pasta)",
        WHO: r"quem|que (?:pessoa|empresa|cliente|departamento)",
        WHY: r"por ?qu[eê]|por que razão",
        HOW_TO: r"como|o que (?:devo|é preciso|tenho de) fazer",
        YES_NO: r"^\W*(?:é|são|há|posso|pode-se|devo|está|estão)",
        WHAT_IS: r"^\W*o que (?:é|são|significa)",
    },
    "dutch": {
        HOW_MANY: r"hoe ?(?:veel|lang|hoog|groot|ver|vaak|zwaar|duur|oud|diep|breed|snel)|wat kost(?:en)?",
        WHEN: r"wanneer|sinds wanneer|op welke (?:dag|datum)|in welk(?:e)? (?:jaar|maand)|hoe laat",
        WHERE: r"waar|waarheen|in welk(?:e)? (?:stad|land|map|zaal)",
        WHO: r"wie|wiens|welke (?:persoon|klant|afdeling)|welk bedrijf",
        WHY: r"waarom|om welke reden",
        HOW_TO: r"hoe|wat moet ik doen",
        YES_NO: r"^\W*(?:is|zijn|heeft|hebben|kan|mag|moet|wordt|worden)",
        WHAT_IS: r"^\W*wat",
    },
    "swedish": {
        HOW_MANY: r"hur (?:många|mycket|länge|ofta|stor[at]?|hög[at]?|långt?|dyrt?)|vad kostar",
        WHEN: r"när|vilken (?:dag|tid|månad)|vilket (?:datum|år)",
        WHERE: r"^\W*var|vart|varifrån|i vilken (?:stad|mapp)",
        WHO: r"vem|vems|vilken (?:person|kund|avdelning)|vilket företag",
        WHY: r"varför",
        HOW_TO: r"hur",
        YES_NO: r"^\W*(?:är|har|kan|får|måste|ska|finns)",
        WHAT_IS: r"^\W*vad",
    },
    "danish": {
        HOW_MANY: r"hvor (?:mange|meget|længe|ofte|stort?|højt?|langt?|dyrt?)|hvad koster",
        WHEN: r"hvornår|hvilken (?:dag|dato|måned)|hvilket år",
        WHERE: r"hvor|hvorfra|hvorhen",
        WHO: r"hvem",
        WHY: r"hvorfor",
        HOW_TO: r"hvordan",
        YES_NO: r"^\W*(?:er|har|kan|må|skal|findes)",
        WHAT_IS: r"^\W*hvad",
    },
    "norwegian": {
        HOW_MANY: r"hvor (?:mange|mye|lenge|ofte|stort?|høyt?|langt?|dyrt?)|hva koster",
        WHEN: r"når|hvilken (?:dag|dato|måned)|hvilket år",
        WHERE: r"hvor|hvorfra",
        WHO: r"hvem",
        WHY: r"hvorfor",
        HOW_TO: r"hvordan",
        YES_NO: r"^\W*(?:er|har|kan|må|skal|finnes)",
        WHAT_IS: r"^\W*hva",
    },
    "russian": {
        HOW_MANY: r"сколько|какова? (?:цена|стоимость|длина|сумма)|как (?:долго|часто|далеко)",
        WHEN: r"когда|в каком (?:году|месяце)|какого числа|во сколько",
        WHERE: r"где|куда|откуда",
        WHO: r"кто|кого|кому|кем",
        WHY: r"почему|зачем|отчего",
        HOW_TO: r"как",
        WHAT_IS: r"^\W*что (?:такое|значит|означает)",
    },
}
# Beside figures, words for a number or a time.
COUNTS: Mapping[str, str] = {
    "german": "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halbe[nrs]?|einmal|zweimal|hundert|tausend",
    "french": "deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|cent|mille|demi-?\\w*",
    "spanish": "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cien|mil|medi[oa]",
    "italian": "due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|cento|mille|mezzo",
    "portuguese": "dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|quinze|vinte|trinta|cem|mil|mei[oa]",
    "dutch": "twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|vijftien|twintig|honderd|duizend|halve?",
    "swedish": "två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|femton|tjugo|hundra|tusen|halv\\w*",
    "danish": "to|tre|fire|fem|seks|syv|otte|ni|ti|elleve|tolv|femten|tyve|hundrede|tusind|halv\\w*",
    "norwegian": "to|tre|fire|fem|seks|sju|åtte|ni|ti|elleve|tolv|femten|tjue|hundre|tusen|halv\\w*",
    "russian": "два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|сто|тысяч\\w*|пол\\w*",
}
TIMES: Mapping[str, str] = {
    "german": "montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|täglich|wöchentlich|monatlich"
    "|jährlich|mittags?|nachts?|vor|nach|bis|während",
    "french": "lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|chaque|midi"
    "|avant|après|pendant|jusqu'\\w+",
    "spanish": "lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|cada|antes|después|durante|hasta",
    "italian": "lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|ogni|entro|prima|dopo|durante|fino",
    "portuguese": "segundas?|terças?|quartas?|quintas?|sextas?|sábados?|domingos?|cada|antes|depois|durante|até",
    "dutch": "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|elke|voor|vóór|na|tot|tijdens",
    "swedish": "måndag|tisdag|onsdag|torsdag|fredag|lördag|söndag|varje|före|efter|till",
    "danish": "mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag|hver|før|efter|indtil",
    "norwegian": "mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag|hver|før|etter|til",
    "russian": "понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье|кажд\\w+|до|после",
}
REASONS: Mapping[str, str] = {
    "german": "weil|da|denn|wegen|aufgrund|grund|damit|deshalb|daher|um",
    "french": "car|parce|puisque|raison|cause|afin|grâce|pour",
    "spanish": "porque|pues|debido|razón|causa|para|por",
    "italian": "perché|poiché|siccome|causa|motivo|per|affinché",
    "portuguese": "porque|pois|devido|razão|causa|para|por",
    "dutch": "omdat|doordat|want|wegens|vanwege|reden|zodat|om",
    "swedish": "eftersom|därför|på grund|orsak|anledning|för att",
    "danish": "fordi|derfor|på grund|årsag|grund|for at",
    "norwegian": "fordi|derfor|på grunn|årsak|grunn|for å",
    "russian": "потому|поскольку|так как|из-за|чтобы|причин\\w+",
}
# Verbs that shape a question for a price, a time or a meaning, which the answer may well leave unsaid.
LIGHT_VERBS: Mapping[str, str] = {
    "german": "kostet kosten dauert dauern beträgt betragen bedeutet heißt versteht findet statt lautet gilt gelten "
    "bekommen erhalten liegt befindet tun darf",
    "french": "coûte coûtent coûter dure durer signifie signifient veut appelle trouve trouvent situe lieu passe",
    "spanish": "cuesta cuestan costar dura durar significa significan llama llaman encuentra encuentran pasa",
    "italian": "costa costano costare dura durare significa significano chiama chiamano trova trovano succede",
    "portuguese": "custa custam custar dura durar significa significam chama chamam encontra fica ficam",
    "dutch": "kost kosten duurt duren betekent betekenen heet heten bedraagt bedragen vindt plaats geldt gelden",
    "swedish": "kostar varar betyder heter gäller ligger",
    "danish": "koster varer betyder hedder gælder ligger",
    "norwegian": "koster varer betyr heter gjelder ligger",
    "russian": "стоит стоят длится значит означает называется находится",
}
# Persons where every noun has a capital: behind a title, or two words with a capital in a row.
PERSON = re.compile(r"(?:\b(?:Herrn?|Frau|Dr\.|Prof\.|Hrn\.|Fr\.)\s+|\b[A-ZÄÖÜ][a-zäöüß]+ )[A-ZÄÖÜ][a-zäöüß]+")


class Answers(NamedTuple):
    """Words of a language for numbers, times and reasons."""

    counts: re.Pattern[str]
    times: re.Pattern[str]
    reasons: re.Pattern[str]

    def hold(self, kind: str, sentence: str) -> bool:
        """Whether a sentence has a word of the kind that is asked for; nothing special is asked for elsewhere."""
        pattern = {HOW_MANY: self.counts, WHEN: self.times, WHY: self.reasons}.get(kind)
        return pattern is None or pattern.search(sentence) is not None


def find_kind(question: str, language: str) -> str | None:
    """The kind of answer that a question in a language asks for, by the first word that tells one. A later one asks
    nothing, as "quand" in "Que faire quand il neige ?". None where no word tells.

    >>> find_kind("Wie lange dauert das?", "german"), find_kind("Qui prépare les affiches ?", "french")
    ('how_many', 'who')
    """
    text = question.replace("’", "'")
    found = [(match.start(), kind) for kind, pattern in _compile_asked(language) if (match := pattern.search(text))]
    return min(found, key=itemgetter(0))[1] if found else None


@cache
def find_answers(language: str) -> Answers | None:
    """The words with which a language answers; None for one without a table."""
    if language not in ASKED:
        return None
    return Answers(*(_compile_words(table[language]) for table in (COUNTS, TIMES, REASONS)))


@cache
def _compile_asked(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    table = ASKED.get(language, {})
    return tuple((kind, _compile_words(words)) for kind, words in table.items())


def _compile_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
