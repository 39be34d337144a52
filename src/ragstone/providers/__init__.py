"""Models by name: their makers, their dimensions, and checks whether they work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ragstone.config import vendors
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Completion, Embedder, Reranker, SparseEncoder
from ragstone.core.suggestions import find_alike
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.known_models import MODEL_CARDS, find_card, list_tokenizers, tokenizer_of
from ragstone.providers.minilm.model import MiniLM, find_missing_minilm_parts, find_model_problems
from ragstone.providers.minilm.wordpiece import WordPiece
from ragstone.providers.score_scales import Scale
from ragstone.providers.token_counting import EstimatingTokenizer, FileTokenizer

__all__ = [
    "EMBEDDERS",
    "KNOWN_DIMENSIONS",
    "EstimatingTokenizer",
    "FileTokenizer",
    "MiniLM",
    "WordPiece",
    "check_dimension",
    "check_embedder",
    "diagnose_embedder",
    "dimension_of",
    "find_builtin_embedder",
    "find_missing_packages",
    "learn_dimension",
    "list_tokenizers",
    "make_completion",
    "make_embedder",
    "make_reranker",
    "make_sparse_encoder",
    "probe_dimension",
    "start_embedder",
    "tokenizer_of",
]

EMBEDDERS: Mapping[str, Callable[..., Embedder]] = {"minilm": MiniLM}
PROBLEM_CHECKS: Mapping[str, Callable[[], list[str]]] = {"minilm": find_model_problems}
PACKAGE_CHECKS: Mapping[str, Callable[[], list[str]]] = {"minilm": find_missing_minilm_parts}

# What of its settings decides the variant of a model.
PRECISIONS: Mapping[str, tuple[str, ...]] = {"minilm": ("fp32", "int8")}
KNOWN_DIMENSIONS: Mapping[str, int] = {name: card.dimension for name, card in MODEL_CARDS.items()}

RUNTIMES = {"onnx": "onnxruntime"}  # the package that runs the models of a vendor in this process, by another name


def make_completion(
    model: str, *, reach: Endpoint, context: int | None = None, tokenizer: str | None = None
) -> Completion:
    """The language model of a name such as `ollama/llama3.2`, asked by way of `reach`; nothing is connected yet.
    `tokenizer` is the file of its own one.

    Raises `ConfigError` for a vendor that is unknown or completes nothing, and for a file that holds no tokenizer.
    """
    from ragstone.providers.completion import VendorCompletion

    vendor, name = vendors.parse_model_name(model, verb=vendors.COMPLETE, key=f"{reach.group}.model")
    speech = import_module(f"ragstone.providers.{vendor.completes}").WireFormat()
    counts = None
    if tokenizer:
        counts = FileTokenizer(tokenizer)
        counts.load()
    return VendorCompletion(reach, speech, model=name, context=context, tokenizer=counts)


def make_embedder(name: str, **options: Any) -> Embedder:
    """The embedder of this name: a built-in one, or a vendor's, asked by way of the option `reach`.

    Raises `ConfigError` for an unknown name or option.
    """
    maker = EMBEDDERS.get(name)
    if maker is None and "/" not in name:
        raise ConfigError(_unknown_message(name))
    try:
        return maker(**options) if maker else _make_vendor_embedder(name, **options)
    except TypeError as error:
        raise ConfigError(f"embedder {name!r}: {error}") from error


def make_reranker(name: str, *, reach: Endpoint | None = None, scale: Scale | None = None, **options: Any) -> Reranker:
    """The reranker of a name such as `cohere/rerank-v3.5`, asked by way of `reach`, or run in this process from the
    options `folder`, `reads`, `offline`; nothing is connected or loaded yet.

    Raises `ConfigError` for a vendor that is unknown or reranks nothing.
    """
    vendor, model = vendors.parse_model_name(name, verb=vendors.RERANK, key="rerank.model")
    module = import_module(f"ragstone.providers.{vendor.reranks}")
    if reach is None:
        local: Reranker = module.LocalReranker(model=model, scale=scale, **options)
        return local
    from ragstone.providers.reranking import VendorReranker

    return VendorReranker(reach, module.Reranking(), model=model, scale=scale)


def make_sparse_encoder(name: str, *, reach: Endpoint | None = None, **options: Any) -> SparseEncoder:
    """The model of sparse vectors of a name such as `tei/splade`, asked by way of `reach`, or run in this process from
    the options `folder`, `offline`; nothing is connected or loaded yet.

    Raises `ConfigError` for a vendor that is unknown or makes none.
    """
    vendor, model = vendors.parse_model_name(name, verb=vendors.ENCODE, key="sparse.model")
    module = import_module(f"ragstone.providers.{vendor.sparse}")
    if reach is None:
        local: SparseEncoder = module.LocalSparseEncoder(model=model, **options)
        return local
    from ragstone.providers.sparse_vectors import VendorSparseEncoder

    return VendorSparseEncoder(reach, module.SparseEncoding(), model=model)


def find_builtin_embedder(model: str, variant: str) -> tuple[str, str] | None:
    """The name and precision that make the embedder of this model and variant; None for one that is unknown here."""
    for name in EMBEDDERS:
        for precision in PRECISIONS.get(name, ()):
            made = make_embedder(name, precision=precision)
            if (made.model, made.variant) == (model, variant):
                return name, precision
    return None


def start_embedder(name: str, **options: Any) -> Embedder | None:
    """The embedder of this name, its model already loading where that takes a while; None when it would not work."""
    if name not in EMBEDDERS or find_missing_packages(name):
        return None
    try:
        embedder = make_embedder(name, **options)
    except UsageError:  # said when the question is embedded
        return None
    if isinstance(embedder, MiniLM):
        embedder.start_loading()
    return embedder


def dimension_of(model: str) -> int | None:
    """The dimension of a model by its name, without owner and tag (`owner/nomic-embed-text:v1.5`)."""
    card = find_card(model)
    return card.dimension if card else None


def check_dimension(model: str, seen: int, declared: int | None = None) -> int:
    """The dimension to build with: what a vector of the model was seen to have.

    Raises `UsageError` when it is not what the configuration declares, or not what the model is
    known to give, so that nothing of a wrong length is ever written.
    """
    expected = dimension_of(model) if declared is None else declared
    if seen < 1 or (expected is not None and seen != expected):
        source = "declared for it" if declared is not None else "known of it"
        raise UsageError(
            f"{model} gives vectors of {seen} numbers, but {expected} are {source}: nothing was written; "
            "set the right dimension, or name the model that the collection was built with"
        )
    return seen


async def probe_dimension(embedder: Embedder, declared: int | None = None) -> int:
    """Embed one word and check the dimension that comes back, as `check_dimension` does."""
    vectors = await embedder.embed(["word"])
    return check_dimension(embedder.model, int(vectors.shape[1]), declared)


def diagnose_embedder(name: str) -> list[str]:
    """The problems that keep an embedder from working, each with its remedy; [] when all is well."""
    return PROBLEM_CHECKS[name]() if name in PROBLEM_CHECKS else [_unknown_message(name)]


async def learn_dimension(embedder: Embedder) -> None:
    """Have an embedder whose dimension only its vendor knows ask for it; the others know theirs."""
    if (ask := getattr(embedder, "learn", None)) is not None:
        await ask()


async def check_embedder(embedder: Embedder) -> list[str]:
    """The problems that keep a vendor's embedder from working, each with its remedy; one that cannot say is well."""
    ask = getattr(embedder, "check", None)
    problems: list[str] = [] if ask is None else await ask()
    return problems


