"""Questions in everyday words over folders as people have them: what `ask` without a language model makes of them.

    python benchmarks/answers/first_hour.py DATA [--code FOLDER] [--never] [--misspelt [--as-typed]]
        [--questions second_hour.jsonl] [--total]

The questions (fifteen with an answer and five without for each of four folders) were written by somebody who had read
the documents and not the code, before anything was asked.

`first_hour.jsonl`: `team` (office files), `manual` (pages of PowerShell's commands) and `filings` (quarterly reports)
are put together of DATA; `code` needs a folder with the sources of httpx and loguru (Python), semver (npm) and git's
persistent-https (Go), each in a folder of its name.

`second_hour.jsonl`: `office` (other office files, web pages, a feed) and `reports` (quarterly reports of other
quarters) are there to fit rules with (`"split": "fit"`); `monitoring` (pages about Prometheus) and `tools` are held out
to judge them. `tools` is the code of two packages: `pip install --no-deps --target FOLDER click==8.5.1
requests==2.34.2`, then `--code FOLDER`.

`everyday.jsonl` (five folders of 36 and 12 questions) is there to fit with (`everyday.py`), `third_hour.jsonl` (four of
18 and 6) is held out: only totals are read (`--total`). `everyday_folders.json` names their files; `packages` is the
code of `pip install --no-deps --target FOLDER protego==0.7.0 tenacity==9.2.1`.

`plain.jsonl` and `plain_second.jsonl` ask about small folders mostly in their own words, `plain_held_out.jsonl` about
four more of which only totals are read (`--total`). `firm_languages.jsonl` asks about the papers of a
firm in six languages, `firm_languages_held_out.jsonl` in two more.

`plain_third.jsonl` asks one more folder for rows of ranges, exceptions, comparisons, counts, sums, subjects and people
to call; `plain_third_held_out.jsonl` another, of which only totals are read (`--total`).

Useful: all expected words are in the first 350 characters, of some questions in fewer (`within`). Wrong: an answer
without them. `closest`: they are in the passages below a refusal.
"""

import argparse
import asyncio
import gzip
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.retrieval.misspelt import misspell

import ragstone

SHOWN = 350  # characters
FOLDERS = {
    "team": "extraction",
    "manual": "kb/powershell_docs",
    "filings": "qa/docugami_sec10q",
    "office": "extraction",
    "monitoring": "kb/prometheus_docs/content/docs",
    "reports": "qa/docugami_sec10q",
}
FILES = {
    "team": (
        "MEDRPT-2024-PAT-3847_medical_report_scan.pdf REPAIR-2022-INV-001_multipage.pdf csv-comma.csv test.docx "
        "RECEIPT-2024-TXN-98765_retail_purchase.pdf SPARSE-2024-INV-1234_borderless_table.pdf docx_checkboxes.docx "
        "docx_rich_tables_01.docx ending_with_table.md example_08.html html_rich_table_cells.html wiki_duck.html "
        "kvp_data_example.html masterformat_partial_numbering.pdf mixed.md movie-theater-booking-2024.pdf wiki.md "
        "powerpoint_sample.pptx pptx_chart.pptx test_blog.html test_outlook_msg.msg textbox.docx word_sample.docx "
        "xlsx_02_sample_sales_data.xlsm xlsx_03_chartsheet.xlsx"
    ).split(),
    "manual": [
        f"{name}.md"
        for name in (
            "Compress-Archive ConvertTo-Json Copy-Item Expand-Archive Export-Csv Get-ChildItem Get-Clipboard "
            "Get-Content Get-FileHash Get-Process Get-Random Get-Uptime Import-Csv Invoke-WebRequest New-TimeSpan "
            "Out-File Read-Host Remove-Item Rename-Item Select-String Send-MailMessage Set-ExecutionPolicy Sort-Object "
            "Start-Process Start-Sleep Start-Transcript Stop-Process Tee-Object Test-Connection Unblock-File "
            "about_Execution_Policies about_History about_Profiles about_Telemetry about_Update_Notifications"
        ).split()
    ],
    "filings": [f"2023 {name}.pdf" for name in ("Q2 AMZN", "Q2 INTC", "Q2 NVDA", "Q3 AAPL", "Q3 MSFT")],
    "office": (
        "374ac9a59a85196cdacc1679fb8993521a7b7d9d6533720f102300be1c7face4.html "
        "7bb1ca90354313840329d2f569ea9fb3a582df2aa0a5e3669f8fc567eb6ea61b.html "
        "bc13ff87b2630ffbebc33bc37b11178b14f03109055e1d17bf644f804b63d98a.html "
        "e1c7023ee2148901b086256fdd30a0893d10b0720b510d5ff07a021109347266.html "
        "csv-semicolon.csv cupertino_usd_4-6-16.pdf docx_code_blocks.docx docx_lists.docx "
        "nics-background-checks-2015-11.pdf powerpoint_comments.pptx powerpoint_issue_2663.pptx "
        "powerpoint_unrecognized_shape.pptx pr-138-example.pdf scotus-transcript-p1.pdf senate-expenditures.pdf "
        "test.pptx test_mskanji.csv test_rss.xml test_with_comment.docx xlsx_06_edge_cases_.xlsx "
        "xlsx_07_gap_tolerance_.xlsx xlsx_09_section_label_header.xlsx xlsx_comments.xlsx"
    ).split(),
    "monitoring": [
        f"{name}.md"
        for name in (
            "alerting alerting_based_on_metrics basic-auth browser cadvisor comparison data_model dockerswarm faq "
            "file-sd first_steps getting_started glossary go-application grafana histograms instrumentation "
            "jobs_instances metric_types multi-target-exporter naming node-exporter overview pushing query-log "
            "release-cycle remote_write roadmap rules security the_zen tls-encryption understanding_metric_types "
            "writing_exporters"
        ).split()
    ],
    "reports": [
        f"{name}.pdf" for name in ("2022 Q3 AAPL", "2022 Q3 AMZN", "2022 Q3 INTC", "2022 Q3 NVDA", "2023 Q1 MSFT")
    ],
}


