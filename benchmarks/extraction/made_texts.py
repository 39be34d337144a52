"""Texts of pages that `made_sites.py` renders: the truth of a made page is what went in.

A text is a title and pieces: paragraphs, headings, lists, code, tables and quotations, in several languages; some are
as short as notes are.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A page's own text: `pieces` are (kind, content) with the kinds p, h, list, code, table and quote."""

    name: str
    language: str
    title: str
    pieces: tuple[tuple[str, object], ...]

    def truth(self) -> str:
        """All words of the page but its title."""
        return "\n".join(_plain(kind, content) for kind, content in self.pieces)


def _plain(kind: str, content: object) -> str:
    if kind == "list":
        return "\n".join(content)  # type: ignore[call-overload]
    if kind == "table":
        return "\n".join(" ".join(row) for row in content)  # type: ignore[attr-defined]
    return str(content)


PUMP = Text(
    "pump",
    "en",
    "Servicing the P40 pump",
    (
        ("p", "The P40 moves up to forty litres a minute and runs for about two thousand hours before its seals wear."),
        ("p", "Disconnect the mains before you open the housing; the capacitor keeps its charge for ninety seconds."),
        ("h", "What you need"),
        ("list", ("A hex key of 5 mm", "The seal kit 40-118", "A torque wrench that reads 12 Nm", "Two clean rags")),
        ("h", "Replacing the seal"),
        (
            "p",
            "Loosen the four screws crosswise, lift the cover, and note how the old ring lies before it comes out.",
        ),
        ("p", "Grease the new ring thinly. Too much grease swells the rubber, and the pump will drip after a week."),
        ("quote", "If the shaft shows a groove that a fingernail can feel, change the shaft together with the seal."),
        ("h", "Reading the counter over the network"),
        ("p", "The controller answers on port 4040. The following call prints the hours since the last service:"),
        ("code", "import pump\n\nhours = pump.connect('10.0.0.7').hours()\nprint(f'{hours} hours since service')"),
        ("h", "Torque by size"),
        ("table", (("Size", "Torque", "Turns"), ("M6", "12 Nm", "4"), ("M8", "25 Nm", "6"), ("M10", "49 Nm", "8"))),
        ("p", "Write the date of the service on the label inside the cover, and reset the counter with a long press."),
    ),
)
RIVER = Text(
    "river",
    "en",
    "The ferry at Orlach closes after ninety years",
    (
        ("p", "The last ferry across the river at Orlach will leave on Sunday evening, the operator said on Tuesday."),
        (
            "p",
            "Repairs to the cable would have cost more than the town earns in eleven years, a report found.",
        ),
        ("p", "“My grandfather pulled it by hand,” said Marta Lund, who has steered the boat since 1998."),
        ("p", "The bridge four kilometres upstream stays open to walkers and cyclists while its deck is renewed."),
        ("p", "The council votes in March on whether the landing stage becomes a museum or is taken down."),
    ),
)
NOTE = Text(
    "note",
    "en",
    "Backups run at two",
    (("p", "From Monday the nightly backup starts at two instead of four, since the mail server restarts at three."),),
)
SHORT = Text(
    "short",
    "en",
    "How long do passes last?",
    (
        ("p", "A day pass ends at midnight, also when it was bought in the evening."),
        ("p", "Yearly passes end on the day before they were bought, a year later. You can renew them at any desk."),
        ("list", ("Day pass: until midnight", "Week pass: seven days", "Year pass: one year")),
    ),
)
GERMAN = Text(
    "garten",
    "de",
    "Komposthaufen richtig anlegen",
    (
        ("p", "Ein guter Kompost braucht Luft, Wasser und eine Mischung aus feuchtem und trockenem Material."),
        (
            "p",
            "Legen Sie den Haufen im Halbschatten an, damit er im Sommer nicht austrocknet und nicht friert.",
        ),
        ("h", "Was hineindarf"),
        (
            "list",
            ("Obst- und Gemüsereste", "Kaffeesatz mit Filter", "Laub und gehäckselte Zweige", "Rasenschnitt"),
        ),
        ("p", "Gekochtes, Fleisch und kranke Pflanzen gehören nicht auf den Haufen: Sie locken Ratten an."),
        ("h", "Umsetzen"),
        ("p", "Nach etwa sechs Monaten wird der Kompost umgesetzt; was noch grob ist, kommt als Starter in den neuen."),
    ),
)
RUSSIAN = Text(
    "les",
    "ru",
    "Как читать следы на снегу",
    (
        ("p", "Свежий след легко узнать: его края острые, а снег внутри рыхлый и рассыпается от прикосновения."),
        ("p", "Заяц ставит задние лапы впереди передних, поэтому направление его бега часто определяют неверно."),
        ("h", "Когда идти"),
        ("p", "Лучше всего выходить утром после ночного снегопада, когда старые отпечатки уже засыпаны."),
        ("list", ("Термос и тёплые перчатки", "Линейка для измерения шага", "Блокнот и карандаш")),
        ("p", "Запишите длину шага и ширину отпечатка: по ним можно определить вид и примерный возраст зверя."),
    ),
)
ARABIC = Text(
    "khubz",
    "ar",
    "كيف تخبز الخبز في البيت",
    (
        ("p", "يحتاج الخبز المنزلي إلى دقيق وماء وملح وخميرة، وإلى صبر يمتد ساعات طويلة حتى يختمر العجين جيدا."),
        ("p", "اعجن الدقيق مع الماء الفاتر عشر دقائق، ثم غط الوعاء بقطعة قماش نظيفة واتركه في مكان دافئ."),
        ("h", "الخبز في الفرن"),
        ("p", "سخن الفرن إلى أعلى درجة قبل نصف ساعة، وضع فيه إناء ماء صغيرا حتى يبقى الهواء رطبا."),
        ("p", "يكون الخبز جاهزا عندما يصبح لونه ذهبيا ويصدر صوتا أجوف إذا طرقت على قاعدته."),
    ),
)
CHINESE = Text(
    "cha",
    "zh",
    "怎样泡一壶好茶",
    (
        ("p", "泡茶的水最好用软水，水温要看茶叶的种类：绿茶八十度左右，红茶九十五度，普洱茶要用刚烧开的水。"),
        ("p", "先用热水把茶壶和茶杯烫一遍，这样茶汤不会很快变凉，茶叶的香气也更容易散发出来。"),
        ("h", "时间"),
        ("p", "第一泡大约三十秒就可以倒出来，以后每一泡多等十秒；泡得太久，茶汤会变得又苦又涩。"),
        ("p", "茶叶应当放在干燥阴凉的地方，用不透光的罐子密封，并且远离有强烈气味的食物。"),
    ),
)
TEXTS = (PUMP, RIVER, NOTE, SHORT, GERMAN, RUSSIAN, ARABIC, CHINESE)


