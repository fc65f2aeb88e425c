"""What a type checker says of a script that uses coleval: right calls pass, wrong ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RIGHT = """
import coleval
import polars as pl

corpus = coleval.load("g", {"s": "s"}, task="dep", labels="A,B", columns={"form": 1})
opened: coleval.Corpus = coleval.open("store", memory="2GB")
score: pl.DataFrame = corpus.score(unit="token", labels=["A"], intervals=True, seed=1)["overall"]
corpus.confusion(metric="uas", punct=False)
corpus.bins(words=["a"], profile_bins=True, pair=("a", "b"))
corpus.errors(focus="system", pairs=[("a", "b"), ("a", "c")], taxonomy="fair")
corpus.changes(("a", "b"), baseline="a", kind="correction")
corpus.changes(pair=["a", "b"])
corpus.oracle(systems="a*")
corpus.compare(metric="f1", test="bootstrap", correct="bh", replicates=100, alpha=0.1)
corpus.agree(chance="pooled", undefined=0)
corpus.measure(correlate=("a", "b"), at=[1, 5], beta=2)
corpus.buckets(train="t", attributes=["sLen"], by="f1", cross=("a", "b"), pair=("a", "b"))
corpus.pivot(rows="difficulty", cols="gold", find=["a", "b"])
corpus.show(limit=3, order="difficulty", where="x > 1")
frame: pl.DataFrame = corpus.sql("select 1", unsafe=True)
report = corpus.report(baseline="a", seed=3)
heights: list[int] = [report[name].height for name in report]
text: str = report.to_latex("score.overall", caption="x", tint=True) + report.to_markdown()
report.save("x.html", form="html")
"""
WRONG = (
    "corpus.compare(replicate=5)",
    'corpus.compare(test="boot")',
    'corpus.bins(pair="ab")',
    'coleval.load("g", shceme="io")',
    'corpus.score(taxonomy="fair")',
    'corpus.show(limit="3")',
    "corpus.report()[0]",
)


def test_right_calls_pass_and_each_wrong_one_is_named(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    lines = ["import coleval", 'corpus = coleval.load("g")', *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("right.py", "wrong.py")]
    out, err, code = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"),
         *files]
    )  # fmt: skip
    assert (err, code) == ("", 1)
    errors = {line.split(":")[1] for line in out.splitlines() if "wrong.py" in line and
              ": error:" in line}  # fmt: skip
    assert errors == {str(n) for n in range(3, 3 + len(WRONG))}
    assert "right.py" not in out
