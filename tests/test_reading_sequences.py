"""Sequences: lists of tokens and of tags, in tables of every make, are the same corpus."""

from __future__ import annotations

import gzip
import json
from typing import ClassVar

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.options import Reading
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.formats import FORMATS
from coleval.loading.readers.source import Source
from coleval.loading.sequences import by_columns
from coleval.loading.sources import Inputs

NAMES = ["O", "B-PER", "I-PER"]
ROWS = {
    "id": ["x", "y", "z"],
    "tokens": [["Peter", "sleeps"], [], ["Mary", "Ann", "."]],
    "ner_tags": [["B-PER", "O"], [], ["B-PER", "I-PER", "O"]],
    "bert": [["B-PER", "O"], [], ["B-PER", "O", "O"]],
    "crf": [["O", "O"], [], ["B-PER", "I-PER", "O"]],
    "topic": ["a", "b", "c"],
    "year": [1, 2, 3],
}
TAGS = ("ner_tags", "bert", "crf")
FRAME = pl.DataFrame(ROWS)
# By hand: bert has Peter, cuts Mary Ann; crf misses Peter and has Mary Ann.
EXPECTED = {"bert": (1, 1, 1), "crf": (1, 0, 1)}


def codes(rows=ROWS):
    return {
        n: [[NAMES.index(t) for t in s] for s in v] if n in TAGS else v for n, v in rows.items()
    }


def coded(features):
    """Return the rows with integers, whose names the schema has as ``datasets`` writes them."""
    info = {"info": {"features": dict.fromkeys(TAGS, features)}}
    return pa.table(codes()).replace_schema_metadata({"huggingface": json.dumps(info)})


def counts(corpus):
    rows = corpus.score().table().iter_rows(named=True)
    return {row["system"]: (row["tp"], row["fp"], row["fn"]) for row in rows}


LABEL = {"names": NAMES, "_type": "ClassLabel"}
FEATURES = {
    "List": {"feature": LABEL, "_type": "List"},
    "LargeList": {"feature": LABEL, "_type": "LargeList"},
    "Sequence": {"feature": {"num_classes": 3, **LABEL, "id": None}, "length": -1, "id": None,
                 "_type": "Sequence"},
    "[ClassLabel]": [LABEL],
}  # fmt: skip


@pytest.mark.parametrize("feature", FEATURES)
def test_names_of_integers_are_those_of_the_schema(tmp_path, feature):
    table = coded(FEATURES[feature])
    assert counts(coleval.load(table)) == EXPECTED
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as out:
        out.write_table(table)
    for name in ("a.parquet", "a.arrow"):
        assert counts(coleval.load(tmp_path / name)) == EXPECTED


def stored(tmp_path, make):
    frame = FRAME
    path = tmp_path / f"a.{make}"
    if make == "jsonl.gz":
        path.write_bytes(gzip.compress(frame.write_ndjson().encode()))
    else:
        getattr(
            frame, {"jsonl": "write_ndjson", "feather": "write_ipc"}.get(make, f"write_{make}")
        )(path)
    return path


MAKERS = {
    "polars": lambda: FRAME,
    "lazy": FRAME.lazy,
    "arrow": FRAME.to_arrow,
    "pandas": lambda: pytest.importorskip("pandas") and FRAME.to_pandas(),
    "reader": lambda: FRAME.to_arrow().to_reader(),
    "chunks": lambda: pa.concat_tables([FRAME.to_arrow().slice(k, 1) for k in range(3)]),
    "views": lambda: FRAME.to_arrow(compat_level=pl.CompatLevel.newest()),
    "categories": lambda: FRAME.cast({n: pl.List(pl.Categorical) for n in TAGS}),
    "enum": lambda: FRAME.cast({n: pl.List(pl.Enum(NAMES)) for n in TAGS}),
}


@pytest.mark.parametrize("make", MAKERS)
def test_frames_of_every_make_are_read(make):
    assert counts(coleval.load(MAKERS[make]())) == EXPECTED


@pytest.mark.parametrize("make", ["parquet", "feather", "jsonl", "jsonl.gz"])
def test_files_of_every_make_are_read(tmp_path, make):
    path = stored(tmp_path, make)
    assert counts(coleval.load(path)) == EXPECTED
    assert counts(coleval.load(path, memory="4GB")) == EXPECTED
    assert main(["load", str(path), "-o", str(tmp_path / "store"), "--quiet"]) == 0
    assert counts(coleval.open(tmp_path / "store")) == EXPECTED


