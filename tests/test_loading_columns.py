"""From Python: which column of a frame is what, as a mapping."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, UsageError

FRAME = pl.DataFrame(
    {
        "case": ["1", "2", "3"],
        "genre": ["news", "news", "talk"],
        "length": [3, 4, 5],
        "gold": ["A", "B", "A"],
        "bert": ["A", "B", "B"],
        "llama": ["A", "A", "A"],
    }
)
COLUMNS = {"id": "case", "context": ["genre", "length"]}


def correct(corpus):
    return dict(corpus.score().table().select("system", "correct").iter_rows())


@pytest.mark.parametrize("make", [pl.DataFrame, pl.DataFrame.to_arrow, pl.DataFrame.lazy])
def test_beside_gold_id_and_context_all_columns_are_systems(make):
    corpus = coleval.load(make(FRAME), columns=COLUMNS)
    assert correct(corpus) == {"bert": 2, "llama": 2}
    assert {"id", "genre", "length"} <= set(corpus.items.columns)


@pytest.mark.parametrize("columns", [None, "topic=topic"])
def test_in_files_and_frames_alike_columns_with_labels_of_gold_are_systems(tmp_path, columns):
    """The index is what pandas adds to a frame that was sampled or sorted."""
    frame = pl.DataFrame(
        {
            "__index_level_0__": [3, 1, 0, 2],
            "uid": ["a", "b", "c", "d"],
            "topic": ["x", "y", "x", "y"],
            "lang": ["en", "de", "en", "de"],
            "gold": [1, 0, 1, 0],
            "gpt": [1.0, None, 1.0, 1.0],
            "llama": [1, 1, 0, 1],
            "confidence": [0.5, 1.0, 0.25, 0.75],
        }
    )
    path = tmp_path / "a.parquet"
    frame.write_parquet(path)
    csv = frame.drop("__index_level_0__").with_columns(pl.col("gpt").cast(pl.Int64))
    csv.write_csv(tmp_path / "a.csv")
    for source in (frame, path, tmp_path / "a.csv"):
        corpus = coleval.load(source, columns=columns, missing="wrong")
        assert correct(corpus) == {"gpt": 2, "llama": 1}
        assert "read as systems: gpt, llama; not uid, " in corpus.warnings[0]
        assert "__index_level_0__" not in corpus.items.columns
    (tmp_path / "b.csv").write_text("id,gold,gpt,llama\n1,A,A,B\n2,B,B,B\n")
    plain = coleval.load(tmp_path / "b.csv")
    assert (correct(plain), plain.warnings) == ({"gpt": 2, "llama": 1}, ())


def test_a_system_that_is_mostly_wrong_is_one_where_others_are_wrong_alike():
    frame = pl.DataFrame({"gold": ["1"] * 9, "strong": ["1"] * 8 + ["0"], "weak": ["0"] * 9})
    assert coleval.load(frame).systems == ("strong", "weak")


def test_columns_without_labels_of_gold_are_no_systems():
    frame = pl.DataFrame({"gold": ["A", "B", "A", "B"], "lang": ["en", "de", "en", "A"]})
    with pytest.raises(UsageError, match="not clear which column is gold and which system"):
        coleval.load(frame)


def test_a_file_takes_a_mapping_too(tmp_path):
    path = str(tmp_path / "a.csv")
    FRAME.write_csv(path)
    columns = {"id": "case", "gold": "gold", "system": ["bert", "llama"], "context": "genre"}
    assert correct(coleval.load(path, columns=columns)) == {"bert": 2, "llama": 2}


def test_a_mapping_says_what_text_says():
    text = Selection.parse("id=case,gold=2,system=a,system=-1,topic=t,genre=genre")
    same = {"id": "case", "gold": 2, "system": ["a", -1], "topic": "t", "context": ["genre"]}
    assert Selection.of(same) == text
    assert Selection.of({"context": {"topic": "t"}}) == Selection.parse("topic=t")
    assert Selection.of({"system": "a"}) == Selection.parse("system=a")
    assert Selection.of({"id": None}) == Selection()


def test_systems_by_name_go_before_all_that_is_left():
    frame = FRAME.select("gold", "length", pred="bert")
    assert coleval.load(frame).systems == ("pred",)
    assert coleval.load(FRAME.select("gold", "bert")).systems == ("bert",)


def test_tokens_in_a_frame_have_every_other_column_as_a_system():
    frame = pl.DataFrame(
        {"form": ["a", "b"], "gold": ["X", "Y"], "t1": ["X", "X"], "t2": ["Y", "Y"]}
    )
    corpus = coleval.load(frame, task="tag")
    assert correct(corpus) == {"t1": 1, "t2": 1}


def test_training_data_take_a_mapping(tmp_path):
    for name in ("g", "s"):
        (tmp_path / f"{name}.conll").write_text("a B-X\n")
    corpus = coleval.load(str(tmp_path / "g.conll"), {"s": str(tmp_path / "s.conll")})
    (tmp_path / "t.conll").write_text("B-X a\n")
    trained = corpus.trained(str(tmp_path / "t.conll"), {"form": 2, "gold": 1})
    assert trained.training is not None


@pytest.mark.parametrize(
    "columns",
    [7, ["gold"], {"gold": ["a", "b"]}, {"gold": 1.5}, {"id": True}, {3: "a"}, {"context": [None]}],
)
def test_what_says_no_column_is_a_message(columns):
    with pytest.raises(UsageError, match="does not name the columns") as caught:
        coleval.load(FRAME, columns=columns)
    assert "context" in caught.value.remedy


def test_a_column_that_is_not_there_is_a_message():
    with pytest.raises(ColevalError, match="no column is called `kind`"):
        coleval.load(FRAME, columns={"context": ["kind"]})


@pytest.mark.parametrize("systems", [FRAME, [FRAME], 3, FRAME.to_arrow()])
def test_systems_without_a_name_are_a_message(systems):
    with pytest.raises(UsageError, match="has no name"):
        coleval.load(FRAME, systems)


@pytest.mark.parametrize(
    "columns", ["label=2,label=3", "pos=2,pos=3", {"id": "a", "context": {"id": "b"}}]
)
def test_one_part_with_two_columns_is_refused_whichever_comes_first(columns):
    with pytest.raises(UsageError, match="is given two columns: ") as caught:
        Selection.of(columns)
    assert caught.value.remedy.startswith("choose one; ")
    assert Selection.parse("system=2,system=3").all("system") == (2, 3)
    assert Selection.parse("label=2,label=2").get("label") == 2


ROWS = pl.DataFrame(
    {
        "id": ["1", "2", "3", "10"],
        "gold": ["1", "0", "1", "0"],
        "pred": ["1", "1", "1", "0"],
        "length": [2, 10, 1, None],
        "share": [0.5, 1.0, 0.25, 0.125],
        "code": ["007", "010", "100", "101"],
        "phone": ["+1", "2", "3", "4"],
    }
)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
def test_numbers_of_text_files_are_numbers_as_those_of_parquet(tmp_path, name):
    path = tmp_path / name
    write = {
        "csv": ROWS.write_csv,
        "tsv": lambda path: ROWS.write_csv(path, separator="\t"),
        "jsonl": ROWS.write_ndjson,
        "parquet": ROWS.write_parquet,
    }
    write[name.partition(".")[2]](path)
    corpus = coleval.load(path)
    kinds = corpus.units["instance"].context.schema
    assert {name: str(kind) for name, kind in kinds.items()} == {
        "id": "String", "length": "Int64", "share": "Float64", "code": "String", "phone": "String",
    }  # fmt: skip
    assert correct(corpus) == {corpus.systems[0]: 3}
    groups = corpus.score(by="length").table("by")["by"].drop_nulls()
    assert groups.to_list() == ["1", "2", "10"]


def test_a_column_may_be_numbers_in_one_file_and_text_in_another(tmp_path):
    for name, level in {"a": "1", "b": "high", "c": "0.5"}.items():
        (tmp_path / f"{name}.csv").write_text(f"id,gold,pred,level\n1,A,A,{level}\n")
    corpus = coleval.load(str(tmp_path / "{dataset}.csv"), {"s": str(tmp_path / "{dataset}.csv")})
    assert corpus.units["instance"].context["level"].to_list() == ["1", "high", "0.5"]


def test_numbers_beside_tokens_are_numbers(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("a 10 B-X\nb 9 O\n")
    corpus = coleval.load(path, {"s": path}, columns="frequency=2")
    assert corpus.units["token"].context["frequency"].to_list() == [10, 9]


HIPE = "TOKEN\tNE-COARSE-LIT\tcategory\n"
KEPT = {
    "a.csv": ("id,gold,category\n1,A,x\n2,B,y\n", "id,pred\n2,B\n1,A\n"),
    "a.jsonl": ('{"gold": "A", "category": "x"}\n{"gold": "B", "category": "y"}\n',
                '{"pred": "A"}\n{"pred": "B"}\n'),
    "a.conll": ("token category gold\na x B-X\nb y O\n", "token pred\na B-X\nb O\n"),
    "b.conll": ("token category gold\na x B-X\nb y O\n", "a B-X\nb O\n"),
    "a.tsv": (f"{HIPE}a\tB-X\tx\nb\tO\ty\n", "TOKEN\tNE-COARSE-LIT\na\tB-X\nb\tO\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_a_context_column_is_taken_from_gold_and_not_demanded_of_systems(tmp_path, name):
    for folder, text in zip(("gold", "system"), KEPT[name], strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    gold, system = (tmp_path / folder / name for folder in ("gold", "system"))
    corpus = coleval.load(gold, {"s": system}, columns="category=category")
    unit = "token" if "token" in corpus.units else "instance"
    assert corpus.units[unit].context["category"].to_list() == ["x", "y"]
    assert corpus.score().table("overall")["recall" if unit == "token" else "accuracy"].item() == 1