def to_markdown(text: Text, head: str = "") -> str:
    """The text in Markdown, below `head` (front matter or a title)."""
    parts = [head]
    for kind, content in text.pieces:
        if kind == "h":
            parts.append(f"## {content}")
        elif kind == "list":
            parts.append("\n".join(f"- {item}" for item in content))  # type: ignore[attr-defined]
        elif kind == "code":
            parts.append(f"```python\n{content}\n```")
        elif kind == "quote":
            parts.append(f"> {content}")
        elif kind == "table":
            first, *rest = (f"| {' | '.join(row)} |" for row in content)  # type: ignore[attr-defined]
            parts.append("\n".join((first, "| --- " * len(content[0]) + "|", *rest)))  # type: ignore[index]
        else:
            parts.append(str(content))
    return "\n\n".join(parts) + "\n"


def to_rest(text: Text) -> str:
    """The text in reStructuredText, with its title."""
    parts = [f"{text.title}\n{'=' * 2 * len(text.title)}"]
    for kind, content in text.pieces:
        if kind == "h":
            parts.append(f"{content}\n{'-' * 2 * len(str(content))}")
        elif kind == "list":
            parts.append("\n".join(f"- {item}" for item in content))  # type: ignore[attr-defined]
        elif kind == "code":
            parts.append(".. code-block:: python\n\n" + _indented(str(content)))
        elif kind == "quote":
            parts.append(f"   {content}")
        elif kind == "table":
            rows = "\n".join("   " + ", ".join(row) for row in content)  # type: ignore[attr-defined]
            parts.append(f".. csv-table::\n   :header-rows: 1\n\n{rows}")
        else:
            parts.append(str(content))
    return "\n\n".join(parts) + "\n"


def to_mail(text: Text, number: int) -> str:
    """The text as a message of a mailing list, one of a mailbox."""
    lines = []
    for kind, content in text.pieces:
        plain = _plain(kind, content)
        lines.append(plain if kind != "list" else "\n".join(f" * {item}" for item in content))  # type: ignore[attr-defined]
    body = "\n\n".join(lines)
    subject = text.title if text.title.isascii() else f"Message {number}"
    return (
        f"From a{number}@example.org Mon Jan {number + 1:2d} 10:00:00 2024\n"
        f"From: Ann {number} <a{number}@example.org>\n"
        f"To: list@example.org\nDate: Mon, {number + 1} Jan 2024 10:00:00 +0000\nMessage-ID: <m{number}@example.org>\n"
        + (f"In-Reply-To: <m{number - 1}@example.org>\n" if number else "")
        + f"Subject: {subject}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{body}\n\n"
    )


def _indented(text: str) -> str:
    return "\n".join("   " + line for line in text.splitlines())
