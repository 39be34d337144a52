"""How near unrelated texts of one language lie to each other by vectors: a model that hardly knows a language takes any
two texts in it for alike, and a cosine says only by how much it exceeds that."""

from collections.abc import Mapping

import numpy as np

from ragstone.core.ports import Embedder, Vectors

# Six sentences about a train, bread, birds, a doctor, a match and a church, in each language. The built-in model gives
# two of German, French, Spanish, Italian, Portuguese or Dutch a cosine of .43 to .47 in the mean, of English .03.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "german": (
        "Der Zug verlässt den Bahnhof um sieben Uhr morgens.",
        "Meine Großmutter backt Brot mit Mehl, Wasser und Salz.",
        "Im Winter fliegen viele Vögel in den Süden.",
        "Der Arzt verschrieb ein Medikament gegen den Husten.",
        "Unsere Mannschaft gewann das Spiel in der letzten Minute.",
        "Der König ließ in der Altstadt eine Kirche bauen.",
    ),
    "french": (
        "Le train quitte la gare à sept heures du matin.",
        "Ma grand-mère fait le pain avec de la farine, de l'eau et du sel.",
        "En hiver, beaucoup d'oiseaux volent vers le sud.",
        "Le médecin a prescrit un médicament contre la toux.",
        "Notre équipe a gagné le match à la dernière minute.",
        "Le roi fit construire une église dans la vieille ville.",
    ),
    "spanish": (
        "El tren sale de la estación a las siete de la mañana.",
        "Mi abuela hace el pan con harina, agua y sal.",
        "En invierno muchos pájaros vuelan hacia el sur.",
        "El médico recetó una medicina contra la tos.",
        "Nuestro equipo ganó el partido en el último minuto.",
        "El rey mandó construir una iglesia en el casco antiguo.",
    ),
    "italian": (
        "Il treno lascia la stazione alle sette del mattino.",
        "Mia nonna fa il pane con farina, acqua e sale.",
        "In inverno molti uccelli volano verso sud.",
        "Il medico ha prescritto una medicina contro la tosse.",
        "La nostra squadra ha vinto la partita all'ultimo minuto.",
        "Il re fece costruire una chiesa nella città vecchia.",
    ),
    "portuguese": (
        "O trem deixa a estação às sete da manhã.",
        "A minha avó faz o pão com farinha, água e sal.",
        "No inverno muitos pássaros voam para o sul.",
        "O médico receitou um remédio contra a tosse.",
        "A nossa equipe ganhou o jogo no último minuto.",
        "O rei mandou construir uma igreja na cidade velha.",
    ),
    "dutch": (
        "De trein verlaat het station om zeven uur 's ochtends.",
        "Mijn grootmoeder bakt brood met meel, water en zout.",
        "In de winter vliegen veel vogels naar het zuiden.",
        "De arts schreef een medicijn tegen de hoest voor.",
        "Onze ploeg won de wedstrijd in de laatste minuut.",
        "De koning liet in de oude stad een kerk bouwen.",
    ),
    "swedish": (
        "Tåget lämnar stationen klockan sju på morgonen.",
        "Min mormor bakar bröd med mjöl, vatten och salt.",
        "På vintern flyger många fåglar söderut.",
        "Läkaren skrev ut en medicin mot hostan.",
        "Vårt lag vann matchen i sista minuten.",
        "Kungen lät bygga en kyrka i den gamla staden.",
    ),
    "danish": (
        "Toget forlader stationen klokken syv om morgenen.",
        "Min bedstemor bager brød med mel, vand og salt.",
        "Om vinteren flyver mange fugle mod syd.",
        "Lægen gav medicin mod hosten.",
        "Vores hold vandt kampen i det sidste minut.",
        "Kongen lod en kirke bygge i den gamle by.",
    ),
    "norwegian": (
        "Toget forlater stasjonen klokken sju om morgenen.",
        "Bestemoren min baker brød med mel, vann og salt.",
        "Om vinteren flyr mange fugler sørover.",
        "Legen ga medisin mot hosten.",
        "Laget vårt vant kampen i siste minutt.",
        "Kongen lot en kirke bygge i gamlebyen.",
    ),
    "finnish": (
        "Juna lähtee asemalta kello seitsemän aamulla.",
        "Isoäitini leipoo leipää jauhoista, vedestä ja suolasta.",
        "Talvella monet linnut lentävät etelään.",
        "Lääkäri määräsi lääkettä yskään.",
        "Joukkueemme voitti ottelun viimeisellä minuutilla.",
        "Kuningas rakennutti kirkon vanhaan kaupunkiin.",
    ),
    "turkish": (
        "Tren sabah yedide istasyondan ayrılıyor.",
        "Büyükannem un, su ve tuzla ekmek yapar.",
        "Kışın birçok kuş güneye uçar.",
        "Doktor öksürük için bir ilaç yazdı.",
        "Takımımız maçı son dakikada kazandı.",
        "Kral eski şehirde bir kilise yaptırdı.",
    ),
}
# How much of that is taken off (`benchmarks/answers/languages.py`): what remains lies where the cosines of English
# questions lie, on which the signs were fitted.
PART = 0.7

_kept: dict[tuple[str, str, str], Vectors] = {}


async def measure_floor(embedder: Embedder, vector: Vectors, language: str) -> float | None:
    """The mean cosine of a question's vector (shape: dimensions) with unrelated sentences of its language; None for
    a language without sentences. The sentences are embedded once for each model."""
    if language not in SENTENCES:
        return None
    place = (embedder.model, embedder.variant, language)
    known = _kept.get(place)
    if known is None or known.shape[1] != len(vector):
        known = _kept[place] = await embedder.embed(SENTENCES[language])
    return round(float(np.mean(known @ vector)), 6)


def raise_zero(cosine: float, floor: float | None) -> float:
    """A cosine on a scale that begins at a part of the floor and ends at 1, as before.

    >>> raise_zero(0.5, None), raise_zero(1.0, 0.4), raise_zero(0.64, 0.4)
    (0.5, 1.0, 0.5)
    """
    lowest = PART * max(0.0, floor or 0.0)
    return round((cosine - lowest) / (1 - lowest), 6)
