"""The options of `ragstone eval`."""

from typing import Annotated

import typer

MOST = 1000  # what a question may fetch

Golden = Annotated[str | None, typer.Option("--golden", help="File of questions: .jsonl, .json or .yaml.")]
Beir = Annotated[str | None, typer.Option("--beir", help="BEIR folder, ingested into a scratch store, or --store.")]
Split = Annotated[
    str | None, typer.Option("--split", help="Judgements of a BEIR folder, from qrels/SPLIT.tsv [default: test].")
]
Granularity = Annotated[
    str | None, typer.Option(help="Unit to score: file, chunk or span; always file for BEIR [default: file].")
]
FetchK = Annotated[
    int,
    typer.Option("--fetch-k", min=1, max=MOST, help="Results to fetch per question; MRR and MAP use all of them."),
]
Answers = Annotated[bool, typer.Option("--answers", help="Also ask for answers and score them.")]
Calibrate = Annotated[
    bool, typer.Option("--calibrate", help="Fit the abstention rule of `ragstone ask` on these questions.")
]
FalseAnswers = Annotated[
    float | None,
    typer.Option(
        "--false-answers", min=0.001, max=0.999, help="Share of the answers that may be unsupported [default: 0.1]."
    ),
]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw the risk-coverage curve into this SVG file.")]
Modes = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        help="Measures: retrieval, rag or both [default: retrieval]; or retrievers: hybrid, semantic or "
        "keyword. Give it twice for both.",
    ),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", help="Model that judges answers, VENDOR/MODEL [default: judge, else llm]."),
]
Baseline = Annotated[str | None, typer.Option("--baseline", help="Earlier --json report to compare with.")]
Gate = Annotated[bool, typer.Option("--gate", help="Exit 3 if worse than the baseline.")]
Csv = Annotated[
    str | None, typer.Option("--csv", help="Write one row per question to this file; with --ablate one per stage.")
]
Generate = Annotated[
    int | None,
    typer.Option(
        min=1, max=10_000, help="Write this number of candidate questions on the documents, for you to accept."
    ),
]
Out = Annotated[str | None, typer.Option("--out", help="Write the candidates to this new JSONL file.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Choose other documents for candidates [default: 0].")]
Model = Annotated[
    str | None, typer.Option("--model", help="Language model that writes the candidates, VENDOR/NAME [default: none].")
]
Ablate = Annotated[
    bool,
    typer.Option(
        "--ablate", help="Measure each stage of the search with and without; with --answers also of the answers."
    ),
]
Page = Annotated[str | None, typer.Option("--report", help="Write a page for a browser to this HTML file.")]
