"""How captions begin: the word for a table, a figure or a box in some languages, and its number."""

import re
from typing import Literal

BULLETS = "•▪‣◦●○■□◆◇▶►➢➤✓✔❖∙·–—-*"
NUMBERED = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\(\d{1,3}\)|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?")
CaptionKind = Literal["table", "figure", ""]  # "" may name either

TABLES = "table|tab|tabelle|tableau|tabla|cuadro|tabella|tabela|quadro|tabel"
FIGURES = (
    "figure|fig|chart|graph|map|plate|scheme|diagram|abbildung|abb|grafik|schaubild|diagramm|karte|graphique|"
    "carte|figura|gráfico|mapa|grafico|ilustración|illustration|figuur"
)
EITHER = "exhibit|box|panel|kasten|übersicht|encadré|recuadro|riquadro"
NUMBER = r"(?:n[°ºo]\.?\s*)?(?:[A-Z]{0,2}[.\-]?\d[\w.\-–]*|[IVX]+\b)"
WORDS = f"{TABLES}|{FIGURES}|{EITHER}"
# A sentence may begin so too: in bold type any number will do, else what follows must look like a title.
CAPTION = re.compile(rf"(?i:{WORDS})\.?\s+{NUMBER}")
TITLES = "|".join(form for word in WORDS.split("|") for form in (word.capitalize(), word.upper()))
LABEL = re.compile(rf"(?:{TITLES})\.?\s+{NUMBER}\s*(?:[.:|–—]|-\s|$|\([^()]*\)$|\s+[A-ZÀ-ÖØ-Þ“\"«¿])")
ALONE = re.compile(rf"(?i:{WORDS})\.?\s+{NUMBER}\s*[.:|–—-]?")
CONTINUED_WORDS = (
    "continued|continuation|cont['’.]?d?|fortsetzung|fortgesetzt|suite|continuación|continúa|segue|continua"
)
CONTINUED = re.compile(rf"(?i)(?:[(–—,:-]|\d[\w.]{{0,9}})\s*(?:{CONTINUED_WORDS})\s*\.?\)?\s*$")
TABLE, FIGURE = re.compile(rf"(?i:{TABLES})\b"), re.compile(rf"(?i:{FIGURES})\b")


def caption_kind(text: str) -> CaptionKind:
    """The kind of object that a caption names, by its first word.

    >>> caption_kind("Abb. 3: Verlauf"), caption_kind("Tableau n° 2 : Ventes"), caption_kind("Exhibit 4")
    ('figure', 'table', '')
    """
    return "table" if TABLE.match(text) else "figure" if FIGURE.match(text) else ""


def is_continued(text: str) -> bool:
    """Whether a caption says that its table goes on from the page before."""
    return CONTINUED.search(text) is not None


def is_bullet(text: str) -> bool:
    """A lone sign that stands before an item."""
    return len(text) == 1 and text in BULLETS


def is_marker(text: str) -> bool:
    """A bullet, or a number or letter of a list: `1.`, `b)`, `(iv)`, `[12]`."""
    return is_bullet(text) or NUMBERED.fullmatch(text) is not None
