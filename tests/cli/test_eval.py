"""`ragstone eval`: options that go together, files that can be written, warnings that are seen."""

import json
from pathlib import Path

import pytest

from ragstone.evaluation import beir as beir_module
from tests.commands import Run

GOLDEN = [
    {"query": "how long are samples kept", "expected_files": ["storage.md"]},
    {"query": "telegram receiver", "expected_files": ["guides/alerts.md"]},
]


def golden(*cases: object) -> Path:
    path = Path("golden.jsonl")
    path.write_text("\n".join(map(json.dumps, cases or GOLDEN)), encoding="utf-8")
    return path


@pytest.fixture
def built(run: Run, docs: Path) -> Path:
    """The documents in `store`, by keyword alone (fast)."""
    assert run("ingest", docs, "--store", "store", "--embedder", "none").status == 0
    return docs


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """Two documents; one question that one of them answers, one that none does."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    texts = {"d1": "Cats purr when they are content.", "d2": "Dogs bark at strangers."}
    questions = [
        {"_id": "q1", "text": "when do cats purr"},
        {"_id": "q2", "text": "who won the world cup", "metadata": {"answerable": False}},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps({"_id": i, "text": t}) for i, t in texts.items()))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "utf-8")
    return folder


@pytest.mark.parametrize("path", ["nowhere/rows.csv", "docs", "docs/notes.txt/rows.csv"])
def test_a_csv_that_cannot_be_written_is_said_before_anything_is_asked(run: Run, docs: Path, path: str) -> None:
    """There is no store: had a question been asked, that would be the error."""
    outcome = run("eval", "--golden", golden(), "--csv", path)
    assert outcome.status == 2
    assert outcome.err.startswith(f"error: --csv {path} cannot be written: ")
    assert outcome.err.count("\n") == 1


def test_a_csv_over_what_is_read_is_refused_and_a_failed_run_leaves_none(run: Run, docs: Path) -> None:
    questions = golden()
    before = questions.read_text("utf-8")
    assert "overwrite" in run("eval", "--golden", questions, "--csv", f"./{questions}").err
    assert questions.read_text("utf-8") == before
    assert run("eval", "--golden", questions, "--csv", "rows.csv").status == 1
    assert not Path("rows.csv").exists()


def test_a_disk_that_is_full_at_the_end_is_said(run: Run, built: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    outcome = run("eval", "--golden", golden(), "--store", "store", "--mode", "keyword", "--csv", full)
    assert (outcome.status, outcome.out) == (2, "")
    assert "--csv /dev/full cannot be written: No space left on device" in outcome.err


def test_documents_of_a_corpus_that_were_skipped_are_named(run: Run, beir: Path) -> None:
    with (beir / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write("\n" + json.dumps({"_id": "blank", "text": ""}))
    outcome = run("eval", "--beir", beir, "--mode", "keyword", "--json")
    warning = "1 documents of the corpus were skipped and can never be found: blank.txt (empty)"
    assert warning in outcome.json["warnings"]
    assert f"warning: {warning}\n" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--beir", "beir", "--granularity", "span"), "a BEIR folder judges whole documents"),
        (("--beir", "beir", "--granularity", "chunk"), "a BEIR folder judges whole documents"),
        (("--beir", "golden.jsonl"), "golden.jsonl is not a folder"),
        (("--beir", "beir", "--mode", "fuzzy"), "unknown mode 'fuzzy'"),
        (
            ("--golden", "golden.jsonl", "--mode", "rag", "--mode", "both"),
            "--mode rag and --mode both exclude each other",
        ),
        (("--golden", "golden.jsonl", "--mode", "retrieval", "--answers"), "--mode retrieval asks for no answers"),
        (("--golden", "golden.jsonl", "--answers", "--judge-model", "ollama/m"), "ask for them with --mode rag"),
        (("--golden", "golden.jsonl", "--mode", "rag", "--judge-model", ""), "--judge-model is empty"),
        (("--beir", "beir", "--mode", "rag", "--judge-model", "olama/m"), "did you mean 'ollama'?"),
        (("--golden", "golden.jsonl", "--split", "dev"), "--split chooses among the judgements of a BEIR folder"),
        (("--golden", "beir"), "beir is a folder: name a file of questions, or read a BEIR folder with --beir"),
        (("--golden", "golden.jsonl", "--granularity", "word"), "expected file, chunk or span"),
        (("--golden", "golden.jsonl", "--granularity", "id"), "expected file, chunk or span"),
        (("--golden", "golden.jsonl", "--fetch-k", "1001"), "1001 is not in the range 1<=x<=1000"),
        (("--golden", "golden.jsonl", "--gate"), "name it with --baseline"),
        (("--golden", "golden.jsonl", "--baseline", "none.json"), "baseline none.json: cannot be read"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Run, beir: Path, arguments: tuple[str, ...], says: str
) -> None:
    golden()
    outcome = run("eval", *arguments)
    assert says in outcome.err
    assert (outcome.status, outcome.out) == (2, "")
    assert "ingesting" not in outcome.err


def test_a_baseline_of_another_granularity_is_said_before_anything_is_asked(run: Run, docs: Path) -> None:
    row = {"id": "q1", "question": "?", "metrics": {"MRR": 1.0}}
    report = {"schema": 1, "settings": {"granularity": "chunk"}, "per_question": [row]}
    Path("base.json").write_text(json.dumps(report), encoding="utf-8")
    outcome = run("eval", "--golden", golden(), "--baseline", "base.json")
    assert outcome.status == 2
    assert "the baseline was scored at granularity chunk, this run at file" in outcome.err


def test_a_golden_document_that_is_not_there_is_in_the_json_and_on_stderr(run: Run, built: Path) -> None:
    questions = golden(*GOLDEN, {"query": "how are backups made", "expected_files": ["pagee.html"]})
    base = ("eval", "--golden", questions, "--store", "store", "--mode", "keyword")
    said = "1 of 3 documents that the questions want are not in the collection and can never be found: pagee.html"
    outcome = run(*base, "--json")
    assert said in outcome.json["warnings"]
    assert f"warning: {said}\n" in outcome.err
    shown = run(*base)
    assert f"warning: {said}\n" in shown.err
    assert "warning" not in shown.out


def test_mrr_and_map_are_named_with_how_deep_they_look(run: Run, built: Path) -> None:
    base = ("eval", "--golden", golden(), "--store", "store", "--mode", "keyword", "--fetch-k", "30")
    shown = run(*base).out
    assert "MRR@30" in shown
    assert "MAP@30" in shown
    report = run(*base, "--json").json
    assert {"MRR", "MAP"} <= report["metrics"].keys()
    assert report["settings"]["depth"] == 30


def test_the_same_run_twice_is_the_same_but_for_its_timings(run: Run, built: Path) -> None:
    base = ("eval", "--golden", golden(), "--store", "store", "--mode", "keyword", "--answers", "--json")
    first, second = [{**run(*base).json, "timings": None} for _ in range(2)]
    assert first == second
    assert first["settings"]["seed"]
    assert first["abstention"] is not None


def test_a_beir_folder_is_scored_on_answers_too_and_its_corpus_is_read_once(
    run: Run, beir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    lines = beir_module.read_objects

    def counted(file: Path) -> object:
        read.append(file.name)
        return lines(file)

    monkeypatch.setattr(beir_module, "read_objects", counted)
    report = run("eval", "--beir", beir, "--mode", "keyword", "--granularity", "file", "--answers", "--json").json
    assert read.count("corpus.jsonl") == 1
    assert report["abstention"]["unanswerable"] == 1
    assert report["abstention"]["abstained"] >= 1
    assert report["settings"]["granularity"] == "id"
    assert report["settings"]["answers"] is True
    assert report["metrics"]["Success@5"] == 1


def test_a_beir_corpus_is_not_mixed_into_a_collection_of_documents(run: Run, built: Path, beir: Path) -> None:
    outcome = run("eval", "--beir", beir, "--store", "store")
    assert outcome.status == 2
    assert "holds 4 documents that are not of this corpus" in outcome.err
    assert run("collections", "info", "--store", "store", "--json").json["documents"] == 4


def test_answers_to_a_beir_folder_are_scored_too(run: Run, beir: Path) -> None:
    report = run("eval", "--beir", beir, "--answers", "--mode", "keyword", "--json").json
    assert report["counts"]["unanswerable"] == 1
    figures = "refusal_precision refusal_recall refusal_auroc answered_share citation_valid".split()
    assert {name: report["metrics"][name] for name in figures} == dict.fromkeys(figures, 1.0)
    assert [row["abstained"] for row in report["per_question"]] == [False, True]


def test_questions_that_are_marked_need_no_judgements(run: Run, beir: Path) -> None:
    questions = [
        {"_id": "q1", "text": "when do cats purr", "metadata": {"answerable": True, "answers": ["content"]}},
        {"_id": "q2", "text": "who won the world cup", "metadata": {"answerable": False}},
        {"_id": "q3", "text": "who barks"},
    ]
    (beir / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    (beir / "qrels" / "test.tsv").unlink()
    outcome = run("eval", "--beir", beir, "--answers", "--mode", "keyword", "--json")
    figures = "refusal_precision refusal_recall refusal_auroc answered_share answered_sentence_hit".split()
    assert {name: outcome.json["metrics"][name] for name in figures} == dict.fromkeys(figures, 1.0)
    assert "warning: qrels/test.tsv does not exist: nothing is scored" in outcome.err
    assert "warning: 1 question of queries.jsonl left out" in outcome.err
    refused = run("eval", "--beir", beir, "--mode", "keyword")
    assert (refused.status, "test.tsv: not found" in refused.err) == (2, True)
    few = run("eval", "--beir", beir, "--calibrate", "--mode", "keyword")
    assert (few.status, "ingesting" in few.err) == (2, False)
    assert "1 answerable and 1 unanswerable questions are too few" in few.err


def test_a_gate_that_closes_names_the_settings_that_differ(run: Run, built: Path) -> None:
    cases = [{"query": "how long are samples kept", "id": str(n), "expected_files": ["storage.md"]} for n in range(4)]
    base = ("eval", "--golden", golden(*cases), "--store", "store", "--mode", "keyword")
    report = run(*base, "--json").json
    report["settings"]["fusion"] = "rrf"
    for row in report["per_question"]:
        row["metrics"] = dict.fromkeys(row["metrics"], 1.5)
    Path("base.json").write_text(json.dumps(report), encoding="utf-8")
    outcome = run(*base, "--baseline", "base.json", "--gate", "--json")
    assert outcome.status == 3
    assert outcome.json["comparison"]["settings"] == ["fusion rrf then and minmax now"]
    assert "other settings than the baseline's: fusion rrf then and minmax now\n" in outcome.err


DEVICES = "adze anvil awl drill axe forge gauge hammer ingot jig kiln lathe mill oven pump router saw vice cart hoist"


@pytest.fixture
def devices(run: Run, tmp_path: Path) -> Path:
    """A store with a text for each device; as many questions on them as on nothing that is there."""
    for n, device in enumerate(DEVICES.split()):
        file = tmp_path / "devices" / f"{device}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"The {device} weighs {n + 3} kilograms and stands in hall {n}.", "utf-8")
    assert run("ingest", tmp_path / "devices", "--store", "store", "--embedder", "none").status == 0
    known = [{"question": f"How much does the {device} weigh?", "answerable": True} for device in DEVICES.split()]
    strange = [{"question": f"Who painted the {n}th portrait of Rembrandt?", "answerable": False} for n in range(20)]
    return golden(*known, *strange)


def test_a_calibration_is_kept_beside_the_configuration_and_decides_from_then_on(run: Run, devices: Path) -> None:
    base = ("eval", "--golden", devices, "--store", "store", "--mode", "keyword")
    report = run(*base, "--calibrate", "--false-answers", "0.2", "--plot", "curve.svg", "--json").json
    own = report["calibration"]
    assert (own["wanted"], own["signs"], own["model"], own["answerable"]) == (0.2, "words", None, 20)
    assert own["low"] <= own["promised"] <= own["high"]
    assert report["curve"][-1]["coverage"] == 1
    assert Path("curve.svg").read_text("utf-8").startswith("<svg")
    kept = Path("ragstone.calibration.json")
    data = json.loads(kept.read_text("utf-8"))
    ask = ("ask", "How much does the anvil weigh?", "--store", "store", "--mode", "keyword", "--json")
    assert run(*ask).json["abstained"] is False
    kept.write_text(json.dumps(data | {"answer_from": 1000.0}), "utf-8")
    assert run(*ask).json["abstained"] is True
    again = run(*base, "--calibrate")
    assert again.status == 0
    assert "false answers" in again.out
    by = run(*base, "--answers", "--json").json["settings"]["decision"]
    assert (by["file"], len(by["calibration"])) == (str(kept), 12)
    assert f"decided by the calibration {kept}" in run(*base, "--answers").out
    assert run(*ask).json["abstained"] is False


def test_what_was_measured_is_shown_though_no_threshold_will_do(run: Run, devices: Path) -> None:
    base = ("eval", "--golden", devices, "--store", "store", "--mode", "keyword", "--calibrate")
    outcome = run(*base, "--false-answers", "0.001", "--csv", "rows.csv", "--json")
    assert (outcome.status, Path("ragstone.calibration.json").exists()) == (2, False)
    assert outcome.json["metrics"]["refusal_auroc"] > 0.5
    assert "calibration" not in outcome.json
    assert "no threshold keeps the false-answer rate at 0.001" in outcome.err


def test_a_calibration_that_does_not_fit_is_a_sentence(run: Run, devices: Path) -> None:
    base = ("eval", "--golden", devices, "--store", "store", "--mode", "keyword")
    assert "goes with --calibrate" in run(*base, "--plot", "curve.svg").err
    few = golden({"question": "What is here?"})
    outcome = run("eval", "--golden", few, "--store", "store", "--mode", "keyword", "--calibrate")
    assert (outcome.status, Path("ragstone.calibration.json").exists()) == (2, False)
    assert "1 answerable and 0 unanswerable questions are too few" in outcome.err
    before = run("eval", "--golden", few, "--store", "nowhere", "--calibrate").err
    assert "are too few" in before  # there is no store: had a question been asked, that would be the error
    Path("ragstone.calibration.json").write_text("{}", "utf-8")
    asked = run("ask", "anything", "--store", "store", "--mode", "keyword")
    assert asked.status == 2
    assert "is not a calibration of schema 1; fit it anew" in asked.err
    assert run("search", "anvil", "--store", "store", "--mode", "keyword").status == 0


def test_figures_and_calibrations_are_never_those_of_words_where_vectors_were_to_be_measured(
    run: Run, devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ("eval", "--golden", devices, "--store", "store")
    monkeypatch.setenv("RAGSTONE_EMBED__RETRIES", "0")
    monkeypatch.setenv("RAGSTONE_EMBED__BASE_URL", "http://127.0.0.1:9")
    for name, status, why in (("anthropic/x", 2, "cannot embed"), ("ollama/all-minilm", 1, "cannot be reached")):
        for more in ((), ("--answers",), ("--calibrate",)):
            monkeypatch.setenv("RAGSTONE_EMBED__MODEL", name)
            done = run(*base, *more)
            assert (done.status, done.out, why in done.err) == (status, "", True)
    assert not Path("ragstone.calibration.json").exists()


def test_without_a_judge_its_measures_are_missing_and_one_warning_says_so(run: Run, built: Path) -> None:
    base = ("eval", "--golden", golden(), "--store", "store", "--mode", "keyword")
    outcome = run(*base, "--mode", "rag", "--json")
    assert outcome.status == 0
    assert outcome.json["judge"] is None
    assert {"Groundedness", "answered_share"} <= outcome.json["metrics"].keys()
    assert not {"MRR", "Faithfulness"} & outcome.json["metrics"].keys()
    assert outcome.err.count("no judge is configured") == 1
    assert "MRR" in run(*base, "--mode", "both", "--json").json["metrics"]
    assert "no judge" not in run(*base, "--answers", "--json").err


def test_a_profile_is_measured_and_a_mistyped_one_is_refused(run: Run, built: Path) -> None:
    base = ("eval", "--golden", golden(), "--store", "store", "--json")
    report = run(*base, "--profile", "templates_lookup").json
    assert report["settings"]["profile"] == "templates_lookup"
    assert (report["settings"]["mode"], report["settings"]["bm25_weight"]) == ("keyword", 0.9)
    refused = run(*base, "--profile", "template_lookup")
    assert refused.status == 2
    assert "unknown profile 'template_lookup'; did you mean templates_lookup?" in refused.err
