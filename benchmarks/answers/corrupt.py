"""Sentences that passages support and, made from them by script, sentences that they do not: what `support.py` reads.

A case is a sentence, the chunks in the context, which of them it cites, and the verdict that is right. The light
paraphrases and the corruptions know nothing of the checker: their word lists were written apart from those in
`src/ragstone/answer`, and opposites that the checker's list happens to hold are reported apart.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from ragstone.core.sentences import split_sentences
from ragstone.core.types import Chunk, Document, Span

Verdict = Literal["supported", "repaired", "unsupported"]
Change = Callable[[str, random.Random], str | None]

SYNONYMS = dict(
    pair.split("/")
    for pair in """
began/started started/began big/large large/big used/employed use/employ show/demonstrate shows/demonstrates
showed/demonstrated
important/significant significant/important help/assist helps/assists often/frequently frequently/often many/numerous
around/about approximately/about however/nevertheless because/since while/whereas build/construct built/constructed
get/obtain
obtained/got purchase/buy purchased/bought bought/purchased people/persons children/kids also/additionally
mainly/primarily
primarily/mainly main/principal major/principal quickly/rapidly rapidly/quickly called/named named/called
known/recognized
created/made made/produced area/region region/area city/town country/nation nation/country film/movie movie/film
begins/starts
starts/begins ended/finished finished/ended received/got gave/granted said/stated stated/said near/close-to
within/inside
allow/permit allows/permits allowed/permitted require/need requires/needs required/needed needs/requires choose/select
chosen/selected chose/selected whole/entire entire/whole different/distinct various/several several/various
difficult/hard hard/difficult
kind/type type/kind part/portion located/situated died/deceased famous/renowned usually/typically typically/usually
change/alter
changes/alters changed/altered result/outcome results/outcomes method/technique methods/techniques answer/response
error/mistake
default/standard contains/holds contain/hold includes/comprises ensure/guarantee provides/offers provide/offer
provided/offered
""".split()
)
OPPOSITES = {
    one: other
    for pair in """
more/fewer less/more higher/lower lower/higher larger/smaller smaller/larger longer/shorter shorter/longer older/younger
before/after after/before first/last last/first most/least least/most above/below below/above increased/decreased
decreased/increased
increase/decrease decrease/increase rose/fell fell/rose won/lost lost/won early/late late/early north/south
south/north east/west
west/east northern/southern southern/northern eastern/western western/eastern maximum/minimum minimum/maximum
majority/minority
begin/end began/ended start/stop enabled/disabled enable/disable open/closed opened/closed inside/outside
internal/external
external/internal buy/sell bought/sold best/worst better/worse strong/weak rich/poor high/low low/high large/small
small/large
many/few few/many always/never never/always all/none everyone/nobody public/private private/public left/joined
hot/cold young/old old/young true/false allow/forbid allows/forbids accepted/rejected support/oppose supported/opposed
positive/negative negative/positive male/female success/failure gain/loss profit/loss with/without
popular/unpopular famous/unknown agreed/refused approved/vetoed expanded/shrank grew/shrank growing/shrinking
strengthened/weakened
peaceful/violent optional/mandatory required/optional safe/dangerous safe/unsafe visible/hidden empty/full wet/dry
clean/dirty guilty/innocent
conservative/liberal optimistic/pessimistic healthy/sick friendly/hostile thick/thin heavy/light bright/dark
loud/quiet solid/liquid
urban/rural modern/ancient abundant/scarce succeeded/failed improved/worsened improve/worsen reduced/raised reduce/raise
reduces/raises retained/discarded kept/discarded loved/hated elected/dismissed appointed/dismissed hired/fired
arrived/departed
destroyed/built built/demolished founded/dissolved established/abolished formed/dissolved freed/imprisoned
""".split()
    for one, other in [pair.split("/")]
}
QUANTIFIERS = dict(
    pair.split("/")
    for pair in "some/all many/all most/all often/always usually/always sometimes/always several/all few/all "
    "typically/always generally/always rarely/never".split()
)
UNITS = {
    one: other
    for pair in """
