"""The risk–coverage curve as a picture: one SVG that needs nothing but itself."""

from collections.abc import Sequence
from html import escape

from ragstone.evaluation.calibrate import Point

WIDTH, HEIGHT, EDGE = 560, 360, 56


def as_svg(points: Sequence[Point], *, chosen: float, wanted: float, title: str) -> str:
    """Coverage to the right, risk upwards; the wanted risk as a dashed line, the chosen threshold as a dot."""
    top = max(0.1, *(point.risk for point in points), wanted) * 1.1
    line = " ".join(f"{_x_position(point.coverage):.1f},{_y_position(point.risk, top):.1f}" for point in points)
    at = min(points, key=lambda point: abs(point.answer_from - chosen))
    marks = "".join(_render_mark(step / 5, top) for step in range(6))
    dashed = _y_position(wanted, top)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/><text x="{EDGE}" y="24">{escape(title)}</text>{marks}'
        f'<line x1="{_x_position(0)}" x2="{_x_position(1)}" y1="{dashed:.1f}" y2="{dashed:.1f}" '
        'stroke="#b00" stroke-dasharray="5 4"/>'
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/>'
        f'<circle cx="{_x_position(at.coverage):.1f}" cy="{_y_position(at.risk, top):.1f}" r="5" fill="#06c"/>'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">share of questions answered</text>'
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">share of false answers</text>'
        "</svg>\n"
    )


def _render_mark(share: float, top: float) -> str:
    x, y = _x_position(share), _y_position(share * top, top)
    return (
        f'<line x1="{_x_position(0)}" x2="{_x_position(1)}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{share * top:.2f}</text>'
        f'<text x="{x:.1f}" y="{HEIGHT - EDGE + 18}" text-anchor="middle">{share:.1f}</text>'
    )


def _x_position(share: float) -> float:
    return EDGE + share * (WIDTH - 2 * EDGE)


def _y_position(share: float, top: float) -> float:
    return HEIGHT - EDGE - share / top * (HEIGHT - 2 * EDGE)
