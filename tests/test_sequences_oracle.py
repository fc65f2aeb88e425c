"""The same random corpus as sequences and as column files: the same items, the same scores."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval

WORDS = ["Peter", "sleeps", "ß", "東京", "a b", "-", "O", "B-PER", "#", "NA", "1998", '"q"', "_"]
TAGS = {"span": ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], "tag": ["N", "V", "ADJ", "O", ".", "_"]}


@st.composite
def corpora(draw):
    """Draw a task and its sentences: tokens, gold and two systems, in documents."""
    task = draw(st.sampled_from(sorted(TAGS)))
    tag = st.sampled_from(TAGS[task])
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any))
    rows = []
    for n, size in enumerate(sizes):
        each = {"min_size": size, "max_size": size}
        tags = {name: draw(st.lists(tag, **each)) for name in ("gold", "a", "b")}
        tokens = draw(st.lists(st.sampled_from(WORDS), **each))
        begins = draw(st.booleans())
        rows.append({"id": f"s{n}", "begins": begins, "tokens": tokens, **tags})
    return task, rows


def column_file(path, rows, name):
    text = ""
    for row in rows:
        text += "-DOCSTART- O\n\n" if row["begins"] and row["tokens"] else ""
        lines = zip(row["tokens"], row[name], strict=True)
        text += "".join(f"{token}\t{tag}\n" for token, tag in lines) + "\n"
    path.write_text(text.replace("-DOCSTART- O", "-DOCSTART-\tO"))
    return str(path)


def table(draw, rows, columns, task, kinds=("text", "enum", "integer")):
    """Return some columns as a table, tags as text, as categories or as integers with names."""
    names = draw(st.permutations(TAGS[task]))
    frame = pl.DataFrame([{n: row[n] for n in columns} for row in rows], strict=False,
                         schema_overrides={n: pl.String if n in ("id", "doc") else
                                           pl.List(pl.String) for n in columns})  # fmt: skip
    for name in (n for n in columns if n in ("gold", "a", "b")):
        kind = draw(st.sampled_from(kinds))
        if kind != "text":
            frame = frame.with_columns(pl.col(name).cast(pl.List(pl.Enum(names))))
        if kind == "integer":
            frame = frame.with_columns(pl.col(name).list.eval(pl.element().to_physical()))
    return frame.to_arrow(), list(names)


def documents(rows):
    """Return the rows with the name of the document that each is in."""
    number, known = 0, []
    filled = False
    for row in rows:
        number += row["begins"] and bool(row["tokens"]) and filled
        filled = filled or bool(row["tokens"])
        known.append({**row, "doc": f"d{number}"})
    return known


def items(corpus):
    """Return the items of a corpus without the columns that a column file has not."""
    frame = corpus.items.drop("id", "document", strict=False)
    return frame.with_columns(cs.by_dtype(pl.Enum).cast(pl.String)).select(sorted(frame.columns))


def assert_same(found, expected):
    assert items(found).equals(items(expected))
    for name in ("overall", "labels"):
        ours, theirs = (corpus.score().table(name) for corpus in (found, expected))
        assert ours.equals(theirs)


@given(draw=st.data())
def test_sequences_are_column_files_in_another_form(tmp_path_factory, draw):
    task, rows = draw.draw(corpora())
    root = tmp_path_factory.mktemp("sequences")
    files = {name: column_file(root / f"{name}.conll", rows, name) for name in ("gold", "a", "b")}
    expected = coleval.load(files["gold"], {n: files[n] for n in ("a", "b")}, task=task)

    whole, names = table(
        draw.draw, documents(rows), ["id", "doc", "tokens", "gold", "a", "b"], task
    )
    assert_same(coleval.load(whole, task=task, names=names), expected)
    path = root / "all.parquet"
    pq.write_table(whole, path, row_group_size=draw.draw(st.integers(1, 4)))
    found = coleval.load(path, task=task, names=names)
    assert_same(found, expected)
    if "document" in expected.units["token"].context.columns:
        ours, theirs = (c.units["token"].context["document"] for c in (found, expected))
        assert ours.cast(pl.String).rle_id().equals(theirs.cast(pl.String).rle_id())

    order = draw.draw(st.permutations(rows))
    gold, names = table(draw.draw, rows, ["id", "tokens", "gold"], task)
    bare, _ = table(draw.draw, order, ["id", "a"], task, ("text", "enum"))
    found = coleval.load(gold, {"a": bare, "b": files["b"]}, task=task, names=names)
    assert_same(found, expected)


@pytest.mark.parametrize("task", sorted(TAGS))
def test_many_row_groups_and_many_labels_are_read(tmp_path, task):
    tags = [f"B-L{k}" if task == "span" else f"L{k}" for k in range(700)]
    frame = pl.DataFrame({"tokens": [[f"w{k}"] for k in range(700)], "gold": [[t] for t in tags],
                          "pred": [[t] for t in reversed(tags)]})  # fmt: skip
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=50)
    for suffix, columns in (("gold", "gold"), ("pred", "pred")):
        lines = zip(frame["tokens"], frame[columns], strict=True)
        text = "\n".join(f"{a[0]}\t{b[0]}\n" for a, b in lines)
        (tmp_path / f"{suffix}.conll").write_text(text)
    expected = coleval.load(tmp_path / "gold.conll", {"a": tmp_path / "pred.conll"}, task=task)
    assert_same(coleval.load(tmp_path / "a.parquet", task=task), expected)
    coded = frame.with_columns(
        pl.col(n).cast(pl.List(pl.Enum(tags))).list.eval(pl.element().to_physical())
        for n in ("gold", "pred")
    )
    coded.write_parquet(tmp_path / "a.parquet")
    assert_same(coleval.load(tmp_path / "a.parquet", task=task, names=tags), expected)