km/miles kilometers/miles kilometres/miles miles/kilometres metres/feet meters/feet feet/metres million/billion
billion/million thousand/million
percent/dollars years/months months/years days/weeks weeks/days hours/minutes minutes/hours seconds/minutes kg/pounds
pounds/kilograms
tons/pounds bytes/kilobytes MB/GB GB/MB inches/feet acres/hectares degrees/metres
""".split()
    for one, other in [pair.split("/")]
}
MONTHS = "January February March April May June July August September October November December".split()
SMALL = "two three four five six seven eight nine ten eleven twelve".split()
NEVER_NAMES = frozenset(
    (
        *MONTHS,
        *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday I The A An In It He She They This Around Within "
        "Over After "
        "Before During While When Since Under From For With At By On As However Also Thus Then Other Its His "
        "Her".split(),
    )
)
NAME = re.compile(
    r"(?<=[a-z,;] )(?:[A-Z][\w.’'-]{1,15})(?: (?:of |de |the "
    r"|and )?[A-Z][\w.’'-]{1,15}){0,5}(?<![.’'-])(?! ?[–&-]? ?[A-Z]|[\w’'-])"
)
NUMBER = re.compile(r"(?<![\w.,/-])\d[\d,]*(?:\.\d+)?(?![\w/-]|[.,]\d)")
YEAR = re.compile(r"(?<![\w.,/-])(?:1[0-9]|20)\d\d(?![\w/,-]|\.\d)")
VERB = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|does|do|did)\b(?! not)(?!n['’]t)"
)
NOT = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|does|do|did) not\b|\bcannot\b"
    r"|\b(never) "
)


@dataclass(frozen=True)
class Case:
    """One sentence to be checked against `context`, of which it cites `cited`."""

    set: str
    article: str
    kind: str
    right: Verdict
    sentence: str
    cited: tuple[int, ...]
    context: tuple[Chunk, ...]

    @property
    def held_out(self) -> bool:
        """Whether its article is one that nothing is fitted on."""
        return half(self.set, self.article)


def half(name: str, article: str) -> bool:
    """Half of the articles by their title's hash; of the long documents, the ones named here."""
    if name == "chunking":
        return article in ("wikitexts", "state_of_the_union", "chatlogs")
    return hashlib.sha256(article.encode()).digest()[0] % 2 == 1


# What is read


@dataclass(frozen=True)
class Article:
    """A title and its paragraphs."""

    set: str
    title: str
    paragraphs: tuple[str, ...]


def articles(data: Path) -> list[Article]:
    """Wikipedia paragraphs, long documents of other kinds, technical documentation."""
    found = [*_beir(data / "qa" / "squad_near", "squad"), *_beir(data / "qa" / "clapnq", "clapnq")]
    corpora = sorted((data / "qa" / "chunking_evaluation" / "data" / "corpora").glob("*.md"))
    found += [Article("chunking", f.stem, tuple(_runs(f.read_text(encoding="utf-8")))[:400]) for f in corpora]
    for name in ("prometheus_docs", "rust_book"):
        for file in sorted((data / "kb" / name).rglob("*.md")):
            runs = tuple(_runs(re.sub(r"(?s)\A---.*?\n---\n|```.*?```", "", file.read_text(encoding="utf-8"))))
            found.append(Article(name, file.stem, runs))
    return [article for article in found if article.paragraphs]


def _beir(folder: Path, name: str) -> Iterator[Article]:
    groups: dict[str, list[str]] = {}
    for row in lines(folder / "corpus.jsonl"):
        groups.setdefault(row["title"], []).append(_untokenised(row["text"]) if name == "clapnq" else row["text"])
    yield from (Article(name, title, tuple(texts)) for title, texts in groups.items())


def _runs(text: str) -> Iterator[str]:
    run = ""
    for paragraph in re.split(r"\n\s*\n", text):
        for piece in [paragraph[i : i + 1200] for i in range(0, len(paragraph), 1200)]:
            if len(run) + len(piece) > 1200 and run:
                yield run.strip()
                run = ""
            run += piece + "\n\n"
    if run.strip():
        yield run.strip()


