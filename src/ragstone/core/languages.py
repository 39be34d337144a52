"""The language of a text, told by the small words that make up a third of any prose.

A word that several languages share counts for each of them by its share. Words of content, names and code count for
none, so a list of names or a line of code is of no language.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

# Articles, prepositions, pronouns, conjunctions and auxiliary verbs, which are also the stop words of the language.
SMALL_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.casefold().split())  # as words of texts are compared: a final ς is σ there
    for name, words in {
        "english": "the of and to in is that for it as was with be by on not he his but at are this have from or "
        "had an they which you were her all she there would their we him been has when who will more no if out so "
        "said what up its about into than them can only other do does did could may how where why a i my your our "
        "these those then such should because while during between after before any each most some must",
        "german": "der die das und in den von zu ist mit sich des auf für nicht ein eine dem auch es an werden aus "
        "er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber "
        "vor zur bis mehr durch man sein wurde sei wenn können kann ich wir ihr uns euch ihre seine was wer wo "
        "wann warum welche welcher welches diese dieser dieses im als unter gegen ohne muss müssen soll sollen "
        "darf jede jeder keine kein ihnen ihm worden wurden beim vom zwischen während",
        "french": "de la le les et des en un une du dans que qui est pour par sur au avec il elle ne pas plus ce "
        "se sont aux cette ces son sa ses ou mais comme nous vous ils elles être avoir été était ont fait peut "
        "sans leur leurs entre aussi où quand comment pourquoi quel quelle quels quelles si lui y je tu mon ma mes "
        "votre notre vos nos c'est d'un d'une qu'il n'est l'on doit doivent sous après avant chaque donc dont "
        "peuvent a à même lors très",
        "spanish": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le "
        "ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde "
        "está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene él uno donde bien cómo cuándo "
        "dónde cuál cuáles quién estos estas ese esa esos esas pueden debe deben durante cada ante bajo",
        "italian": "di e il la che in un a per è una con non del da le della si dei al sono nel i come più alla "
        "dal lo questo anche gli ha ma se o delle nella era suo ad essere su dell degli ed alle ai sul sua tra "
        "dalla può quando loro questa quale quali chi cosa dove perché ogni senza fra sia cui deve devono hanno "
        "stato stata sulla agli nelle negli quello quella questi queste io tu noi voi ci ne solo dopo prima mentre",
        "portuguese": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele "
        "das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois "
        "sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas meu às minha têm "
        "numa pelos elas havia seja qual será nós lhe deles essas esses pelas este fosse dele onde quais pode "
        "podem deve devem cada",
        "dutch": "de van het een en in is dat op te zijn met voor niet aan er om ook als door over bij uit nog "
        "naar dan of maar die hij ze wordt was worden werd heeft hebben had deze kan wel tot geen meer al dit zo "
        "wie wat waar wanneer hoe waarom welke zich onder tegen tussen moet moeten kunnen zal zullen ik je u wij "
        "we hun haar mijn uw ons onze men indien elke iedere zonder tijdens na",
        "swedish": "och i att det som en på är av för med den till inte om ett han men var jag sig från vi så kan "
        "man när har de ska skulle sin eller ut där hade under än blev blir också efter vid nu hur vad vem vilken "
        "vilka varför detta denna dessa måste får finns mellan utan mot kunde alla inom varje över sina dem oss ni "
        "er hon något",
        "danish": "og i at det som en på er af for med den til ikke om et han men var jeg sig fra vi så kan man "
        "når har de skal skulle sin eller ud hvor havde under end blev bliver også efter ved nu hvordan hvad hvem "
        "hvilken hvilke hvorfor dette denne disse må får findes mellem uden mod kunne alle inden hver være blive "
        "kun deres du hun mig",
        "norwegian": "og i at det som en på er av for med den til ikke om et han men var jeg seg fra vi så kan man "
        "når har de skal skulle sin eller ut hvor hadde under enn ble blir også etter ved nå hvordan hva hvem "
        "hvilken hvilke hvorfor dette denne disse må får finnes mellom uten mot kunne alle innen hver være bare "
        "deres du hun meg",
        "finnish": "ja on ei se että oli hän mutta ovat ole kuin myös niin joka kun jos sen tai mitä siitä vain "
        "jotka mukaan ollut tämä nyt sekä voi olla mikä missä milloin miten miksi kuka minä sinä me te he tämän "
        "näiden jonka joita voidaan pitää ennen jälkeen ilman kanssa välillä",
        "russian": "и в не на что с по как из к он это за от то у его о но для так все а же или бы был была были "
        "было если при до их который которая которые которого когда где кто чем чего почему какой какая какие "
        "каких может могут должен должны нет она они мы вы я только также более после перед без между под над этот "
        "эта эти этого быть есть уже ещё во со ли",
        "turkish": "ve bir bu için ile da de olarak olan çok daha gibi ne en kadar sonra o ise ama ya her mi mı ki "
        "değil var yok nasıl neden niçin nerede hangi kim şey olduğu tarafından göre veya ancak önce hem ben sen "
        "biz siz onlar",
        "greek": "ο η το και να του της με για που σε από είναι δεν θα τα οι την τον στο στη στην των μια ένα ως "
        "αλλά αν ή στον στα στους όπως πώς πού τι ποιος ποια ποιο γιατί πότε αυτό αυτή αυτός τους τις κατά μετά "
        "πριν μπορεί πρέπει όταν χωρίς κάθε εάν έχει έχουν ήταν",
        "arabic": "في من على إلى أن هذا هذه التي الذي عن مع كان كانت ما لا هو هي أو ثم بعد قبل كل غير بين حتى إذا "
        "لم لن قد كما عند منذ ذلك كيف متى أين لماذا ماذا هل يمكن يجب الذين خلال تلك إن أي تم",
    }.items()
}
LEAST = 0.12  # of all words of a text in small words of its language; a page of prose has .3 to .5
LEAD = 1.15  # times as much as the next language
RELATIVES = {"danish": "norwegian", "norwegian": "danish"}  # they share three quarters of their small words
ASKED = 8  # words: a question has as few, of which one small word of its own tells the language
LEAST_ASKED = 0.6


@cache
def _weigh_words() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """For each small word its languages, each with its share."""
    holders: dict[str, list[str]] = {}
    for language, words in SMALL_WORDS.items():
        for word in sorted(words):
            holders.setdefault(word, []).append(language)
    return {word: tuple((name, 1 / len(names)) for name in names) for word, names in holders.items()}


def detect_language(words: Iterable[str]) -> str | None:
    """The language of words in lower case, or of their count, as Snowball's stemmers name it; None if none is told.

    Of two languages that share most small words the likelier one is told.
    """
    found = detect_languages(words)
    return found[0] if found else None


def detect_languages(words: Iterable[str]) -> tuple[str, ...]:
    """The language of words, and its near relative where the words tell the two hardly apart; empty if none is told."""
    weighed, counts = _weigh_words(), Counter(words)
    scores: dict[str, float] = {}
    for word, count in counts.items():
        for language, share in weighed.get(word, ()):
            scores[language] = scores.get(language, 0.0) + count * share
    if not scores:
        return ()
    (best, most), *others = sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:3]
    total = counts.total()
    least = LEAST_ASKED if total <= ASKED else LEAST * total
    near = tuple(name for name, score in others if most < LEAD * score)
    relative = RELATIVES.get(best, "")
    told = most + scores.get(relative, 0.0)  # a word that both have counts whole
    return (best, *near) if told >= least and all(name == relative for name in near) else ()
