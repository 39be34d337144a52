"""The outputs of `ragstone eval`: the report on stdout, rows and page in files that are checked before any question."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragstone.cli.shared_options import print_json, print_message
from ragstone.core.errors import UsageError


def check_writable(named: Mapping[str, str | None], *, inputs: Sequence[str | None]) -> None:
    """Raises `UsageError` when a file that an option names cannot be written, is one that is read, or is named again
    by another option; leaves no trace."""
    seen: dict[Path, str] = {}
    for option, path in named.items():
        if path:
            _check_file(f"--{option}", path, inputs)
            if (first := seen.setdefault(Path(path).absolute(), option)) != option:
                raise UsageError(f"--{first} and --{option} name the same file {path}: name another file")


def _check_file(option: str, path: str, inputs: Sequence[str | None]) -> None:
    file = Path(path)
    with suppress(OSError):
        if any(given and file.samefile(given) for given in inputs):
            raise UsageError(f"{option} {path} would overwrite an input file: name another file")
    try:
        new = not file.exists()
        file.open("a", encoding="utf-8").close()
        if new:
            file.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable_error(option, path, error) from error


def _write_file(option: str, path: str, text: str) -> None:
    try:
        Path(path).write_bytes(text.encode("utf-8", "replace"))
    except (OSError, ValueError) as error:
        raise _unwritable_error(option, path, error) from error


def write_lines(option: str, path: str, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON, one object a line."""
    _write_file(option, path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))


def _unwritable_error(option: str, path: str, error: Exception) -> UsageError:
    why = getattr(error, "strerror", None) or error
    return UsageError(f"{option} {path} cannot be written: {why}; name a file in a folder that you can write to")


def write_files(csv: str | None, page: str | None, report: Any, earlier: Any, comparison: Any) -> None:
    """Write the rows and the page, each if it has a file."""
    from ragstone import evaluation

    if csv and (effects := (*report.ablation, *report.answer_ablation)):
        _write_file("--csv", csv, evaluation.ablation_csv(effects, report.settings.get("depth")))
    elif csv:
        _write_file("--csv", csv, evaluation.as_csv(report))
    if page:
        from ragstone.evaluation.page import render_page

        _write_file("--report", page, render_page(report, baseline=earlier, comparison=comparison))


def print_outcome(report: Any, comparison: Any, own: Any, *, as_json: bool) -> None:
    """The report on stdout, for programs or for people; the warnings on stderr."""
    from ragstone import evaluation
    from ragstone.cli import eval_calibration

    if as_json:
        compared = {"comparison": evaluation.comparison_json(comparison)} if comparison else {}
        known = {"ablation": report.ablation, "answer_ablation": report.answer_ablation}
        ablation = {name: evaluation.ablation_json(effects) for name, effects in known.items() if effects}
        fitted = eval_calibration.calibration_json(*own) if own else {}
        print_json({**evaluation.as_json(report), **compared, **ablation, **fitted})
    else:
        evaluation.print_report(report, sys.stdout)
        if report.ablation:
            evaluation.print_ablation(report.ablation, sys.stdout, report.settings.get("depth"))
        if report.answer_ablation:
            title = "gain of each stage in the answers"
            evaluation.print_ablation(report.answer_ablation, sys.stdout, None, title=title)
        if comparison:
            evaluation.print_comparison(comparison, sys.stdout)
        if own:
            eval_calibration.print_calibration(*own)
    sys.stdout.flush()  # where both go to one place, warnings stand below what they are about
    for warning in (*report.warnings, *(comparison.warnings if comparison else ())):
        print_message(f"warning: {warning}")