def _untokenised(text: str) -> str:
    """CLAP NQ's passages are written with spaces around every mark."""
    text = re.sub(r"`` ?(.*?) ?''", r'"\1"', text)
    text = re.sub(r" ([.,;:!?)\]%]|'s\b|n't\b)", r"\1", text)
    return re.sub(r"([(\[$]) ", r"\1", text).replace(" - ", "-").replace(" -- ", " – ")


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


# Light paraphrases: what they say is still said


def verbatim(text: str, _: random.Random) -> str | None:
    """As it stands."""
    return text


def reordered(text: str, _: random.Random) -> str | None:
    """What stands before the first comma to the end, or the last "in …" to the front."""
    if found := re.match(
        r"((?:In|On|At|After|During|When|While|Since|Under|From|For"
        r"|With) [^,;]{3,60}(?:, \d{4})?), (?!\d{4})([^;:,]*[a-z0-9\")])\.$",
        text,
    ):
        head, tail = found[1], found[2]
        return f"{_capital(tail)} {head[0].lower()}{head[1:]}."
    if found := re.match(
        r"([A-Z][^,;:]{15,}) (?<! and )((?:in|on|during|after|before|since) (?:the )?[A-Z0-9][^,;:]{2,40})\.$", text
    ):
        return f"{_capital(found[2])}, {_lower(found[1])}."
    return None


def dropped(text: str, _: random.Random) -> str | None:
    """Without a bracket, an inserted clause, or the last clause."""
    for pattern, new in (
        (r" ?\([^()]*\)", ""),
        (r", (?:which|who|where|whose) [^,]*,", ""),
        (
            r"^(?:However|Moreover|Therefore|Thus|Also|Furthermore|Additionally|Finally|Then|Generally|Historically), ",
            "",
        ),
        (r", (?:which|where|while|whereas|although|but|so|because|including|such as) [^;]*\.$", "."),
        (r"; [^;]*\.$", "."),
        (r", and [^,;]*\.$", "."),
    ):
        new_text = re.sub(pattern, new, text, count=1)
        if new_text != text and len(new_text.split()) >= 7:
            return _capital(new_text)
    return None


def synonyms(text: str, chance: random.Random) -> str | None:
    """Up to two words by others of the same sense."""
    places = [m for m in re.finditer(r"\b[a-z]+\b", text) if m[0] in SYNONYMS]
    chosen = sorted(chance.sample(places, min(2, len(places))), key=lambda m: -m.start())
    for place in chosen:
        text = text[: place.start()] + SYNONYMS[place[0]].replace("-", " ") + text[place.end() :]
    return text if chosen else None


def refigured(text: str, _: random.Random) -> str | None:
    """The same numbers and dates, written another way."""
    new = re.sub(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])", lambda m: m[0].replace(",", ""), text)
    new = re.sub(r"(\d) ?(?:percent|per cent)\b", r"\1%", new) if new == text else new
    new = re.sub(r"(\d)%", r"\1 percent", new) if new == text else new
    new = re.sub(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})", r"\2 \1 \3", new) if new == text else new
    new = re.sub(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})", _iso, new) if new == text else new
    new = re.sub(r"\b(\d+(?:\.\d+)?) million\b", lambda m: f"{round(float(m[1]) * 1e6):,}", new) if new == text else new
    words = re.compile(rf"\b({'|'.join(SMALL)})\b")
    new = words.sub(lambda m: str(SMALL.index(m[1]) + 2), new, count=1) if new == text else new
    few = re.compile(r"(?<![\w.,:/$£€%-])([2-9]|1[0-2])(?= [a-z]{3,})")
    new = few.sub(lambda m: SMALL[int(m[1]) - 2], new, count=1) if new == text else new
    return new if new != text else None


def framed(text: str, chance: random.Random) -> str | None:
    """With words around it that claim nothing."""
    frame = chance.choice(
        (
            "According to the documents, {}",
            "The documentation states that {}",
            "Based on the provided context, {}",
            "As the passage says, {}",
            "In short, {}",
        )
    )
    return frame.format(_lower(text))


