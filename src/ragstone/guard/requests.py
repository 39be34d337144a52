"""Sentences that ask somebody for a piece of work or an answer, as people write to an assistant."""

import re
from collections.abc import Iterator
from typing import NamedTuple


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Work with words and answers: what is asked of an assistant rather than of a reader of documentation.
WORK = _word_set(
    "write compose draft generate create produce formulate craft invent summarize summarise translate paraphrase "
    "rewrite rephrase explain describe discuss outline define tell give show provide list suggest recommend "
    "propose advise help determine classify categorize categorise analyze analyse evaluate rate calculate compute "
    "solve answer identify compare plan design imagine pretend act say state repeat print output reply respond speak "
    "talk behave share predict estimate brainstorm simulate convince argue return find convert spell make play "
    "sing swear promise admit confess suppose praise insult recite quote "
    "schreib schreibe schreiben verfasse verfassen erstelle erstellen generiere generieren formuliere formulieren "
    "übersetze übersetzen erkläre erklären beschreibe beschreiben nenne nennen zeige zeigen sag sage sagen gib geben "
    "hilf helfen beantworte beantworten antworte antworten empfiehl empfehlen schlage schlagen erzähle erzählen "
    "berechne berechnen stell stellen tu tun handle fasse fassen drucke drucken verhalte verhalten spiele "
    "behaupte behaupten bewerte bewerten vervollständige "
    "écris écrivez rédige rédigez traduis traduisez explique expliquez donne donnez dis dites montre montrez aide "
    "aidez recommande recommandez réponds répondez raconte racontez génère générez crée créez "
    "escribe escriba redacta redacte traduce traduzca explica explique dame dime muéstrame ayúdame responde "
    "recomienda sugiere genera crea cuéntame scrivi traduci spiega spiegami dimmi dammi mostrami aiutami rispondi "
    "consiglia consigliami escreva traduza diga dê mostre ajude responda schrijf vertaal vertel geef "
    "напиши напишите переведи переведите расскажи расскажите объясни объясните покажи покажите скажи скажите дай "
    "дайте ответь ответьте помоги помогите составь составьте сгенерируй сгенерируйте предложи предложите опиши "
    "опишите создай создайте сформулируй сформулируйте представь представьте придумай придумайте "
    "napiši reci budi napisz powiedz napiš řekni yaz söyle"
)
ASKING = _word_set(
    "who whom whose what when where which why how is are was were do does did can could should would will may has "
    "have am whats wer wen wem wann wo welche welcher welches warum wieso weshalb wozu wofür woran wie wieviel "
    "wieviele ist sind war hat haben kann können soll darf gibt qui que quoi quel quelle quels quelles quand où "
    "pourquoi comment combien qué quién cuándo dónde cómo cuál cuánto cuánta chi cosa quando dove perché come quale "
    "quanto quem onde waarom hoe waar кто что когда где почему зачем как какой какая какие какое сколько"
)
COMMON = _word_set(
    "share return plan design rate state play act name review find print output list make will may is was to"
)
# What makes the word before it a subject ("Write is chosen by …"), and what makes some a noun ("Help for scripts").
FINITE = _word_set("is are was were isn't aren't can could must should shall will would has have had does doesn't")
NOUNS = _word_set("output list plan design print share answer estimate show return find state rate play")
OF = _word_set("for from of")
HELPED = _word_set("me us my our him her them someone somebody people with to the this a an in understand")
# Politeness, praise and calls in front of what is asked.
LEADS = _word_set(
    "please pls kindly now then next ok okay so and but also instead just only well hey hi hello bitte nun jetzt dann "
    "und aber nur stattdessen therefore hence also again stop stopp first finally actually por favor ahora пожалуйста "
    "теперь а и я attention achtung"
)
MODAL = re.compile(
    r"(?:can|could|would|will) (?:you|u|someone|anyone)\b|i (?:really )*(?:want|need|expect|command|order"
    r"|beg) (?:you|u)\b"
    r"|i(?: would|'d) like (?:you )?to|i (?:really )*need (?:your |some )?(?:help|to know)"
    r"|i(?:'m| am) (?:looking for|interested in|trying to|searching)|i (?:would|'d) (?:like|love) "
    r"|kannst du|können sie|könntest du|könnten sie|ich (?:möchte|will|brauche|benötige|suche|interessiere)"
    r"|ich bin auf der suche|ich würde|peux-tu|pouvez-vous|pourr(?:ais-tu|iez-vous)|je (?:veux|voudrais)"
    r"|puedes|podrías|quiero|necesito|puoi|potresti|vorrei|você pode|quero|kun je|kunt u|можешь|можете|мне нужн"
    r"|я хочу|я хотел"
)
HOW = re.compile(r"how (?:do|can|would|should|could) (?:i|we) ")
# Asked of somebody in the middle of a sentence.
FOR_ME = re.compile(
    r"\b(?:tell|show|give|write|help|answer|teach|convince) me\b|\b(?:sag|sage|sagen sie|zeig|zeige|zeigen sie|gib"
    r"|geben sie|hilf|helfen sie|erzähl|erzähle|nenne|nenn) mir\b|\b(?:dis|donne|montre|aide|explique)-moi\b"
    r"|\b(?:dime|dame|dígame|muéstrame|ayúdame|dimmi|dammi|aiutami)\b|\b(?:скажи|покажи|дай|расскажи"
    r"|помоги)(?:те)? мне\b"
)
# Who the one spoken to shall be.
ROLE = re.compile(
    r"(?i:you(?: a|')re|you(?: wi|')ll be|imagine (?:that )?you(?: a|')re|du bist|sie sind|stell dir vor|tu es"
    r"|vous êtes|eres|ты|вы|представь,? что ты) (?i:now |not |going to be |jetzt |nun )?"
    r"(?:(?i:an?|the|my|our|no|called|named|ein|eine|der|die|das|kein|keine|mein|un|une|le|la)\b|[A-ZÄÖÜА-Я]\w+)"
    r"|(?i:from now on|your (?:next|first|new|only) )"
)
COMMANDED = re.compile(
    r"you (?:must|have to|shall|should|will|may|need to) (?:now|only|always|never|not)|du (?:musst|sollst|darfst)",
    re.IGNORECASE,
)
SENTENCE = re.compile(
    r"(?:[^\n|\t.!?…]|[.!…](?=[a-z0-9_/@\\.!?-])|(?<=[/=&\[])\?(?=\S)|\?(?=[a-z0-9_/@=\]&-])"
    r"|(?<= )\?(?= [a-z]))+[!?….\"”»')]*"
)
WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Where a new sentence begins in the middle of a line that lost its ends.
OPENERS = frozenset(word.capitalize() for word in (WORK | ASKING) - COMMON)
INNER = re.compile(rf"(?<=[\w)%|] )(?:{'|'.join(sorted(OPENERS))}) [a-z]{{1,12}}\b(?! of)")
FIRST = 6  # words of a sentence in which what it asks must begin


