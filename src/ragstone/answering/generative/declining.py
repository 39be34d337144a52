"""How models say that they do not know, told by their prompts or not; only at the beginning of what they say."""

import re

ENGLISH = (
    r"(?:i(?:'m| am) sorry,?\W*(?:but )?|unfortunately,? )?"
    r"(?:i (?:do not|don't) (?:have (?:enough|sufficient|any) information|know)\b"
    r"|i (?:cannot|can't|am unable to|am not able to) (?:answer|find|determine)\b"
    r"|(?:the|these) (?:provided |given |available )?(?:context|passages|documents|information) (?:do|does) not "
    r"(?:contain|provide|mention|say|answer|include|specify)\b"
    r"|there is (?:not enough|no) information\b)"
)
ABOUT_GERMAN = r"(?:dazu|hierzu|dafür|darauf|darüber|hierüber|davon|leider|jedoch|aber|genug|frage|die|diese|das|es)"
NOTHING_GERMAN = r"(?:nicht\b(?! (?:nur|mehr|länger|weniger|bloß|allein)\b)|nichts\b|keine?n?\b)"
GERMAN = (
    r"(?:es tut mir leid,? (?:aber )?|leider )?(?:(?:dazu|hierzu|darüber|hierüber) )?"
    r"(?:(?:ich habe|habe ich) (?:leider |dazu |dafür )*(?:nicht gen(?:ug|ügend)|keine)\b"
    r"|(?:ich weiß|weiß ich) (?:es |das |leider )*nicht\b"
    r"|(?:ich kann|kann ich) (?:(?:diese|die|das|dazu|darauf|es|leider|frage|anhand|aus|de[rn]|passagen|dokumenten?) )*"
    r"(?:nicht (?:\w+ ){0,3}(?:be)?(?:antworten|finden|sagen|bestimmen|ermitteln|feststellen|entnehmen)\b"
    r"|keine (?:antwort|angaben?|informationen)\b)"
    r"|(?:die|diese|in den) (?:\w+en )?(?:passagen|stellen|dokumente?n?|informationen|texten?|auszügen?) "
    r"(?:enthalten|nennen|erwähnen|geben|sagen|liefern|beantworten|finden sich|gibt es|steht) "
    rf"(?:{ABOUT_GERMAN} )*{NOTHING_GERMAN}"
    r"|(?:enthalten|nennen|erwähnen|geben|liefern) (?:die|diese) (?:\w+en )?"
    rf"(?:passagen|stellen|dokumente|texte|auszüge) (?:{ABOUT_GERMAN} )*{NOTHING_GERMAN}"
    r"|es gibt (?:\w+ )?(?:nicht genug|nicht genügend|keine) (?:informationen|angaben))"
)
FRENCH = (
    r"(?:je suis désolée?,? (?:mais )?|désolée?,? (?:mais )?|malheureusement,? )?"
    r"(?:je n'ai pas (?:assez|suffisamment|d'information)"
    r"|je ne (?:sais|dispose|trouve) pas\b|je ne peux pas (?:répondre|trouver|déterminer)\b"
    r"|(?:les|ces) (?:passages|documents|informations|extraits|textes)(?: \w+)? n(?:e |')"
    r"(?:contien|mentionn|donn|indiqu|précis|fourni|dis|répond|parl|abord|expliqu|inclu|spécifi|permett)\w* "
    r"(?:pas(?! (?:seulement|que|uniquement)\b)|aucun|rien)"
    r"|il n'y a (?:pas (?:assez|suffisamment) d'|aucune )informations?\b)"
)
SPANISH = (
    r"(?:lo siento,? (?:pero )?|lamentablemente,? |desafortunadamente,? )?"
    r"(?:no (?:tengo|dispongo de) (?:suficiente|bastante|información)|no lo sé\b"
    r"|no (?:puedo|es posible) (?:responder|encontrar|determinar)\b"
    r"|(?:los|las|estos) (?:pasajes|documentos|textos|fragmentos)(?: \w+)? no (?:contienen|mencionan|dicen|indican|"
    r"proporcionan|incluyen|especifican)\b"
    r"|no hay (?:suficiente )?información\b)"
)
ITALIAN = (
    r"(?:mi dispiace,? (?:ma )?|purtroppo,? )?"
    r"(?:non (?:ho|dispongo di) (?:abbastanza|sufficienti|informazioni)|non lo so\b"
    r"|non (?:posso|è possibile|riesco a) (?:rispondere|trovare|determinare)\b"
    r"|(?:i|questi) (?:passaggi|documenti|testi|brani)(?: \w+)? non (?:contengono|menzionano|dicono|indicano|"
    r"forniscono|specificano)\b"
    r"|non ci sono (?:abbastanza |sufficienti )?informazioni\b)"
)
PORTUGUESE = (
    r"(?:desculpe,? (?:mas )?|infelizmente,? )?"
    r"(?:(?:eu )?não (?:tenho|disponho de) (?:informações|informação|dados)|(?:eu )?não sei\b"
    r"|(?:eu )?não (?:posso|consigo|é possível) (?:responder|encontrar|determinar)\b"
    r"|(?:os|estes) (?:trechos|documentos|textos|excertos)(?: \w+)? não (?:contêm|mencionam|dizem|indicam|fornecem|"
    r"especificam)\b"
    r"|não há informaç(?:ão|ões)\b)"
)
DUTCH = (
    r"(?:het spijt me,? (?:maar )?|sorry,? (?:maar )?|helaas )?"
    r"(?:(?:ik heb|heb ik) (?:hierover |daarover )?(?:niet genoeg|onvoldoende|geen) informatie"
    r"|ik weet het niet\b|(?:ik kan|kan ik) (?:\w+ ){0,4}?(?:geen antwoord\b"
    r"|niet (?:\w+ ){0,3}(?:beantwoorden|antwoorden|vinden|terugvinden|zeggen|bepalen|vaststellen|opmaken)\b)"
    r"|de (?:\w+ )?(?:passages|documenten|teksten) (?:bevatten|noemen|vermelden|geven|zeggen) "
    r"(?:hierover |daarover |dit |dat |helaas )?(?:niet(?! (?:alleen|meer|langer)\b)|niets|geen)\b"
    r"|er is (?:niet genoeg|onvoldoende|geen) informatie\b)"
)
RUSSIAN = (
    r"(?:извините,? (?:но )?|к сожалению,? )?"
    r"(?:(?:у меня )?(?:нет|недостаточно|не хватает) (?:достаточно )?(?:информации|данных|сведений)"
    r"|я не знаю\b|я не могу (?:ответить|найти|определить)\b"
    r"|(?:в )?(?:\w+ )?(?:фрагмент(?:ах|ы)|документ(?:ах|ы)|текст(?:ах|ы)) "
    r"(?:не (?:содерж|упомина|указ|говор)|нет\b|недостаточно\b))"
)
DECLINED = re.compile(
    rf"\W*+(?:{'|'.join((ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, RUSSIAN))})", re.IGNORECASE
)


def is_declined(text: str) -> bool:
    """Whether a model's text begins by saying that it does not know.

    >>> is_declined("Leider enthalten die Passagen dazu keine Angaben."), is_declined("Samples are kept for 15 days.")
    (True, False)
    """
    return DECLINED.match(text.replace("’", "'")) is not None