def marked(text: str, chance: random.Random) -> str | None:
    """With Markdown and curly quotes around words, as models write."""
    words = text.split(" ")
    at = chance.randrange(len(words))
    words[at] = f"**{words[at]}**"
    return "- " + " ".join(words).replace("'", "’")


def twofold(text: str, chance: random.Random) -> str | None:
    """Two of these at once."""
    for one, other in (
        (reordered, synonyms),
        (dropped, refigured),
        (dropped, synonyms),
        (refigured, framed),
        (synonyms, framed),
    ):
        if (first := one(text, chance)) and (second := other(first, chance)):
            return second
    return None


SUPPORTED: dict[str, Change] = {
    one.__name__: one for one in (verbatim, reordered, dropped, synonyms, refigured, framed, marked, twofold)
}


# Corruptions: what they say is said nowhere


def number(text: str, chance: random.Random) -> str | None:
    """One number that is no year gets another digit."""
    return _figure(text, chance, [m for m in NUMBER.finditer(text) if not YEAR.fullmatch(m[0])])


def year(text: str, chance: random.Random) -> str | None:
    """One year moves by a few."""
    places = list(YEAR.finditer(text))
    if not places:
        return None
    place = chance.choice(places)
    new = str(int(place[0]) + chance.choice((-20, -10, -3, -2, -1, 1, 2, 3, 10, 20)))
    return None if new in text else text[: place.start()] + new + text[place.end() :]


def date(text: str, chance: random.Random) -> str | None:
    """Another month."""
    places = list(re.finditer(rf"\b(?:{'|'.join(MONTHS)})\b(?= \d)|(?<=\d )(?:{'|'.join(MONTHS)})\b", text))
    if not places:
        return None
    place = chance.choice(places)
    new = chance.choice([month for month in MONTHS if month not in text])
    return text[: place.start()] + new + text[place.end() :]


def spelled(text: str, chance: random.Random) -> str | None:
    """Another small number in words."""
    return _word(
        text, chance, {one: chance.choice([w for w in SMALL if w not in text.split()] or [""]) for one in SMALL}
    )


def unit(text: str, chance: random.Random) -> str | None:
    """The number stays, its unit does not."""
    places = [m for m in re.finditer(r"(?<=\d[ ])[A-Za-z]+\b", text) if m[0] in UNITS]
    if places:
        place = chance.choice(places)
        return text[: place.start()] + UNITS[place[0]] + text[place.end() :]
    new = re.sub(r"\$(?=\d)", "€", text, count=1)
    return new if new != text else None


def negated(text: str, chance: random.Random) -> str | None:
    """A "not" more or less."""
    if place := NOT.search(text):
        return " ".join(
            (
                text[: place.start()]
                + (place[1] or ("can" if "cannot" in place[0] else ""))
                + " "
                + text[place.end() :]
            ).split()
        )
    places = [m for m in VERB.finditer(text) if not re.match(r" (?:also|only)\b", text[m.end() :])]
    if not places:
        return None
    place = chance.choice(places)
    return text[: place.end()] + " not" + text[place.end() :]


def opposite(text: str, chance: random.Random) -> str | None:
    """A word by its opposite."""
    return _word(text, chance, OPPOSITES)


def quantifier(text: str, chance: random.Random) -> str | None:
    """Some become all."""
    return _word(text, chance, QUANTIFIERS)


def swapped_names(text: str, chance: random.Random) -> str | None:
    """Two names change places."""
    return _swapped(text, chance, [m for m in NAME.finditer(text) if m[0] not in NEVER_NAMES])


def swapped_numbers(text: str, chance: random.Random) -> str | None:
    """Two numbers change places."""
    return _swapped(text, chance, list(NUMBER.finditer(text)))


UNSUPPORTED: dict[str, Change] = {
    one.__name__: one
    for one in (number, year, date, spelled, unit, negated, opposite, quantifier, swapped_names, swapped_numbers)
}


def renamed(text: str, names: Sequence[str], chance: random.Random) -> str | None:
    """One name by another of those given."""
    places = [m for m in NAME.finditer(text) if m[0] not in NEVER_NAMES]
    others = [name for name in names if not set(name.split()) & set(text.split())]
    if not places or not others:
        return None
    place = chance.choice(places)
    return text[: place.start()] + chance.choice(others) + text[place.end() :]


