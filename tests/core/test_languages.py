"""The language of a text, and the stems of it that keywords are compared by."""

import pytest

from ragstone.core.analyzer import extract_search_terms, extract_tokens
from ragstone.core.languages import SMALL_WORDS, detect_language, detect_languages

SENTENCES = {
    "english": "The samples are kept for thirty days, and then they have to be destroyed by the laboratory.",
    "german": "Die Proben werden dreißig Tage lang aufbewahrt und müssen dann vom Labor vernichtet werden.",
    "french": "Les échantillons sont conservés pendant trente jours, puis le laboratoire doit les détruire.",
    "spanish": "Las muestras se guardan durante treinta días y después el laboratorio debe destruirlas.",
    "italian": "I campioni sono conservati per trenta giorni e poi devono essere distrutti dal laboratorio.",
    "portuguese": "As amostras são guardadas durante trinta dias e depois devem ser destruídas pelo laboratório.",
    "dutch": "De monsters worden dertig dagen bewaard en moeten daarna door het laboratorium worden vernietigd.",
    "swedish": "Proverna sparas i trettio dagar och måste sedan förstöras av laboratoriet som har tagit dem.",
    "danish": "Prøverne gemmes i tredive dage, og de skal derefter ødelægges af laboratoriet, hvis de ikke bruges.",
    "norwegian": "Prøvene blir lagret i tretti dager, og de må deretter ødelegges av laboratoriet om de ikke brukes.",
    "finnish": "Näytteet säilytetään kuukauden ajan, ja sen jälkeen ne on hävitettävä, jos niitä ei ole enää tarvittu.",
    "russian": "Пробы хранятся тридцать дней, и после этого они должны быть уничтожены лабораторией.",
    "turkish": "Örnekler otuz gün saklanır ve daha sonra laboratuvar tarafından bu süre için imha edilir.",
    "greek": "Τα δείγματα φυλάσσονται για τριάντα ημέρες και μετά πρέπει να καταστραφούν από το εργαστήριο.",
    "arabic": "تحفظ العينات في القبو لمدة ثلاثين يوما، ثم يجب على المختبر أن يتلفها بعد ذلك.",
}


def detect(text: str) -> str | None:
    return detect_language(token.casefold() for token in extract_tokens(text))


def test_every_language_has_a_sentence() -> None:
    assert SENTENCES.keys() == SMALL_WORDS.keys()


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert detect(SENTENCES[language]) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie lange werden Proben aufbewahrt?", "german"),
        ("Où sont les échantillons ?", "french"),
        ("¿Cuánto cuesta para los niños?", "spanish"),
        ("Where is it?", "english"),
        ("Где хранятся пробы и как?", "russian"),
        ("refund policy", None),
        ("Probenlagerung Keller", None),
        ("getUserName --retries=5", None),
        ("", None),
        ("東京都の天気", None),
    ],
)
def test_a_question_tells_its_language_by_one_word_or_none(question: str, language: str | None) -> None:
    assert detect(question) == language


@pytest.mark.parametrize(
    ("language", "asked", "held"),
    [
        ("german", "Probe", "Proben"),
        ("french", "échantillon", "échantillons"),
        ("spanish", "muestra", "muestras"),
        ("italian", "conservato", "conservati"),
        ("portuguese", "destruída", "destruídas"),
        ("dutch", "monster", "monsters"),
        ("swedish", "dag", "dagar"),
        ("russian", "пробами", "пробы"),
        ("turkish", "örnek", "örnekler"),
        ("greek", "δείγμα", "δείγματα"),
        ("arabic", "عينة", "العينات"),
    ],
)
def test_two_forms_of_a_word_share_a_stem_of_their_language(language: str, asked: str, held: str) -> None:
    _, text = extract_search_terms(f"{held} {SENTENCES[language]}")
    _, query = extract_search_terms(asked, asked=True)
    assert {term for term in query if term.startswith(language)} <= set(text)


def test_english_has_one_kind_of_terms_and_a_list_of_names_none_of_another_language() -> None:
    assert extract_search_terms(SENTENCES["english"], asked=True)[1] == []
    assert extract_search_terms("Ragstone Qdrant PostgreSQL")[1] == []


def test_a_text_that_two_near_languages_may_have_written_has_the_stems_of_both() -> None:
    text = "Du kan vælge skrifttypen og den skærm, som den vises på, og så kan du ændre den."
    assert detect_languages(extract_tokens(text.lower())) == ("danish", "norwegian")
    assert {term.partition(":")[0] for term in extract_search_terms(text)[1]} == {"danish", "norwegian"}
    assert extract_search_terms(SENTENCES["danish"])[1] == [
        term for term in extract_search_terms(SENTENCES["danish"])[1] if term.startswith("danish")
    ]


def test_small_words_are_no_stems_of_their_language() -> None:
    terms, own = extract_search_terms("Die Proben werden vom Labor gelagert.")
    assert own == ["german:prob", "german:labor", "german:gelagert"]
    assert "prob" not in terms


@pytest.mark.parametrize("language", SMALL_WORDS)
def test_each_small_word_is_known_as_texts_have_it(language: str) -> None:
    for word in SMALL_WORDS[language]:
        assert {token.casefold() for token in extract_tokens(word.capitalize())} <= SMALL_WORDS[language]


def test_greek_words_that_end_in_sigma_tell_their_language() -> None:
    assert detect("Ποιος αλλάζει τους κωδικούς;") == "greek"
    assert "greek:τουσ" not in extract_search_terms("Ποιος αλλάζει τους κωδικούς της εφαρμογής;")[1]


def test_long_questions_without_a_language_have_no_stems_of_all() -> None:
    assert extract_search_terms("alpha " * 16, asked=True)[1]
    assert extract_search_terms("alpha " * 17, asked=True)[1] == []