WRAPPED_LENGTH = 50  # characters of a line that goes on in the next
FEWEST = 3  # words of an order
CODE = re.compile(r"\S {3,}\S|[=$\\{}<>;`]|::|\w\(|\][(\[:]")  # what code and output have and requests do not
# How a line begins that is a heading, a comment, what a console asks or was told, or one choice of a menu.
LINE_MARK = re.compile(
    r"\s*(?:[#`]|<#|//|/\*|-- |\$ |>>> |PS(?: [^>\n]{0,60})?> |(?:PS )?[A-Z]:\\[^>\n]{0,60}>"
    r"|\[(?:[A-Z?]|DBG)\](?: |:))"
)


class RequestSentence(NamedTuple):
    """A sentence: its place in the text, its words in lower case, and which ways it asks in."""

    start: int
    end: int
    words: tuple[str, ...]
    question: bool = False
    modal: bool = False
    work: bool = False
    role: bool = False
    told: bool = False

    @property
    def is_request(self) -> bool:
        """Whether it asks for something."""
        return self.question or self.modal or self.work or self.role or self.told


def read_sentences(text: str, start: int, end: int) -> Iterator[RequestSentence]:
    """The sentences, lines and cells of a part of a text that have words, in order."""
    for found in SENTENCE.finditer(text, start, end):
        one = _read_sentence(text, *found.span(), start)
        looked = one is not None and not one.is_request and not OPENERS.isdisjoint(found[0].split())
        inner = INNER.search(text, found.start() + 1, found.end()) if looked else None
        parts = (
            [one]
            if inner is None
            else [
                _read_sentence(text, *at, start)
                for at in ((found.start(), inner.start()), (inner.start(), found.end()))
            ]
        )
        yield from (part for part in parts if part is not None)


def _continues_line(text: str, at: int, plain: str) -> bool:
    """Whether it is the rest of a sentence that a line's end cut."""
    if at == 0 or text[at - 1] != "\n" or not plain[:1].islower():
        return False
    line = text[max(0, text.rfind("\n", 0, at - 1)) : at - 1].rstrip()
    return len(line) >= WRAPPED_LENGTH and line[-1] not in ".!?|:"


def _read_sentence(text: str, start: int, end: int, least: int) -> RequestSentence | None:
    """What stands there; its line is looked for back to `least`."""
    said = text[start:end]
    words = tuple(word.lower() for word in WORDS.findall(said))
    if not words:
        return None
    first = next((n for n, word in enumerate(words[:FIRST]) if word not in LEADS), 0)
    opens = " ".join(words[first : first + 5])
    plain = said.strip().rstrip("\"”»')")
    mark = LINE_MARK.match(text, text.rfind("\n", least, start) + 1 or least)
    if (mark and start <= mark.end()) or _continues_line(
        text, start, plain
    ):  # a second sentence behind it is none of it
        return RequestSentence(start, end, words)
    how = words[first] in ASKING and HOW.match(opens) is not None and not plain.endswith(":")
    asking, work = plain.endswith("?") or how, _is_task_verb(words[first], words[first + 1 : first + 2])
    if (asking or work) and (len(words) < FEWEST or CODE.search(plain)):
        asking = work = False
    modal = MODAL.match(opens) is not None or FOR_ME.search(said.lower()) is not None
    return RequestSentence(
        start, end, words, asking, modal, work, ROLE.match(plain) is not None, COMMANDED.match(plain) is not None
    )


def _is_task_verb(word: str, after: tuple[str, ...]) -> bool:
    """Whether a sentence that begins so asks for work."""
    if word not in WORK or not FINITE.isdisjoint(after):
        return False
    return not HELPED.isdisjoint(after) if word == "help" else word not in NOUNS or OF.isdisjoint(after)
