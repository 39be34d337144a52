"""Pictures of figures as inline SVG: colours come from the page's style, each picture says in words what it shows."""

from collections.abc import Mapping, Sequence

from ragstone.evaluation.calibrate import Point
from ragstone.evaluation.page.markup import Markup, element

WIDTH, HEIGHT, EDGE = 640, 260, 48
MINI_WIDTH, MINI_HEIGHT = 160, 16
MOST_BARS = 400  # of a picture of all questions; of more, every n-th stands for its neighbours


def draw_interval(low: float, mean: float, high: float, *, said: str, least: float = 0.0, most: float = 1.0) -> Markup:
    """A mean with its interval on a line from `least` to `most`; with a mark at 0 where that lies inside."""

    def x(value: float) -> float:
        share = (min(most, max(least, value)) - least) / ((most - least) or 1.0)
        return round(4 + share * (MINI_WIDTH - 8), 1)

    middle = MINI_HEIGHT / 2
    parts = [element("line", x1=4, x2=MINI_WIDTH - 4, y1=middle, y2=middle, class_="axis")]
    if least < 0 < most:
        parts.append(element("line", x1=x(0), x2=x(0), y1=1, y2=MINI_HEIGHT - 1, class_="axis"))
    parts.append(element("line", x1=x(low), x2=x(high), y1=middle, y2=middle, class_="interval"))
    parts.append(element("circle", cx=x(mean), cy=middle, r=4, class_="mean"))
    return _picture(parts, said, MINI_WIDTH, MINI_HEIGHT, class_="mini")


def draw_changes(changes: Sequence[float], *, said: str) -> Markup:
    """The change of each question as a bar, the largest gain to the left, the largest loss to the right."""
    ordered = sorted(changes, reverse=True)
    step = max(1, -(-len(ordered) // MOST_BARS))
    shown = ordered[::step]
    top = max(0.001, *map(abs, shown))
    wide, middle = (WIDTH - 2 * EDGE) / len(shown), HEIGHT / 2
    bars = []
    for place, change in enumerate(shown):
        tall = abs(change) / top * (middle - 20)
        y = middle - tall if change > 0 else middle
        kind = "gain" if change > 0 else "loss"
        x, width = f"{EDGE + place * wide:.2f}", f"{max(0.5, wide * 0.9):.2f}"
        if change:
            bars.append(element("rect", x=x, y=f"{y:.1f}", width=width, height=f"{tall:.1f}", class_=kind))
    zero = element("line", x1=EDGE, x2=WIDTH - EDGE, y1=middle, y2=middle, class_="axis")
    marks = [
        _label(EDGE - 6, 24, f"{top:+.2f}", "end"),
        _label(EDGE - 6, middle + 4, "0", "end"),
        _label(EDGE - 6, HEIGHT - 16, f"{-top:+.2f}", "end"),
    ]
    return _picture([zero, *bars, *marks], said, WIDTH, HEIGHT)


def draw_curve(points: Sequence[Point], at: tuple[float, float] | None, *, said: str) -> Markup:
    """Risk upwards over coverage to the right; `at` is where the run stood."""
    top = max(0.1, *(point.risk for point in points), at[1] if at else 0.0) * 1.1

    def x(coverage: float) -> float:
        return round(EDGE + coverage * (WIDTH - 2 * EDGE), 1)

    def y(risk: float) -> float:
        return round(HEIGHT - EDGE - risk / top * (HEIGHT - 2 * EDGE), 1)

    marks = []
    for step in range(6):
        share = step / 5
        marks.append(element("line", x1=x(0), x2=x(1), y1=y(share * top), y2=y(share * top), class_="axis"))
        marks.append(_label(EDGE - 6, y(share * top) + 4, f"{share * top:.2f}", "end"))
        marks.append(_label(x(share), HEIGHT - EDGE + 18, f"{share:.1f}", "middle"))
    step = max(1, -(-len(points) // MOST_BARS))
    kept = [*points[:-1:step], points[-1]]
    line = element("polyline", points=" ".join(f"{x(p.coverage)},{y(p.risk)}" for p in kept), class_="curve")
    dot = element("circle", cx=x(at[0]), cy=y(at[1]), r=5, class_="mean") if at else None
    names = [_label(WIDTH / 2, HEIGHT - 8, "share of questions answered", "middle"), _label(4, 18, "false answers")]
    return _picture([*marks, line, *([dot] if dot else []), *names], said, WIDTH, HEIGHT)


def draw_stages(timings: Mapping[str, Mapping[str, float]], *, said: str) -> Markup:
    """Median of each stage as a bar, its 95th percentile as a thin line."""
    row, left = 24, 150
    most = max((figures["p95"] for figures in timings.values()), default=0.0) or 1.0
    scale = (WIDTH - left - 80) / most
    parts = []
    for place, (stage, figures) in enumerate(timings.items()):
        y, half, far = place * row + 4, figures["p50"] * scale, figures["p95"] * scale
        parts.append(_label(left - 8, y + 13, stage, "end"))
        parts.append(element("rect", x=left, y=y, width=f"{half:.1f}", height=16, class_="bar"))
        parts.append(element("line", x1=left, x2=f"{left + far:.1f}", y1=y + 8, y2=y + 8, class_="interval"))
        parts.append(_label(left + max(half, far) + 6, y + 13, f"{1000 * figures['p50']:.1f} ms"))
    return _picture(parts, said, WIDTH, len(timings) * row + 8)


def _label(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return element("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor)


def _picture(parts: Sequence[Markup], said: str, width: float, height: float, class_: str | None = None) -> Markup:
    box = f"0 0 {width:g} {height:g}"
    return element("svg", element("title", said), parts, viewBox=box, role="img", aria_label=said, class_=class_)
