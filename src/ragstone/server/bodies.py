"""The bodies of requests: one field of a search's options is one field of each of them."""

from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import Numbers, read_bounds, read_options
from ragstone.core.filters import Where, parse_where
from ragstone.core.types import LONGEST_QUESTION, NAME_LENGTH, Json

MOST_TURNS = 200
LONGEST_TURN = 100_000
Name = Annotated[str, Field(min_length=1)]  # of a pipeline, path, source or column: any length names one
CollectionName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH)]
TenantName = CollectionName
Text = Annotated[str, Field(max_length=LONGEST_QUESTION)]
_passages = read_bounds(SearchOptions)["top_k"]
assert isinstance(_passages, Numbers)
PassageCount = Annotated[int, Field(ge=_passages.low, le=_passages.high)]
Scalar = str | int | float | bool
# Options that a request sets within less than a caller of the library: which reranker runs, and so who gets passages
# and what is downloaded, is the operator's choice.
NARROWED: dict[str, Any] = {"rerank": bool}


class Body(BaseModel):
    """A body whose unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Turn(Body):
    """A turn of the conversation before the question."""

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=LONGEST_TURN)]


class ConditionBody(Body):
    """A condition on a column or a fact of a document."""

    column: Name
    operator: Literal["=", "!=", "<", ">", "<=", ">=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL"]
    value: Scalar | list[Scalar] | None = None


class ConditionsBody(Body):
    """Conditions that hold together, or one of them."""

    conditions: list[ConditionBody] = []
    logic: Literal["AND", "OR"] = "AND"

    def to_where(self) -> Where:
        """The filter; raises `UsageError` for values that do not fit their operators."""
        return parse_where(self.model_dump())


class FilterBody(ConditionsBody):
    """Filters of documents and chunks: groups are ANDed, the values of a list are ORed."""

    sources: list[str] = []
    paths: list[str] = []
    headers: list[str] = []
    shas: list[str] = []
    categories: list[str] = []
    tags: list[str] = []
    tag_mode: Literal["any", "all"] = "any"
    projects: list[str] = []
    doc_types: list[str] = []
    date_from: str | None = None
    date_to: str | None = None
    confidentiality_allow: list[str] = []
    allow_restricted: bool = False


def _describe_options() -> dict[str, Any]:
    """The options of a search as fields: each with its type, bounds and sentence; left out means the default."""
    kinds, options, bounds = get_type_hints(SearchOptions), read_options(SearchOptions), read_bounds(SearchOptions)
    found: dict[str, Any] = {}
    for one in fields(SearchOptions):
        bound = bounds.get(one.name)
        limits: dict[str, Any] = {"ge": bound.low, "le": bound.high} if isinstance(bound, Numbers) else {}
        name = "llm_filter" if one.name == "filter" else one.name
        about: Any = Field(description=options[one.name].help, **limits)
        kind: Any = Annotated[NARROWED.get(one.name, kinds[one.name]), about]
        found[name] = (kind | None, None)
    return found


OptionsBody = create_model("OptionsBody", __base__=Body, **_describe_options())


class SearchBody(OptionsBody):  # type: ignore[misc,valid-type]  # a model that is made of the options
    """A search."""

    query: Text
    collection: CollectionName | None = None
    pipeline: Name | None = None
    filter: FilterBody | None = None

    def options(self) -> Json:
        """The options that were given, as the library names them, with the filter as `where`."""
        given = self.model_dump(exclude_none=True, include=set(OptionsBody.model_fields))
        if "llm_filter" in given:
            given["filter"] = given.pop("llm_filter")
        return {**given, "where": self.filter.to_where() if self.filter else None}


class AskBody(SearchBody):
    """A question to answer."""

    messages: Annotated[list[Turn], Field(max_length=MOST_TURNS, default_factory=list)]
    strict: bool | None = None
    stream: bool = False


class ExplainBody(SearchBody):
    """A question, and the document whose fate is asked for."""

    path: Name
    source: Name | None = None