def worded(text: str, words: Sequence[str], chance: random.Random) -> str | None:
    """One longer word by another of the same ending from elsewhere."""
    places = list(re.finditer(r"(?<= )[a-z]{6,}\b", text))
    if not places:
        return None
    place = chance.choice(places)
    others = [word for word in words if word[-2:] == place[0][-2:] and word[:4] != place[0][:4] and word not in text]
    return text[: place.start()] + chance.choice(others) + text[place.end() :] if others else None


def names_in(text: str) -> list[str]:
    """The names of a text."""
    return sorted({m[0] for m in NAME.finditer(text) if m[0] not in NEVER_NAMES})


def _figure(text: str, chance: random.Random, places: Sequence[re.Match[str]]) -> str | None:
    if not places:
        return None
    place = chance.choice(places)
    digits = [i for i, c in enumerate(place[0]) if c.isdigit()]
    at = chance.choice(digits)
    others = [d for d in "123456789" if d != place[0][at]]
    new = place[0][:at] + chance.choice(others) + place[0][at + 1 :]
    return None if new in text else text[: place.start()] + new + text[place.end() :]


def _word(text: str, chance: random.Random, others: dict[str, str]) -> str | None:
    places = [m for m in re.finditer(r"(?<![\w-])[a-z]+(?![\w-])", text) if others.get(m[0])]
    if not places:
        return None
    place = chance.choice(places)
    return text[: place.start()] + others[place[0]] + text[place.end() :]


def _swapped(text: str, chance: random.Random, places: Sequence[re.Match[str]]) -> str | None:
    pairs = [
        (a, b)
        for a, b in pairwise(places)
        if not set(a[0].split()) & set(b[0].split())
        # A list names the same whatever its order.
        and not re.fullmatch(
            rf"(?:, |,? and |,? or | ?[-–/] ?| to | through |,? ?(?:{'|'.join(MONTHS)}) ?)", text[a.end() : b.start()]
        )
        and not re.search(rf"(?:{'|'.join(MONTHS)}) $", text[: a.start()])
    ]
    if not pairs:
        return None
    a, b = chance.choice(pairs)
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    word = re.match(
        r"(?:The|A|An|In|On|At|It|This|These|They|He|She|There|When|While|If|For|As|Some|Many|Most|After|Its|To)\b",
        text,
    )
    return text[0].lower() + text[1:] if word else text


def _iso(found: re.Match[str]) -> str:
    return f"{found[3]}-{MONTHS.index(found[2]) + 1:02}-{int(found[1]):02}"


# The cases

AROUND = 12
EACH = 3  # sentences of a paragraph
PLAIN = re.compile(r"[A-Z\"“][^\n|#`\[\]{}<>=*_]+[.]")


