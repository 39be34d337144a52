"""Questions in other languages than English: which words name their subject, and where a text says them."""

import pytest

from ragstone.core.languages import SMALL_WORDS
from ragstone.core.question_language import (
    ASKING_WORDS,
    leans_on_history,
    list_pieces,
    read_question,
    tell_language,
    tell_speaker_language,
)


@pytest.mark.parametrize(
    ("language", "question", "named"),
    [
        ("french", "Qu'est-ce que l'installation d'un paquet ?", ["installation", "paquet"]),
        ("french", "Pourquoi l’ordinateur affiche-t-il une erreur ?", ["ordinateur", "affiche", "erreur"]),
        ("italian", "Quanto dura la batteria dell'orologio?", ["dura", "batteria", "orologio"]),
        ("spanish", "¿Cuánto cuesta el aparcamiento?", ["cuesta", "aparcamiento"]),
        ("german", "Wie viele Urlaubstage habe ich?", ["urlaubstage"]),
        ("portuguese", "Onde posso mudar a senha?", ["mudar", "senha"]),
        ("dutch", "Hoe vaak moet ik apt-get draaien?", ["apt-get", "draaien"]),
        ("russian", "Сколько символов должно быть в пароле?", ["символов", "пароле"]),
        ("german", "Wie groß ist das Lager in C?", ["lager", "c"]),
        ("greek", "Πώς αλλάζω τον κωδικό της εφαρμογής;", ["αλλάζω", "κωδικό", "εφαρμογήσ"]),
    ],
)
def test_words_that_ask_and_small_words_name_no_subject(language: str, question: str, named: list[str]) -> None:
    assert list(read_question(question, language).words) == named


def test_each_language_that_has_words_that_ask_has_small_words() -> None:
    assert ASKING_WORDS.keys() <= SMALL_WORDS.keys()


def test_another_form_of_a_word_in_the_text_is_the_questions_term() -> None:
    asked = read_question("Какая резервная копия нужна?", "russian")
    assert asked.find("Храните резервные копии отдельно.") == {"резервная", "копия"}
    assert read_question("Comment installer ?", "french").find("Vous installez l'imprimante.") == {"instal"}


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("german", "Wann muss ich Belege einreichen?", "Sie werden eingereicht."),
        ("german", "Wann muss ich Belege einreichen?", "Sie sind einzureichen."),
        ("german", "Wie werden sie eingereicht?", "Man kann sie einreichen."),
        ("dutch", "Wanneer moet ik bonnen indienen?", "Ze worden ingediend."),
    ],
)
def test_a_participle_says_the_verb_whose_parts_it_parts(language: str, question: str, text: str) -> None:
    assert read_question(question, language).find(text)


def test_a_question_that_tells_no_language_has_that_of_what_was_found() -> None:
    french = "Les fichiers de configuration sont dans le dossier de l'utilisateur."
    assert tell_language("configuration", [french] * 3) == "french"
    assert tell_language("configuration", [french, "The files are in this folder of the user.", "x y"]) is None
    assert tell_language("Where is the configuration of it?", [french] * 3) is None


@pytest.mark.parametrize("question", ["MIT License", "per user limit", "Los Angeles hotel", "pour point", "sort -u"])
def test_one_small_word_of_another_language_among_english_passages_is_english(question: str) -> None:
    english = "The limit of each user is set in the file of the hotel, and it is kept."
    assert tell_language(question, [english] * 3) is None
    assert tell_language("Wo steht der Drucker?", [english] * 3) == "german"
    assert tell_language("Drucker oder Scanner", ["Der Drucker ist nicht mit dem Scanner verbunden."]) == "german"


@pytest.mark.parametrize("question", ["Ile kosztuje stół dębowy?", "Ile znaków musi mieć hasło?"])
def test_one_small_word_tells_no_language_whose_letters_are_others(question: str) -> None:
    assert tell_language(question, []) is None
    assert tell_speaker_language(question, []) is None
    assert tell_speaker_language("Ücret ile ödeme", []) == "turkish"


FRENCH = ["Les fichiers de configuration sont dans le dossier."] * 3


@pytest.mark.parametrize(
    ("question", "passages", "language"),
    [
        ("vacation days per year", [], None),
        ("configuration files", FRENCH, None),
        ("Where is the file?", FRENCH, None),
        ("Quel est le prix des actions ?", [], "french"),
        ("Fichiers de configuration", FRENCH, "french"),
        ("Какая цена акций?", [], "russian"),
        ("Kündigungsfrist", ["Die Frist der Kündigung ist von dem Vertrag bestimmt."], "german"),
    ],
)
def test_a_guess_at_the_language_of_a_question_is_not_spoken(
    question: str, passages: list[str], language: str | None
) -> None:
    assert tell_speaker_language(question, passages) == language


@pytest.mark.parametrize(
    ("language", "question", "leans"),
    [
        ("french", "En quelle année l'entreprise fut-elle fondée ?", False),
        ("spanish", "¿En qué carpeta se guardan los registros?", False),
        ("german", "Ja, wie starte ich den Server im Keller?", False),
        ("dutch", "En hoe begin ik de server in de kelder?", True),
        ("italian", "E come si spegne la stampante?", True),
        ("french", "Et pour l'imprimante ?", True),
        ("german", "Und wie richte ich den Drucker dann ein?", True),
        ("german", "Wie lange dauert das?", True),
        ("german", "Wie lange dauert die Probezeit?", False),
        ("spanish", "¿Y cómo se cambia?", True),
        ("spanish", "¿Cómo se cambia la contraseña?", False),
        ("russian", "А сколько это стоит?", True),
    ],
)
def test_a_question_that_names_hardly_anything_leans_on_the_conversation(
    language: str, question: str, leans: bool
) -> None:
    assert leans_on_history(question, language) is leans


def test_a_hyphenated_name_stays_whole() -> None:
    assert list(list_pieces("debian-edu-doc", "german")) == ["debian-edu-doc"]