class Dataset:
    """What a dataset of Hugging Face looks like: rows that may have been selected since."""

    features: ClassVar = {
        "ner_tags": FEATURES["List"],
        "bert": [LABEL],
        "crf": FEATURES["Sequence"],
    }
    column_names = tuple(ROWS)

    def __init__(self):
        self.data = pa.table({"id": ["all of them"]})

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        assert rows == slice(None)
        return pa.table(codes())


def test_a_dataset_is_read_by_its_interface():
    assert counts(coleval.load(Dataset())) == EXPECTED
    assert counts(coleval.load(Dataset(), {"s": FRAME.select("id", "crf")})) == {"s": (1, 0, 1)}
    with pytest.raises(UsageError, match="a Dataset is not a path, and has no name"):
        coleval.load(Dataset(), Dataset())


class ClassLabel:
    names = tuple(NAMES)


@pytest.mark.parametrize("names", [
    NAMES, ",".join(NAMES), ClassLabel(), FEATURES["Sequence"],
    {"id2label": dict(enumerate(NAMES))},
])  # fmt: skip
def test_names_are_given_as_people_have_them(names):
    assert counts(coleval.load(pl.DataFrame(codes()), names=names)) == EXPECTED


@pytest.mark.parametrize("text", [
    "\n".join(NAMES), "\n".join(NAMES) + "\n", json.dumps(NAMES),
    json.dumps({"id2label": {str(k): name for k, name in enumerate(NAMES)}, "model": "bert"}),
])  # fmt: skip
def test_names_are_read_from_a_file(tmp_path, capsys, text):
    pl.DataFrame(codes()).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "names").write_text(text)
    arguments = ["score", str(tmp_path / "a.parquet"), "--names", str(tmp_path / "names")]
    assert main([*arguments, "--as", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["overall"]
    assert {row["system"]: (row["tp"], row["fp"], row["fn"]) for row in rows} == EXPECTED


@pytest.mark.parametrize("names", ["O,,B", "O,O", '{"id2label": {"1": "O"}}'])
def test_names_that_are_none_are_refused(tmp_path, names):
    if names.startswith("{"):
        (tmp_path / "names").write_text(names)
        names = str(tmp_path / "names")
    with pytest.raises(UsageError):
        coleval.load(pl.DataFrame(codes()), names=names)


def test_names_that_contradict_those_of_the_file_are_refused():
    with pytest.raises(UsageError, match="have names of their own"):
        coleval.load(coded(FEATURES["List"]), names=NAMES[::-1])
    assert counts(coleval.load(coded(FEATURES["List"]), names=NAMES)) == EXPECTED


def test_names_are_in_the_signature():
    frame = pl.DataFrame(codes())
    first, second = (coleval.load(frame, names=n).score().signature for n in (NAMES, ["O", *"ab"]))
    assert "|names:3/" in first
    assert first != second


def test_a_column_of_integers_does_not_borrow_names():
    rows = pl.DataFrame(codes()).to_arrow()
    info = {"info": {"features": {"ner_tags": FEATURES["List"]}}}
    table = rows.replace_schema_metadata({"huggingface": json.dumps(info)})
    with pytest.raises(UsageError, match="column `bert` holds integers") as caught:
        coleval.load(table)
    assert 'if they are those of `ner_tags`: names="O,B-PER,I-PER"' in str(caught.value)


def test_columns_that_are_one_value_a_row_are_context():
    items = coleval.load(FRAME).units["token"].context
    assert items.select("sentence", "position", "id", "topic", "year").rows() == [
        (0, 0, "x", "a", 1), (0, 1, "x", "a", 1), (1, 0, "z", "c", 3), (1, 1, "z", "c", 3),
        (1, 2, "z", "c", 3),
    ]  # fmt: skip
    assert coleval.load(FRAME).score(where="year > 2")["overall"]["tp"].sum() == 1


def test_other_lists_are_context_if_they_are_named():
    frame = FRAME.with_columns(pos_tags=pl.Series([["N", "V"], [], ["N", "N", "."]]))
    with pytest.raises(UsageError, match="not clear which list is gold: ner_tags, pos_tags"):
        coleval.load(frame)
    corpus = coleval.load(frame, columns="gold=ner_tags,pos=pos_tags")
    assert counts(corpus) == EXPECTED
    assert corpus.units["token"].context["pos"].to_list() == ["N", "V", "N", "N", "."]
    short = frame.with_columns(pos_tags=pl.Series([["N"], [], ["N", "N", "."]]))
    with pytest.raises(DataError, match=r"row 1: `pos_tags` has 1 values .*id `x`"):
        coleval.load(short, columns="gold=ner_tags,pos=pos_tags")


@pytest.mark.parametrize("names", [
    ("words", "gold", "pred_a", "pred_b"), ("form", "labels", "system_a", "system_b"),
    ("Tokens", "Tags", "s1", "s2"), ("token", "upos_tags", "x", "y"),
])  # fmt: skip
def test_columns_are_known_by_their_names_in_any_order(names):
    frame = FRAME.select("tokens", "ner_tags", "bert", "crf").rename(
        dict(zip(("tokens", "ner_tags", "bert", "crf"), names, strict=True))
    )
    for one in (frame, frame.select(reversed(frame.columns))):
        assert counts(coleval.load(one)) == dict(zip(names[2:], EXPECTED.values(), strict=True))


def test_columns_are_chosen_by_name_number_and_pattern():
    frame = FRAME.rename({"tokens": "text", "ner_tags": "a1", "bert": "m_bert", "crf": "m_crf"})
    for columns in ("form=text,gold=a1,system=m_*", "form=2,gold=3,system=4,system=5"):
        found = counts(coleval.load(frame, format="sequences", columns=columns))
        assert found == {"m_bert": (1, 1, 1), "m_crf": (1, 0, 1)}
    assert counts(coleval.load(FRAME, columns="gold=crf,system=bert")) == {"bert": (0, 2, 1)}
    with pytest.raises(UsageError, match="chosen both as gold and as system"):
        coleval.load(FRAME, columns="gold=crf,system=crf")


def test_documents_are_those_of_their_column_or_begin_at_a_mark(tmp_path):
    named = FRAME.with_columns(doc_id=pl.Series(["one", "one", "two"]))
    items = coleval.load(named).units["token"].context
    assert items["document"].to_list() == ["one"] * 2 + ["two"] * 3
    mark = pl.DataFrame({n: [["-DOCSTART-"] if n == "tokens" else ["O"]] for n in
                         ("tokens", *TAGS)})  # fmt: skip
    plain = FRAME.select("tokens", *TAGS)
    marked = pl.concat([mark, plain.head(1), mark, mark, plain.tail(2)])
    items = coleval.load(marked).units["token"].context
    assert items["document"].to_list() == ["1"] * 2 + ["2"] * 3
    torn = pl.concat([named, named.head(1).with_columns(id=pl.lit("w"))])
    with pytest.raises(DataError, match=r"row 4: the document `one` continues"):
        coleval.load(torn)


def test_systems_in_other_files_are_paired_by_id_or_position(tmp_path):
    gold = FRAME.select("id", "tokens", "ner_tags")
    shuffled = FRAME.select("id", "tokens", "crf").reverse()
    bare = FRAME.select("id", "bert").reverse()
    assert counts(coleval.load(gold, {"crf": shuffled, "bert": bare})) == EXPECTED
    by_row = {"bert": FRAME.select("bert"), "crf": FRAME.select("crf", "tokens")}
    assert counts(coleval.load(gold, by_row)) == EXPECTED
    FRAME.select("id", "bert", "crf").reverse().write_parquet(tmp_path / "runs.parquet")
    assert counts(coleval.load(gold, [tmp_path / "runs.parquet"])) == EXPECTED


def test_column_files_and_sequences_are_each_others_systems(tmp_path):
    text = "Peter {}\nsleeps {}\n\nMary {}\nAnn {}\n. {}\n"
    for name in TAGS:
        tags = FRAME[name].explode().drop_nulls()
        (tmp_path / f"{name}.conll").write_text(text.format(*tags))
    sequences = {n: FRAME.select("tokens", n) for n in TAGS}
    columns = {n: tmp_path / f"{n}.conll" for n in TAGS}
    for gold, other in ((sequences, columns), (columns, sequences)):
        systems = {n: other[n] for n in TAGS if n != "ner_tags"}
        assert counts(coleval.load(gold["ner_tags"], systems)) == EXPECTED
        assert counts(coleval.load(gold["ner_tags"], systems, memory="4GB")) == EXPECTED


def test_a_template_of_sequences_is_a_shared_task(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.parquet").write_bytes(stored(tmp_path, "parquet").read_bytes())
        FRAME.select("id", "crf").write_ndjson(tmp_path / f"sys_{name}.jsonl")
    (tmp_path / "a.parquet").unlink()
    corpus = coleval.load(
        f"{tmp_path}/{{dataset}}.parquet", f"{tmp_path}/{{system}}_{{dataset}}.jsonl"
    )
    assert counts(corpus) == {"sys": (2, 0, 2)}
    assert corpus.items["dataset"].unique().sort().to_list() == ["one", "two"]


WRONG = {
    "tags": ({"bert": [["O"], [], ["O"] * 3]}, "`bert` has 1 values where `tokens` has 2", 1),
    "null tag": ({"crf": [["O", "O"], [], ["O", None, "O"]]}, r"`crf\[1\]` is null", 3),
    "empty tag": ({"crf": [["O", "O"], [], ["O", "O", ""]]}, r"`crf\[2\]` is empty", 3),
    "null list": ({"bert": [["O", "O"], None, ["O"] * 3]}, "`bert` is null", 2),
    "null token": ({"tokens": [["a", "b"], [], ["c", "d", None]]}, r"`tokens\[2\]` is null", 3),
    "code": ({"crf": [[0, 1], [], [0, 9, 0]]}, r"`crf\[1\]` is 9, but there are 3 names", 3),
    "padding": ({"crf": [[0, 1], [], [0, -100, 0]]}, r"`crf\[1\]` is -100", 3),
    "floats": ({"crf": [[0.5, 1.0], [], [0.0] * 3]}, "numbers that are not whole", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("make", ["frame", "parquet", "jsonl"])
def test_what_is_wrong_names_the_row_its_id_and_the_place(tmp_path, capsys, case, make):
    columns, message, row = WRONG[case]
    frame = pl.DataFrame({**ROWS, **columns})
    where = f" row {row}: " if make != "jsonl" else f":{row}: "
    named = f".*id `{ROWS['id'][row - 1]}`"
    if make == "frame":
        with pytest.raises(ColevalError, match=f"{where}.*{message}{named}"):
            coleval.load(frame, names=NAMES)
        return
    path = tmp_path / f"a.{make}"
    frame.write_parquet(path) if make == "parquet" else frame.write_ndjson(path)
    with pytest.raises(ColevalError, match=f"{where}.*{message}{named}"):
        coleval.load(path, names=NAMES)
    assert main(["validate", str(path), "--names", ",".join(NAMES), "--as", "csv"]) == 1
    assert f"{path}" in capsys.readouterr().out


def test_lists_of_lists_are_refused():
    nested = FRAME.with_columns(pred=pl.Series([[["O"], ["O"]], [], [["O"]] * 3]))
    with pytest.raises(DataError, match="column `pred` holds lists of lists"):
        coleval.load(nested)


@pytest.mark.parametrize(("system", "message"), [
    ({"id": ["x", "z"], "s": [["O", "O"], ["O"] * 3]}, None),
    ({"id": ["x"], "s": [["O", "O"]]}, "lacks 1 of gold's 2 ids: `z`"),
    ({"id": ["x", "q"], "s": [["O", "O"], ["O"]]}, "1 id is not in gold: `q`; of gold's 2"),
    ({"id": ["x", "x"], "s": [["O", "O"], ["O"]]}, "an id appears more than once: `x`"),
    ({"s": [["O", "O"]]}, "it has 1 sentences, gold 2"),
    ({"s": [["O", "O"], [], ["O"]]}, r"1 tag for the 3 tokens of gold's sentence \(id `z`\)"),
    ({"id": ["z", "x"], "s": [["O"], ["O", "O"]]}, "1 tag for the 3 tokens"),
])  # fmt: skip
def test_sentences_that_do_not_meet_are_refused(system, message):
    gold = FRAME.select("id", "tokens", "ner_tags")
    if message is None:
        assert counts(coleval.load(gold, {"s": pl.DataFrame(system)})) == {"s": (0, 0, 2)}
        return
    with pytest.raises(DataError, match=message):
        coleval.load(gold, {"s": pl.DataFrame(system)})


@pytest.mark.parametrize("name", ["wnut17", "conll_sharp"])
def test_real_corpora_as_sequences_of_integers_have_the_same_counts(data, tmp_path, name):
    gold, systems = {
        "wnut17": ("gold/emerging.test.annotated", "submissions/*"),
        "conll_sharp": ("gold/conll_sharp.txt", "outputs/[lx]*_sharp.txt"),
    }[name]
    root = data(name)
    original = coleval.load(root / gold, sorted(map(str, root.glob(systems))), fold=True)
    path = tmp_path / "all.parquet"
    _as_integers(original, path)
    found = coleval.load(path, fold=True)
    assert (
        found.score(unit="token")
        .table("labels")
        .equals(original.score(unit="token").table("labels"))
    )
    for table in ("overall", "labels"):
        assert found.score().table(table).equals(original.score().table(table))
    assert found.bins().table("tps").equals(original.bins().table("tps"))


def _as_integers(corpus, path):
    """Write the tokens of a corpus as lists of integers with names in the schema."""
    tokens = corpus.at("token")
    frame = pl.DataFrame(
        {"sentence": tokens.context["sentence"], "tokens": tokens.form()}
        | dict({"gold": tokens.gold, **tokens.answers}.items())
    )
    rows = frame.group_by("sentence", maintain_order=True).agg(pl.all()).drop("sentence")
    label = {"feature": {"names": ["O", *tokens.labels], "_type": "ClassLabel"}, "_type": "List"}
    info = {"info": {"features": dict.fromkeys(("gold", *tokens.answers), label)}}
    table = rows.to_arrow().replace_schema_metadata({"huggingface": json.dumps(info)})
    pq.write_table(table, path)


def test_of_large_files_that_are_text_only_the_head_is_read_beforehand(tmp_path):
    path = tmp_path / "s.conll"
    path.write_text("a\tB-X\nb\tO\n" * 150_000)
    source = Source(str(path), "s")
    columns = by_columns(Inputs(Source(str(path), "gold"), {"s": source}), FORMATS["columns"],
                         Reading())  # fmt: skip
    assert columns.systems["s"] is source
    assert "raw" not in source.__dict__


def test_a_system_that_is_not_there_is_its_own_problem(tmp_path, capsys):
    path = stored(tmp_path, "parquet")
    missing, broken = tmp_path / "nope.parquet", tmp_path / "broken.parquet"
    broken.write_bytes(path.read_bytes()[:300])
    arguments = ["validate", str(path), str(missing), str(broken), f"fine={path}", "--columns",
                 "gold=ner_tags,system=crf"]  # fmt: skip
    assert main([*arguments, "--as", "json"]) == 1
    tables = json.loads(capsys.readouterr().out)["tables"]
    verdicts = {row["system"]: row["verdict"] for row in tables["systems"]}
    assert verdicts == {
        "gold": "valid", "nope": "invalid", "broken": "invalid", "fine": "valid",
    }  # fmt: skip


def test_columns_that_are_chosen_of_gold_need_not_be_in_the_files_of_systems():
    gold = FRAME.select("id", "ner_tags", words="tokens", pos="tokens", source="topic")
    columns = "form=words,gold=ner_tags,document=source,pos=pos"
    systems = {"bert": FRAME.select("id", "bert"), "crf": FRAME.select("crf", "tokens")}
    corpus = coleval.load(gold, systems, columns=columns)
    assert counts(corpus) == EXPECTED
    assert {"pos", "document"} <= set(corpus.units["token"].context.columns)


def test_a_column_without_lists_cannot_be_chosen(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"id": ["1"], "tokens": [["a"]], "gold": [["O"]], "pred": [["O"]]})
    frame.write_parquet(path)
    with pytest.raises(DataError, match="column `id` holds no lists"):
        coleval.load(str(path), columns="gold=id,system=pred")
