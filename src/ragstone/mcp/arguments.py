"""The parameters of each tool: their bounds, their defaults, and what a model is told about them."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragstone.core.errors import UsageError
from ragstone.core.suggestions import suggest_argument
from ragstone.core.types import LONGEST_QUESTION, NAME_LENGTH, Json
from ragstone.core.value_mistakes import describe_expected

ADDRESS_LENGTH = 20_000  # characters
TOP_K = 10
SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "propertyNames")
NOISE = ("title", "default", *SIZES)  # of schemas: models do not need them


def _read_list(given: Any) -> Any:
    """A list from one text, or from a list that stands as JSON in a text: models write these for lists of texts."""
    if not isinstance(given, str):
        return given
    try:
        read = json.loads(given) if given.lstrip().startswith("[") else None
    except ValueError:
        read = None
    return read if isinstance(read, list) else [given]


CollectionName = Annotated[
    str | None,
    Field(max_length=NAME_LENGTH, description="A name of list_collections; leave out for the usual."),
]
CursorText = Annotated[
    str | None, Field(max_length=200, description="next_cursor of the result before; same arguments.")
]
QueryText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        description="What to look for: a question or keywords, in the documents' language.",
    ),
]
FewTexts = Annotated[list[str], Field(max_length=100)]
PathGlobs = Annotated[
    FewTexts | None,
    BeforeValidator(_read_list),
    Field(description="Only these paths or globs: guides/**/*.md."),
]
ProfileName = Annotated[
    str | None,
    Field(max_length=NAME_LENGTH, description="Profile of the search; leave out for the usual."),
]
TagNames = Annotated[
    FewTexts | None,
    BeforeValidator(_read_list),
    Field(description="Only with one of these tags."),
]
FirstDay = Annotated[
    str | None, Field(max_length=40, description="Only dated from this day on: 2026-01-31, or 2026-01.")
]
LastDay = Annotated[str | None, Field(max_length=40, description="Only dated up to this day.")]
PassageCount = Annotated[int, Field(ge=1, le=100, description="Number of passages to look at [default: 10].")]


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")


class PlainArguments(Arguments):
    """Of a tool that looks at one collection."""

    collection: CollectionName = None


class SearchArguments(Arguments):
    """Of `search` and `rag_search`."""

    query: QueryText
    collection: CollectionName = None
    top_k: PassageCount = TOP_K
    paths: PathGlobs = None
    tags: TagNames = None
    date_from: FirstDay = None
    date_to: LastDay = None
    profile: ProfileName = None
    cursor: CursorText = None


class FetchArguments(Arguments):
    """Of `fetch`."""

    id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=ADDRESS_LENGTH,
            description="An id or url of search or ask (#L10 begins at line 10), or "
            "PATH#3 for what rag_search calls S1#3, S1 being that path.",
        ),
    ]
    collection: Annotated[
        str | None,
        Field(max_length=NAME_LENGTH, description="Collection of a path of rag_search; an id names its own."),
    ] = None
    lines: Annotated[
        int | None,
        Field(ge=1, description="Number of lines to read; leave out for all that fits."),
    ] = None
    cursor: CursorText = None


class AskArguments(Arguments):
    """Of `ask`."""

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description="One whole question.")]
    collection: CollectionName = None
    paths: PathGlobs = None
    tags: TagNames = None
    date_from: FirstDay = None
    date_to: LastDay = None
    profile: ProfileName = None


class DocumentsArguments(Arguments):
    """Of `list_documents`."""

    collection: CollectionName = None
    paths: PathGlobs = None
    tags: TagNames = None
    date_from: FirstDay = None
    date_to: LastDay = None
    cursor: CursorText = None


class ListArguments(Arguments):
    """Of `list_collections`."""

    cursor: CursorText = None


class IngestArguments(Arguments):
    """Of `ingest`."""

    path: Annotated[
        str | None,
        Field(
            max_length=4096,
            description="A file or folder inside a configured source: only that source is brought up to date. "
            "Leave out for all configured sources.",
        ),
    ] = None
    collection: CollectionName = None


class AddArguments(Arguments):
    """Of `add_documents`."""

    texts: Annotated[
        dict[Annotated[str, Field(min_length=1)], str],
        Field(min_length=1, max_length=100, description="Texts by path, in Markdown: notes/pumps.md."),
    ]
    meta: Annotated[
        dict[str, Any] | None, Field(description="Facts about all of them: tags, date. The paths then end in .md.")
    ] = None
    collection: CollectionName = None


class DeleteArguments(Arguments):
    """Of `delete_documents`."""

    ids: Annotated[
        FewTexts,
        BeforeValidator(_read_list),
        Field(min_length=1, description="Ids that add_documents returned."),
    ]
    collection: CollectionName = None


def parse_arguments(kind: type[Arguments], given: Json) -> Arguments:
    """The arguments of a call; raises `UsageError` that names each wrong one."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        wrong = "; ".join(_describe_mistake(kind, one) for one in error.errors()[:5])
        raise UsageError(wrong) from error


def _describe_mistake(kind: type[Arguments], mistake: Mapping[str, Any]) -> str:
    name = ".".join(map(str, mistake["loc"]))[:80]
    if mistake["type"] == "extra_forbidden":
        known = list(kind.model_fields)
        return f"unknown parameter {name!r}{suggest_argument(name, known) or ': expected one of: ' + ', '.join(known)}"
    if mistake["type"] == "missing":
        return f"missing parameter {name!r}"
    return f"invalid {name}: {describe_expected(mistake)}"


def describe_arguments(kind: type[Arguments]) -> Json:
    """The JSON schema of arguments, short: hosts put it into each conversation."""
    schema = kind.model_json_schema()
    properties = {name: _simplify(one) for name, one in schema.get("properties", {}).items()}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _simplify(schema: Json) -> Json:
    """A property without null as a choice: leaving it out says the same."""
    chosen: list[Any] = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    merged = {**schema, **chosen[0]} if chosen else schema
    return {key: value for key, value in merged.items() if key != "anyOf" and key not in NOISE}