def find_missing_packages(name: str) -> list[str]:
    """The part of `diagnose_embedder` that costs no time: what is not installed."""
    if name in PACKAGE_CHECKS:
        return PACKAGE_CHECKS[name]()
    vendor = vendors.VENDORS.get(name.partition("/")[0])
    if vendor is None:
        return []
    if vendor.name in RUNTIMES:
        package, remedy = RUNTIMES[vendor.name], RUNTIMES[vendor.name]
    else:
        package, remedy = "httpx2" if vendor.base_url else vendor.name, f"'ragstone[{vendor.name}]'"
    lacking = f"the package {package} is missing: pip install {remedy}"
    return [] if find_spec(package) else [lacking]


def _make_vendor_embedder(name: str, **options: Any) -> Embedder:
    vendor, model = vendors.parse_model_name(name, verb=vendors.EMBED, key="embed.model")
    module = import_module(f"ragstone.providers.{vendor.embeds}")
    if vendor.base_url is None:
        fast: Embedder = module.FastembedEmbedder(model=model, **options)
        return fast
    from ragstone.providers.embedding import VendorEmbedder

    return VendorEmbedder(options.pop("reach"), module.WireFormat(), model=model, **options)


def _unknown_message(name: str) -> str:
    near = find_alike(name, EMBEDDERS)
    known_ = [*EMBEDDERS, *(f"{vendor}/MODEL" for vendor in vendors.vendors_for(vendors.EMBED))]
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known_)}"
    return f"unknown embedder {name!r}: {hint}"
