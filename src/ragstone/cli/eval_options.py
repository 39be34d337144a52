"""The options of `ragstone eval`."""

from typing import Annotated

import typer

MOST = 1000  # what a question may fetch

Golden = Annotated[str | None, typer.Option("--golden", help="Questions: .jsonl, .json or .yaml.")]
Beir = Annotated[str | None, typer.Option("--beir", help="A BEIR folder; ingested into a scratch store, or --store.")]
Split = Annotated[
    str | None, typer.Option("--split", help="Which judgements of a BEIR folder, qrels/SPLIT.tsv [default: test].")
]
Granularity = Annotated[
    str | None, typer.Option(help="What is scored: file, chunk or span; of BEIR always file [default: file].")
]
FetchK = Annotated[
    int,
    typer.Option(
        "--fetch-k", min=1, max=MOST, help="Results that a question fetches; MRR and MAP are over all of them."
    ),
]
Answers = Annotated[bool, typer.Option("--answers", help="Ask for answers too and score them.")]
Calibrate = Annotated[
    bool, typer.Option("--calibrate", help="Fit when to answer on these questions, for `ragstone ask` to use.")
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
        help="What is measured: retrieval, rag or both [default: retrieval]; how is searched: hybrid, semantic or "
        "keyword. Twice for both.",
    ),
]
JudgeModel = Annotated[
    str | None, typer.Option("--judge-model", help="VENDOR/MODEL that judges answers [default: judge, else llm].")
]
Fusion = Annotated[str | None, typer.Option("--fusion", help="minmax or rrf.")]
Baseline = Annotated[str | None, typer.Option("--baseline", help="An earlier --json report to compare with.")]
Gate = Annotated[bool, typer.Option("--gate", help="Exit 3 when worse than the baseline.")]
Csv = Annotated[str | None, typer.Option("--csv", help="Write a row a question to this file.")]