def cases(found: Sequence[Article], *, seed: int = 0, most: int = 60) -> Iterator[Case]:
    """The cases of every article, each article's own chance: adding one changes no other."""
    words = sorted({w for a in found for p in a.paragraphs[:2] for w in re.findall(r"\b[a-z]{6,12}\b", p)})
    strange = sorted({name for a in found for p in a.paragraphs[:2] for name in names_in(p)})
    pools: dict[str, list[Chunk]] = {}
    for article in found:
        pools.setdefault(article.set, []).extend(chunks(article))
    for article in found:
        own = chunks(article)
        chance = random.Random(f"{seed}/{article.set}/{article.title}")
        at = chance.sample(range(len(own)), min(len(own), most // EACH))
        for i in sorted(at):
            yield from _of(article, i, own, pools[article.set], words, strange, chance)


def chunks(article: Article) -> list[Chunk]:
    """A chunk for each paragraph."""
    document = Document(article.title, "docs", f"{article.title}.md", 1, "0" * 64, "recipe", title=article.title)
    return [
        Chunk(f"{article.title}#{i}", document, i, text, (Span(0, len(text), 1, 1 + text.count("\n")),))
        for i, text in enumerate(article.paragraphs)
    ]


def _context(gold: Sequence[Chunk], own: Sequence[Chunk], pool: Sequence[Chunk], chance: random.Random) -> list[Chunk]:
    """The gold chunks among others, half of them of the same article, in any order."""
    near = [c for c in own if c not in gold]
    near = chance.sample(near, min(len(near), AROUND // 2))
    far = [c for c in chance.sample(pool, min(len(pool), 2 * AROUND)) if c not in gold and c not in near]
    around = [*gold, *near, *far][:AROUND]
    chance.shuffle(around)
    return around


def _of(
    article: Article, i: int, own: Sequence[Chunk], pool: Sequence[Chunk], words: Sequence[str], strange: Sequence[str],
    chance: random.Random,
) -> Iterator[Case]:  # fmt: skip
    gold = own[i]
    said = [gold.text[a:b] for a, b in split_sentences(gold.text)]
    usable = [s for s in said if 8 <= len(s.split()) <= 45 and PLAIN.fullmatch(s)]
    chance.shuffle(usable)
    for sentence in usable[:EACH]:
        around = _context([gold], own, pool, chance)
        place = (around.index(gold),)

        def case(kind: str, right: Verdict, text: str | None, cited: tuple[int, ...] = place) -> Iterator[Case]:
            if text and (right != "unsupported" or text != sentence):  # noqa: B023  (used at once)
                yield Case(article.set, article.title, kind, right, text, cited, tuple(around))  # noqa: B023

        for kind, change in SUPPORTED.items():
            yield from case(kind, "supported", change(sentence, chance))
        light = chance.choice((verbatim, verbatim, reordered, dropped, synonyms, refigured, framed))
        base = light(sentence, chance) or sentence
        for kind, change in UNSUPPORTED.items():
            yield from case(kind, "unsupported", change(base, chance))
        near = sorted({n for c in around for n in names_in(c.text)})
        yield from case("renamed, from the context", "unsupported", renamed(base, near, chance))
        yield from case("renamed, from elsewhere", "unsupported", renamed(base, strange, chance))
        yield from case("reworded", "unsupported", worded(base, words, chance))
        wrong = chance.choice([k for k in range(len(around)) if k != place[0]])
        yield from case("wrong chunk", "repaired", base, (wrong,))
        yield from case("no chunk", "repaired", base, ())
        if len(said) > 1 and len(usable) > 1:
            other = next(s for s in usable if s != sentence)
            joint = f"{sentence[:-1]}, and {_lower(other)}"
            yield from case("two sentences in one", "supported", joint)
        stranger = chance.choice([c for k, c in enumerate(around) if k != place[0]])
        more = [stranger.text[a:b] for a, b in split_sentences(stranger.text)]
        more = [s for s in more if 8 <= len(s.split()) <= 30 and PLAIN.fullmatch(s)]
        if more:
            joint = f"{base[:-1]}, and {_lower(chance.choice(more))}"
            yield from case("two chunks in one", "supported", joint, (place[0], around.index(stranger)))
            yield from case("half of it from another chunk", "repaired", joint)
    if usable:
        around = [c for c in _context([gold], own, pool, chance) if c is not gold]
        cited = tuple(sorted(chance.sample(range(len(around)), min(2, len(around)))))
        yield Case(article.set, article.title, "its chunk is gone", "unsupported", usable[0], cited, tuple(around))


def written(data: Path) -> Iterator[Case]:
    """What people wrote as answers over the passages of CLAP NQ, a case a sentence, citing the passage."""
    pool = [chunk for article in articles(data) if article.set == "clapnq" for chunk in chunks(article)]
    for row in lines(data / "qa" / "clapnq" / "clapnq_dev_answerable.jsonl"):
        passage = row["passages"][0]
        text = _untokenised(passage["text"])
        [gold] = chunks(Article("clapnq", passage["title"], (text,)))
        around = [gold, *random.Random(row["id"]).sample(pool, AROUND - 1)]
        for output in row["output"]:
            answer = _untokenised(output["answer"])
            for a, b in split_sentences(answer):
                if len(answer[a:b].split()) >= 4:
                    yield Case(
                        "clapnq", passage["title"], "written by people", "supported", answer[a:b], (0,), tuple(around)
                    )
