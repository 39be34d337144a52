"""How far the estimate of tokens is from what language models count, for texts of a context.

    python benchmarks/answers/estimate.py DATA TOKENIZER...

DATA holds `kb/` (documentations in English). TOKENIZER is a model's `tokenizer.json`. Prints, for each tokenizer and
set, the quotient of its count and the estimate: for texts of 1,200 characters, and for contexts of twelve of them. Over
1 is too little. Odd files were looked at when the margin was chosen; the even ones are held out. The last line of a
tokenizer is for texts in other scripts and of other kinds: a sentence or so each, ten times.
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer

from ragstone.providers import EstimatingTokenizer

LENGTH, CONTEXT, MOST = 1_200, 12, 400
OTHERS = {
    "German": "Standardmäßig werden Proben fünfzehn Tage lang aufbewahrt; die Frist lässt sich einstellen. ",
    "Russian": "По умолчанию образцы хранятся пятнадцать дней. Это можно изменить. ",
    "Chinese": "知识库保存文件的所有版本，并在回答中引用它们。每个句子都经过检查。",
    "Japanese": "サンプルはデフォルトで15日間保存されます。設定で変更できます。",
    "Korean": "샘플은 기본적으로 15일 동안 보관됩니다. 설정에서 변경할 수 있습니다. ",
    "Arabic": "يتم الاحتفاظ بالعينات لمدة خمسة عشر يومًا بشكل افتراضي. ",
    "Hindi": "नमूने डिफ़ॉल्ट रूप से पंद्रह दिनों के लिए रखे जाते हैं। ",
    "Thai": "ตัวอย่างจะถูกเก็บไว้เป็นเวลาสิบห้าวันตามค่าเริ่มต้น",
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "code": "    def f(self, x):\n        if x:\n            return self.y[x]\n\n",
    "digits": "31415926535897932384626433 ",
}
TEXTS = (".md", ".txt", ".html", ".csv", ".py", ".json", ".yaml")


def main() -> None:
    """Print a line for each tokenizer and set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("tokenizers", type=Path, nargs="+")
    args = parser.parse_args()
    estimate = EstimatingTokenizer()
    sets = {folder.name: list(pieces(folder)) for folder in sorted((args.data / "kb").iterdir())}
    for path in args.tokenizers:
        print(path)
        tokenizer = Tokenizer.from_file(str(path))
        for name, texts in sets.items():
            for part in (0, 1):
                some = [text for n, text in texts if n % 2 == part]
                counts = [len(one.ids) for one in tokenizer.encode_batch(some, add_special_tokens=False)]
                estimates = estimate.count(some)
                alone = sorted(n / m for n, m in zip(counts, estimates, strict=True) if m)
                together = sorted(
                    sum(counts[i : i + CONTEXT]) / sum(estimates[i : i + CONTEXT])
                    for i in range(0, len(some) - CONTEXT + 1, CONTEXT)
                )
                print(
                    f"  {name:18}{'odd' if part else 'held out':9}{len(some):5} texts: median "
                    f"{_at(alone, 0.5)} p99 {_at(alone, 0.99)} most {alone[-1]:.2f} · {len(together)} contexts: "
                    f"median {_at(together, 0.5)} most {together[-1]:.2f}"
                )
        other = {name: len(tokenizer.encode(text * 10, add_special_tokens=False).ids) for name, text in OTHERS.items()}
        print("  ", {name: round(n / estimate.count([OTHERS[name] * 10])[0], 2) for name, n in other.items()})


def pieces(folder: Path) -> Iterator[tuple[int, str]]:
    """Pieces of a set's files, with the number of the file."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in TEXTS)
    found = []
    for number, path in enumerate(files):
        text = path.read_text("utf-8", "replace")
        found += [(number, text[i : i + LENGTH]) for i in range(0, len(text) - LENGTH, LENGTH)]
    return iter(random.Random(0).sample(found, min(MOST, len(found))))


def _at(values: list[float], share: float) -> str:
    return f"{values[int(share * (len(values) - 1))]:.2f}"


if __name__ == "__main__":
    main()
