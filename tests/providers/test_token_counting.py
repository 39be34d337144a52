"""Tokens of language models: counted by their own tokenizer where its file is named, else estimated."""

from pathlib import Path

import pytest

from ragstone.core.errors import ConfigError
from ragstone.providers import EstimatingTokenizer, FileTokenizer, WordPiece

SHIPPED = Path(__file__).parents[2] / "src/ragstone/providers/minilm"  # a real one, of BERT's models
TEXT = "Samples are kept for 15 days."


@pytest.mark.parametrize("path", [SHIPPED, SHIPPED / "tokenizer.json"])
def test_a_file_counts_as_its_model_does(path: Path) -> None:
    assert FileTokenizer(str(path)).count([TEXT, "", "\ud800"]) == [WordPiece().count([TEXT])[0], 0, 1]


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    for path, said in ((tmp_path, r"it is not a tokenizer\.json"), (tmp_path / "none", "No such file")):
        with pytest.raises(ConfigError, match=rf"llm\.tokenizer .* cannot be read: {said}"):
            FileTokenizer(str(path)).load()


def test_an_estimate_is_a_tenth_more_than_berts_count() -> None:
    text = " ".join([TEXT] * 20)
    assert EstimatingTokenizer().count([text, ""]) == [154, 0]
    assert WordPiece().count([text]) == [140]


def test_what_bert_takes_for_one_unknown_word_counts_by_its_bytes() -> None:
    thai = "ตัวอย่างจะถูกเก็บไว้เป็นเวลาสิบห้าวันตามค่าเริ่มต้น" * 3
    assert EstimatingTokenizer().count([thai, "x" * 200]) == [254, 112]
    assert EstimatingTokenizer().count(["每个句子都经过检查" * 20])[0] == 199
