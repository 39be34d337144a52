"""The words of a question in another language than English that name its subject, and how a text says them."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

from ragstone.core.analyzer import (
    detect_text_language,
    extract_terms,
    extract_tokens,
    list_compound_parts,
    list_lower_words,
    stem_own,
    stem_searched,
)
from ragstone.core.languages import SMALL_WORDS, detect_language

ENGLISH = "english"
# A language that the question does not tell is that of the first passages found, where this share of them has one.
READ, SHARED = 5, 0.6
# Beside the small words of a language those that ask, by which a question is spoken, not what it is about: "how much",
# "I would like", "does one have to". They are no stop words: an index counts them.
ASKING_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "german": "lange lang viel viele vielen oft hoch groß weit bitte gibt es geht mein meine meinen meinem "
        "meiner dein deine unser unsere mich mir dich dir du man hier habe hast hatte bin bist darf "
        "dürfen sollte sollten könnte muß soll will wollen möchte welchem welchen wen wem wessen "
        "wofür womit wodurch wozu woher wohin worauf wieso weshalb wieviel lässt lassen tun macht "
        "machen bekomme bekommt etwas jemand jetzt wirklich ziemlich sogar statt anhand bereits "
        "gewisse gewissen gerade eigentlich denn doch mal schon immer wieder selbst ganz etwa also "
        "dann dort dabei dazu davon dafür solche solchen andere anderen anderer anderes alle allen "
        "alles meines brauche braucht brauchen benötige benötigt benötigen",
        "french": "combien quel quelle quels quelles lequel laquelle faut faire fais dois devrais devrait devez "
        "puis peux pouvez pouvoir veux voulez est-ce qu'est-ce t suis ai as avez ayant me te moi toi mien "
        "mienne cela ça ici tout tous toute toutes quoi s'il plaît au-dessus afin alors existe été "
        "étaient sert vraiment plutôt depuis oui celle celui celles ceux dessous dessus sais sait "
        "ainsi encore déjà toujours jamais autre autres certains certaines plusieurs peu beaucoup "
        "moins vers chez lorsque puisque moi-même mêmes là besoin",
        "spanish": "cuánto cuánta cuántos cuántas cuál cuáles cuanto quién qué hay he has hemos debo deberia "
        "debería deberías puedo puedes podría quiero hacer hago hace hacen mi mis tu tus nuestro "
        "nuestra mío me te conviene cada aquí algo alguien estoy soy somos tengo tienes tienen tener "
        "existe sirve tenía sí mismo misma mismos otra otro otras otros ahora entonces siempre nunca "
        "tan tanto además aunque pues según hacia mientras sé aquel aquella necesito necesita "
        "necesitan falta",
        "italian": "quanto quanta quanti quante qual cosa posso puoi possiamo devo devi dovrei dovrebbe dobbiamo "
        "voglio fare faccio fa fanno mio mia miei mie tuo tua nostro nostra mi ti vi ho hai abbiamo "
        "avere conviene ogni qui qualcosa qualcuno sto stai sta c'è cos'è esiste esistono serve dell "
        "all dall nell sull un l d invece ora adesso persino sì mai sempre essa esso essi esse sé "
        "quei quegli li viene vengono proprio già ancora poi allora così tanto molto poco altro altra "
        "altri altre stesso stessa qualche circa verso bisogno",
        "portuguese": "quanto quanta quantos quantas qual quais quê onde aonde posso podes podemos poderia devo "
        "deveria quero fazer faço faz fazem meu minha meus minhas teu tua nosso nossa me te aqui algo "
        "alguém estou sou somos tenho tens temos existe existem serve preciso sim disso nisso isto "
        "aquilo acerca então sempre nunca mesma mesmos outro outra outros outras tanto ainda agora "
        "assim lá nenhum nenhuma nenhuns consigo",
        "dutch": "hoeveel lang vaak groot ver mag mogen wil wilt willen moest zou zouden kun kunt heb hebt ben "
        "bent mij me jouw je jullie ons hier iets iemand doe doen doet gaat krijg krijgt waarvoor "
        "waarmee wiens welk zelf zelfs nu altijd nooit toch dus andere ander anders echt gewoon daar "
        "daarom erg zeer nodig",
        "swedish": "hur mycket många länge ofta stor mitt min mina ditt din dina vårt våra mig dig här något "
        "någon gör göra borde skulle vill behöver vems vart varifrån nu själv alltid aldrig andra "
        "annan annat",
        "danish": "meget mange længe ofte stor mit min mine dit din dine vores mig dig her noget nogen gør gøre "
        "burde vil behøver hvis hvorfra",
        "norwegian": "mye mange lenge ofte stor mitt min mine ditt din dine vårt våre meg deg her noe noen gjør "
        "gjøre burde vil behøver hvorfra",
        "finnish": "paljonko montako kauanko mitkä millainen miten voin voit voimme pitäisi täytyy haluan minun "
        "sinun meidän minua täällä jotain joku tehdä",
        "russian": "сколько как какой какие каков кому кого чего зачем откуда куда ли же мой моя мои моё мне "
        "меня нам нас вам свой своя свои свою своего своей своих твой наш наша можно нужно надо могу "
        "можем можешь хочу делать сделать чтобы такое такой тут здесь должно что-то кто-то является "
        "лучше будет будут него неё ней них себя мной моей моего моих моему каком каким какими какого "
        "какому какую какое чём чему кем ком другие других другой другого могли нибудь либо себе "
        "собой этой этом этими тот та те того той тех том такие таких сам сама сами самому один одна "
        "одно всё всех всего очень нельзя никогда всегда сейчас тогда там потом нужен нужна нужны "
        "необходимо",
        "turkish": "kaç ne nasıl bana benim senin bizim mıyım miyim mısın misin mu mü burada bir şey yapmalı "
        "yapabilirim gerekir istiyorum",
    }.items()
}


# A question that begins with its language's "and" goes on with the one before.
AND: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "german": "und",
        "french": "et",
        "spanish": "y e",
        "italian": "e ed",
        "portuguese": "e",
        "dutch": "en",
        "swedish": "och",
        "danish": "og",
        "norwegian": "og",
        "finnish": "ja",
        "russian": "и а",
        "turkish": "ve",
        "greek": "και",
    }.items()
}
# The letters of languages beside those of English: one small word tells no language in which another letter stands, as
# "ile" does not tell Turkish in "Ile kosztuje stół?"
LETTERS: Mapping[str, str] = {
    "german": "äöüß",
    "french": "àâæçéèêëîïôœùûüÿ",
    "spanish": "áéíñóúü",
    "italian": "àèéìíîòóùú",
    "portuguese": "àáâãçéêíóôõúü",
    "dutch": "áàèéëïíóöüú",
    "swedish": "åäöé",
    "danish": "æøåé",
    "norwegian": "æøåéòô",
    "finnish": "äöåšž",
    "turkish": "çğıiöşüâî\u0307",
}
# Verbs of two parts with something between these, which no stemmer takes out: "ein-ge-reicht".
PARTED: Mapping[str, re.Pattern[str]] = {
    "german": re.compile(
        r"(?P<first>ab|an|auf|aus|bei|durch|ein|fest|frei|her|hin|hoch|los|mit|nach|um|vor|weg|weiter|wieder|zu|zurück"
        r"|zusammen)(?:ge|zu)(?P<verb>\w{3,})(?:t|en)"
    ),
    "dutch": re.compile(
        r"(?P<first>aan|achter|af|bij|door|in|mee|na|op|over|terug|toe|uit|voor|weg)ge(?P<verb>\w{3,}?)(?:d|t|en)"
    ),
}
FEWEST_TOLD = 2  # small words of a question; one alone is a name in English too: "MIT License", "per user limit"
FEWEST_NAMED = 2  # words of a subject; a question with fewer leans on what was said before


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question as its language reads them. small: those of the language that name no subject; stems: for
    each stem of a subject's word there the term of the word; parts: for each term of a compound the stems of its
    shortest parts, which say it together."""

    language: str
    words: Sequence[str] = ()
    stems: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_small(self, word: str) -> bool:
        """Whether a word, in lower case, names nothing."""
        return is_small(word, self.language)

    def show(self, token: str) -> str:
        """A word of the question as it is written, without the article that an apostrophe joins to it.

        >>> QuestionWords("french").show("l'Assurance")
        'Assurance'
        """
        kept = next(list_pieces(token, self.language), "")
        return token[-len(kept) :] if kept and token.casefold().endswith(kept) else token

    def find(self, text: str) -> frozenset[str]:
        """The question's terms of which a text has another form, a compound, or all parts.

        >>> read_question("Wie lange werden die Proben aufbewahrt?", "german").find("Eine Probe hält sich.")
        frozenset({'proben'})
        >>> read_question("Wann muss ich Belege einreichen?", "german").find("Sie werden eingereicht.")
        frozenset({'einreichen'})
        >>> read_question("Wie viele Urlaubstage habe ich?", "german").find("Der Urlaub dauert 28 Tage.")
        frozenset({'urlaubstag'})
        """
        pieces = [piece for token in extract_tokens(text) for piece in list_pieces(token, self.language)]
        forms = [form for piece in pieces for form in _list_verb_forms(piece, self.language)]
        stems = set(stem_searched([*pieces, *forms], self.language))
        whole = {self.stems[stem] for stem in stems & self.stems.keys()}
        return frozenset(whole | {term for term, parts in self.parts.items() if parts <= stems})


