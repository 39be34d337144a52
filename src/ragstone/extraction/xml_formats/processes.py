"""Processes in BPMN 2.0: lanes, steps in their order, and the words at the tasks. The drawing is not read."""

import re
from collections import deque
from collections.abc import Iterator, Mapping

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.record.builder import BlockDraft

HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
FLOW = "sequenceFlow"
INNER = frozenset(("subProcess", "adHocSubProcess", "transaction"))
TOLD = 80  # characters of a name by which an arrow names a step


def read_processes(root: Element) -> Iterator[BlockDraft]:
    """A section for each process: its lanes, its steps in the order in which they follow each other, its notes; then
    messages between those who take part."""
    names = {one.get("id") or "": _read_name(one) for one in root.iter("{*}*") if one.get("id")}
    pools = {one.get("processRef"): _read_name(one) for one in root.iter("{*}participant")}
    for process in root.iterchildren("{*}process"):
        title = pools.get(process.get("id")) or _read_name(process)
        drafts = list(_read_process(process, names, 3))
        if drafts:
            yield BlockDraft("heading", title or "Process", level=2, made=not title)
            yield from drafts
    messages = list(_read_flows(root.iter("{*}messageFlow"), names))
    if messages:
        yield BlockDraft("heading", "Messages", level=2, made=True)
        yield from messages


def _read_process(process: Element, names: Mapping[str, str], level: int) -> Iterator[BlockDraft]:
    yield from (BlockDraft("paragraph", text) for text in _read_documentation(process))
    for lane in process.iterfind("{*}laneSet//{*}lane"):
        steps = [names.get((one.text or "").strip(), "") for one in lane.iterchildren("{*}flowNodeRef")]
        said = ", ".join(_join(step) for step in steps if step)
        yield BlockDraft("list", f"- {_read_name(lane)}: {said}" if said else "", level=1)
    flows = [one for one in process if element_name(one) == FLOW]
    ordered = _order_flows(process, flows)
    yield from _read_flows(iter(ordered), names)
    linked = {one.get(end) for one in flows for end in ("sourceRef", "targetRef")}
    for element in process:
        name, text = _read_name(element), " ".join(_read_documentation(element))
        kind = element_name(element)
        if kind == "textAnnotation":
            yield BlockDraft("paragraph", _read_words(next(element.iterchildren("{*}text"), element)))
        elif text and name:
            yield BlockDraft("paragraph", f"{name}: {text}")
        elif name and element.get("id") not in linked and kind not in (FLOW, *INNER) and _is_step(kind):
            yield BlockDraft("list", f"- {name}", level=1)
        if kind in INNER:
            inner = list(_read_process(element, names, level + 1))
            yield BlockDraft("heading", name if inner else "", level=min(6, level))
            yield from inner


def _is_step(kind: str) -> bool:
    return kind.lower().endswith(("task", "event", "gateway", "activity"))


def _order_flows(process: Element, flows: list[Element]) -> list[Element]:
    """The arrows from the first steps on; those that none of them leads to come last."""
    leaving: dict[str, list[Element]] = {}
    for flow in flows:
        leaving.setdefault(flow.get("sourceRef") or "", []).append(flow)
    reached = {flow.get("targetRef") for flow in flows}
    waiting = deque(one.get("id") or "" for one in process if one.get("id") in leaving and one.get("id") not in reached)
    out: list[Element] = []
    for rest in (waiting, deque(leaving)):
        while rest:
            for flow in leaving.pop(rest.popleft(), ()):
                out.append(flow)
                rest.appendleft(flow.get("targetRef") or "")
    return out


def _read_flows(flows: Iterator[Element], names: Mapping[str, str]) -> Iterator[BlockDraft]:
    for flow in flows:
        ends = [names.get(flow.get(end) or "", "") or "?" for end in ("sourceRef", "targetRef")]
        condition = _read_words(next(flow.iterchildren("{*}conditionExpression"), None))
        said = _join(flow.get("name") or "") or condition
        if ends != ["?", "?"]:
            yield BlockDraft("list", f"- {_join(ends[0])} → {_join(ends[1])}{f': {said}' if said else ''}", level=1)


def _read_name(element: Element) -> str:
    """The name of an element, else its kind: `exclusive gateway`."""
    kind = element_name(element)
    unnamed = HUMP.sub(" ", kind).lower() if _is_step(kind) else ""
    return _join(element.get("name") or "") or unnamed


def _read_documentation(element: Element) -> list[str]:
    return list(filter(None, map(_read_words, element.iterchildren("{*}documentation"))))


def _read_words(element: Element | None) -> str:
    return " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""


def _join(text: str) -> str:
    return " ".join(text.split())