def main() -> None:
    """Print a line of counts for each folder, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--code", type=Path, help="folder with the sources for the fourth set")
    parser.add_argument("--never", action="store_true", help="never abstain")
    parser.add_argument("--misspelt", action="store_true", help="with one slip of the finger in each question")
    parser.add_argument("--as-typed", action="store_true", help="correct no spelling")
    parser.add_argument("--total", action="store_true", help="print the line for all folders alone")
    parser.add_argument("--questions", type=Path, default=Path("first_hour.jsonl"), help="file of questions")
    args = parser.parse_args()
    lines = (Path(__file__).parent / args.questions).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    if args.misspelt:
        questions = [{**one, "question": misspell(one["question"])} for one in questions]
    every: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        for name in dict.fromkeys(one["folder"] for one in questions):
            folder = collect_folder(args.data, name, Path(work), args.code)
            if folder is None:
                continue
            own = [one for one in questions if one["folder"] == name]
            counts = asyncio.run(_ask_all(folder, Path(work) / f"{name}.store", own, args))
            every += counts
            if not args.total:
                print(f"{name}: {_describe(counts)}", flush=True)
    print(f"all: {_describe(every)}")


def collect_folder(data: Path, name: str, work: Path, code: Path | None) -> Path | None:
    """The set's files in a folder of their own; None where they are code and no `code` is given."""
    listed = json.loads(Path(__file__).with_name("everyday_folders.json").read_text(encoding="utf-8"))
    if name in FOLDERS:
        return _collect_files(data / FOLDERS[name], name, work)
    if name not in listed:
        return code
    found, folder = listed[name], work / name
    if "here" in found:
        return Path(__file__).parent / found["here"]
    if "passages" in found:
        return _write_passages(data / found["passages"], set(found["files"]), folder)
    place = data / found["from"] if "from" in found else code
    if place is None:
        return None
    for pattern in found["files"]:
        for file in sorted(place.glob(pattern)):
            target = folder / file.relative_to(place).with_suffix(file.suffix.removesuffix(".gz"))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes())
    return folder


def _write_passages(corpus: Path, wanted: set[str], folder: Path) -> Path:
    """A page for each passage, its title as the heading."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in map(json.loads, corpus.read_text(encoding="utf-8").splitlines()):
        if row["_id"] in wanted:
            (folder / f"{row['_id']}.md").write_text(f"# {row['title']}\n\n{row['text']}\n", encoding="utf-8")
    return folder


def _collect_files(data: Path, name: str, work: Path) -> Path:
    """The set's files; of several versions the one whose path comes last."""
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in FILES[name]:
        found = sorted([*data.rglob(file), *data.rglob(f"{file}.gz")])
        if not found:
            raise SystemExit(f"{file} is not in {data}")
        content = found[-1].read_bytes()
        (folder / file).write_bytes(gzip.decompress(content) if found[-1].suffix == ".gz" else content)
    return folder


async def _ask_all(
    folder: Path, store: Path, questions: list[dict[str, Any]], args: argparse.Namespace
) -> "Counter[str]":
    counts: Counter[str] = Counter()
    settings = {"answer__abstain": "never" if args.never else None, "search__correct_spelling": not args.as_typed}
    async with ragstone.Engine(ragstone.load(store=str(store), **settings)) as kb:
        await kb.ingest(folder)
        for one in questions:
            answer = await kb.ask(one["question"])
            closest = " ".join(hit.chunk.text for hit in answer.closest)
            if not one["document"]:
                counts["unanswerable"] += 1
                counts["unanswerable answered"] += not answer.abstained
            elif answer.abstained:
                counts["declined"] += 1
                counts["closest"] += holds(closest, one["expected"])
            else:
                computed = (note.message for note in answer.notes if note.code == "computed")
                shown = " ".join((answer.text[: one.get("within", SHOWN)], *computed))
                counts["useful" if holds(shown, one["expected"]) else "wrong"] += 1
    return counts


def holds(text: str, expected: list[str]) -> bool:
    return all(any(word.lower() in text.lower() for word in words.split("|")) for words in expected)


def _describe(counts: "Counter[str]") -> str:
    asked = counts["useful"] + counts["wrong"] + counts["declined"]
    return (
        f"{asked} answerable: {counts['useful']} useful, {counts['wrong']} wrong, {counts['declined']} declined "
        f"({counts['closest']} with the words among the closest passages); {counts['unanswerable answered']} of "
        f"{counts['unanswerable']} unanswerable answered"
    )


if __name__ == "__main__":
    main()
