"""Parts of pages that editors export in a form of their own: titles of documents, boxes of tasks."""

from collections.abc import Mapping

BOX, BOXES = "checkbox", {"checkbox-on": True, "checkbox-off": False}  # of Notion
TASKS = "inline-task-list"  # of Confluence
GOOGLE, TITLE = "doc-content", "title"  # classes of a page of Google Docs and of its title
WORD_TITLE = "MsoTitle"


def is_title(tag: str, about: Mapping[str, str], page: Mapping[str, str]) -> bool:
    """Whether a paragraph is the title of the document, which Google Docs and Word write as one.

    >>> is_title("p", {"class": "c4 title"}, {"class": "doc-content"}), is_title("p", {"class": "title"}, {})
    (True, False)
    """
    classes = about["class"].split() if tag == "p" and "class" in about else []
    return WORD_TITLE in classes or (TITLE in classes and GOOGLE in page.get("class", "").split())


def find_box(tag: str, about: Mapping[str, str], around: Mapping[str, str]) -> bool | None:
    """Whether the box of a task is checked: one that is drawn as an element, or the task itself (`around` is its list);
    None for any other element.

    >>> find_box("div", {"class": "checkbox checkbox-on"}, {}), find_box("li", {}, {"class": "inline-task-list"})
    (True, False)
    """
    classes = about.get("class", "").split()
    if BOX in classes:
        return next((BOXES[one] for one in classes if one in BOXES), None)
    if tag == "li" and TASKS in around.get("class", "").split():
        return "checked" in classes
    return None