def is_small(word: str, language: str) -> bool:
    """Whether a word in lower case is a small word of a language, or one that asks."""
    return word in _fold_small_words(language)


@cache
def _fold_small_words(language: str) -> frozenset[str]:
    """The small words of a language as they are compared: "groß" is "gross", and no final sigma is left."""
    words = (*SMALL_WORDS.get(language, ()), *ASKING_WORDS.get(language, ()))
    return frozenset(word.casefold() for word in words)


def list_pieces(token: str, language: str) -> Iterator[str]:
    """A word in lower case without the small words that an apostrophe or a hyphen joins to it.

    >>> [list(list_pieces(word, "french")) for word in ("l'installation", "Qu'est-ce", "affiche-t-il", "apt-get", "C")]
    [['installation'], [], ['affiche'], ['apt-get'], ['c']]
    """
    word = token.replace("’", "'").casefold()
    if is_small(word, language):
        return
    pieces = re.split(r"['\-]", word)
    kept = [one for one in pieces if one and not is_small(one, language) and (len(one) > 1 or not one.isalpha())]
    if len(kept) == len(pieces) or len(pieces) == 1:
        yield word
    else:
        yield from kept


def _list_verb_forms(word: str, language: str) -> Iterator[str]:
    """The infinitive of a participle or an infinitive with "zu" whose first part is parted off.

    >>> [list(_list_verb_forms(word, "german")) for word in ("eingereicht", "einzureichen", "eingang")]
    [['einreichen'], ['einreichen'], []]
    """
    pattern = PARTED.get(language)
    match = pattern.fullmatch(word) if pattern else None
    if match is not None:
        yield f"{match['first']}{match['verb']}en"


