"""Questions in everyday words over folders as people have them: what `ask` without a language model makes of them.

    python benchmarks/answers/first_hour.py DATA [--code FOLDER] [--never]

The questions (`first_hour.jsonl`, fifteen with an answer and five without for each of four folders) were written by
somebody who had read the documents and not the code, before anything was asked. No rule was made with a look at them.
`team` (office files), `manual` (pages of PowerShell's commands) and `filings` (quarterly reports) are put together of
DATA; `code` needs a folder with the sources of httpx and loguru (Python), semver (npm) and git's persistent-https
(Go), each in a folder of its name.

Useful: all expected words are in the first 350 characters. Wrong: an answer without them. `closest`: they are in the
passages below a refusal.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import ragstone

SHOWN = 350  # characters
FOLDERS = {
    "team": "extraction",
    "manual": "kb/powershell_docs",
    "filings": "qa/docugami_sec10q",
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
}


def main() -> None:
    """Print a line of counts for each folder, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--code", type=Path, help="folder with the sources for the fourth set")
    parser.add_argument("--never", action="store_true", help="never abstain")
    args = parser.parse_args()
    lines = (Path(__file__).parent / "first_hour.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    every: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        for name in [*FOLDERS, *(["code"] if args.code else [])]:
            folder = args.code if name == "code" else _collect_files(args.data / FOLDERS[name], name, Path(work))
            own = [one for one in questions if one["folder"] == name]
            counts = asyncio.run(_ask_all(folder, Path(work) / f"{name}.store", own, never=args.never))
            every += counts
            print(f"{name}: {_describe(counts)}", flush=True)
    print(f"all: {_describe(every)}")


def _collect_files(data: Path, name: str, work: Path) -> Path:
    """The set's files in a folder of their own; of several versions the one whose path comes last."""
    folder = work / name
    folder.mkdir()
    for file in FILES[name]:
        found = sorted(data.rglob(file))
        if not found:
            raise SystemExit(f"{file} is not in {data}")
        shutil.copy(found[-1], folder / file)
    return folder


async def _ask_all(folder: Path, store: Path, questions: list[dict[str, Any]], *, never: bool) -> "Counter[str]":
    counts: Counter[str] = Counter()
    async with ragstone.Engine(ragstone.load(store=str(store), answer__abstain="never" if never else None)) as kb:
        await kb.ingest(folder)
        for one in questions:
            answer = await kb.ask(one["question"])
            closest = " ".join(hit.chunk.text for hit in answer.closest)
            if not one["document"]:
                counts["unanswerable"] += 1
                counts["unanswerable answered"] += not answer.abstained
            elif answer.abstained:
                counts["declined"] += 1
                counts["closest"] += _holds(closest, one["expected"])
            else:
                counts["useful" if _holds(answer.text[:SHOWN], one["expected"]) else "wrong"] += 1
    return counts


def _holds(text: str, expected: list[str]) -> bool:
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