def read_question(text: str, language: str) -> QuestionWords:
    """A question in a language other than English."""
    words = [piece for token in extract_tokens(text) for piece in list_pieces(token, language)]
    stems: dict[str, str] = {}
    parts: dict[str, frozenset[str]] = {}
    for word in words:
        for term in extract_terms(word)[:1]:
            forms = [word, *_list_verb_forms(word, language)]
            stems.update(dict.fromkeys(stem_own(forms, language), term))
            shortest = [
                one for one in list_compound_parts([word], language) if not list_compound_parts([one], language)
            ]
            if shortest:
                parts[term] = frozenset(stem_own(shortest, language))
    return QuestionWords(language, words, stems, parts)


def tell_language(question: str, passages: Sequence[str]) -> str | None:
    """The language of a question; None for English, and where nothing tells.

    Where no small word tells it, it is that which most of the first passages found share. Where one alone tells
    another language than English, and those passages are English, it is English.

    >>> tell_language("Fichiers de configuration", ["Les fichiers de configuration sont dans le dossier."])
    'french'
    """
    words = list_lower_words(question)
    own = detect_language(words)
    if own is None:
        own = _find_shared_language(passages)
    elif own != ENGLISH and sum(is_small(word, own) for word in words) < FEWEST_TOLD:
        shared = _find_shared_language(passages)
        own = shared if shared == ENGLISH or _has_other_letters(question, own) else own
    return None if own == ENGLISH else own


def _has_other_letters(text: str, language: str) -> bool:
    known = LETTERS.get(language)
    return known is not None and any(c.isalpha() and not c.isascii() and c not in known for c in text.casefold())


def tell_speaker_language(question: str, passages: Sequence[str]) -> str | None:
    """The language to speak to somebody who asks; None for English, and where it would be a guess. In letters of
    English alone, a question tells another language by two of its small words, or by one where the passages have it.

    >>> tell_speaker_language("vacation days per year", []), tell_speaker_language("Quel est le prix ?", [])
    (None, 'french')
    """
    language = tell_language(question, passages)
    if language is None or not question.isascii():
        return language
    small = sum(is_small(word, language) for word in list_lower_words(question))
    return language if small >= (1 if _find_shared_language(passages) == language else FEWEST_TOLD) else None


def _find_shared_language(passages: Sequence[str]) -> str | None:
    """The language that most of the first passages tell."""
    first = passages[:READ]
    told = [one for one in map(detect_text_language, first) if one]
    most = max(sorted(set(told)), key=told.count, default=None)
    return most if most and told.count(most) >= SHARED * len(first) else None


def find_own(words: QuestionWords | None, terms: Set[str], text: str) -> frozenset[str]:
    """The terms of a text, with the question's terms of which it has another form."""
    return frozenset(terms) if words is None else frozenset(terms) | words.find(text)


def leans_on_history(question: str, language: str) -> bool:
    """Whether a question in a language other than English names too little to be understood alone.

    >>> [leans_on_history(text, "french") for text in ("Et pour l'imprimante ?", "Comment imprimer une enveloppe ?")]
    [True, False]
    """
    tokens = [token.casefold() for token in extract_tokens(question)]
    named = {piece for token in tokens for piece in list_pieces(token, language)}
    return bool(tokens) and (tokens[0] in AND.get(language, ()) or len(named) < FEWEST_NAMED)
