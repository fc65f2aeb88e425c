"""Damaged and odd files end in a message, never in a traceback."""

from __future__ import annotations

import bz2
import contextlib
import datetime as dt
import gzip
import json
import lzma
import zipfile

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalError, DataError
from logs_written import (
    every_eval,
    helm_stats,
    inspect_json,
    inspect_zip,
    lines,
    lm_eval,
    sample,
)

FILES = {
    "a.conll": b"Peter\tB-PER\nsees\tO\n\nMary\tB-PER\n",
    "a.txt": b"1 A\n2 B\n",
    "a.csv": b'id,gold,pred\n1,A,A\n2,B,"x\ny"\n',
    "a.jsonl": b'{"id":1,"gold":"A","pred":"B"}\n',
    "b.jsonl": b'{"id":"d","tokens":["a","b"],"clusters":[[[0,0],[1,1]]]}\n',
    "e.jsonl": b'{"id":0,"entities":[["a","X"]]}\n{"id":1,"entities":[{"text":"b","label":"Y"}]}\n',
    "a.tsv": b"PER\t1\t2\t1, 2\n\nNONE\t999\t999\t999\n",
    "b.tsv": b"TOKEN\tNE-COARSE-LIT\tMISC\nx\tB-PER\t_\ny\tO\tEndOfSentence\n",
    "c.txt": b"#begin document (d); part 000\na\t(1)\nb\t(2|(1)\nc\t2)\n#end document\n",
    "o.jsonl": b'{"id":1,"text":"ab \xc3\xa9","spans":[{"start":0,"end":2,"label":"X"}]}\n'
    b'{"id":2,"text":"c","label":[[0,1,"Y"]]}\n',
    "ls.json": b'[{"data":{"text":"ab"},"annotations":[{"result":[{"value":{"start":0,"end":2,'
    b'"labels":["X"]}}]}]}]',
    "g.jsonl": b'{"tokenized_text":["a","b"],"ner":[[0,1,"X"]]}\n',
    "t.ann": b"T1\tX 0 2;3 4\tab c\nR1\tY Arg1:T1 Arg2:T1\n",
    "m.csv": b"item,a,b\nx,0,1\ny,1,1\n",
    "s.jsonl": b'{"id":"1","tokens":["a","b"],"gold":["B-X","O"],"pred":["O","B-X"]}\n'
    b'{"id":"2","tokens":[],"gold":[],"pred":[]}\n',
    "e.conllu": b"# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    b"1\ta\t_\tX\t_\t_\t0\t_\t_\tEntity=(e1[1/2]-x-2-(e2-x-1-)\n"
    b"1.1\t_\t_\t_\t_\t_\t_\t_\t1:a|2:b\tEntity=(e2-x-1-)\n"
    b"2\tb\t_\tX\t_\t_\t1\t_\t_\tEntity=(e1[2/2]-x-2-)(e3-x-1-\n"
    b"3\tc\t_\tX\t_\t_\t1\t_\t_\tEntity=e3)\n",
    "p.conllup": b"# global.columns = UPOS ID FORM HEAD DEPREL\nX\t1\ta\t0\troot\n",
    "p.cupt": b"# global.columns = ID FORM PARSEME:MWE\n1\ta\t1:A;2:B\n2\tb\t2\n3\tc\t1\n",
    "l.csv": b"system,id,gold,answer,score,status,epoch\na,1,A,A,1,ok,1\nb,1,A,,0,refused,1\n",
    "samples_a.jsonl": lines([lm_eval(0, "A", "A", 1.0), lm_eval(1, "B", "", 0.0)]).encode(),
    "a.eval": inspect_zip([sample(1, "A", "C", "A"), sample(2, "B", "I", "A")], method=0),
    "d.eval": inspect_zip([sample(1, "A", "C", "A"), sample(2, "B", "I", "A")]),
    "z.eval": inspect_zip([sample(1, "A", "C", "A"), sample(2, "B", "I", "A")], method=93),
    "i.json": inspect_json([sample(1, "A", "C", "A"), sample(2, "B", "I", "A")]).encode(),
    "per_instance_stats.json": json.dumps([helm_stats("id1", exact_match=1)]).encode(),
    "e_samples.jsonl": lines([every_eval("q1", ["4"], "4", right=True)]).encode(),
}
PIECES = [
    b"", b"\n", b"\r", b"\t", b" ", b"\x00", b"\xff", b"\xc2\xa0", b"\xef\xbb\xbf", b'"', b"|",
    b",", b"(", b")", b"{", b"[", b"]", b"[]", b"null", b"/", b"-", b":", b";", b"=", b"1", b".1",
    b"7", b"nan", b"-DOCSTART-", b"99999999999999999999", b"B-",
]  # fmt: skip
ZIP = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
       ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True)}  # fmt: skip
TASKS = [None, "tag", "span", "coref", "label", "matrix", "dep"]


def run(command, path, task):
    """Return the exit code of a command over a file as gold and as system."""
    tasks = [] if task is None else ["--task", task]
    output = ["-o", f"{path}.store"] if command == "load" else []
    return main([command, str(path), f"s={path}", *tasks, *output, "--quiet"])


@given(draw=st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, draw):
    name = draw.draw(st.sampled_from(sorted(FILES)))
    data = FILES[name]
    for _ in range(draw.draw(st.integers(1, 3))):
        low = draw.draw(st.integers(0, len(data)))
        high = low + draw.draw(st.sampled_from([0, 1, 4]))
        data = data[:low] + draw.draw(st.sampled_from(PIECES)) + data[high:]
    path = tmp_path_factory.mktemp("odd") / name
    path.write_bytes(data)
    if name == "t.ann":
        path.with_suffix(".txt").write_bytes(b"ab c\n")
    command = draw.draw(st.sampled_from(["score", "validate", "load"]))
    assert run(command, path, draw.draw(st.sampled_from(TASKS))) in (0, 1, 2)


@pytest.mark.parametrize("suffix", ZIP)
def test_a_compressed_file_cut_off_anywhere_is_refused(tmp_path, suffix):
    whole = ZIP[suffix](FILES["a.conll"])
    path = tmp_path / f"a.conll{suffix}"
    for size in range(len(whole) - 1):
        path.write_bytes(whole[:size])
        assert run("score", path, None) in (1, 2)


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b" \t \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\xff\xfea\x00", b"\x00"],
)
@pytest.mark.parametrize("task", TASKS)
def test_a_file_of_nothing_is_refused(tmp_path, data, task):
    (tmp_path / "a.conll").write_bytes(data)
    assert run("score", tmp_path / "a.conll", task) in (1, 2)


@pytest.mark.parametrize(("text", "task"), [
    ('{"id":1,"gold":NaN,"pred":"A"}', None), ('{"gold":' + "[" * 100_000, None),
    ("[" * 100_000, "coref"), ('{"gold":{"a":1},"pred":"A"}\n{"gold":[[2]],"pred":"A"}', None),
    ('{"tokens":1,"clusters":[]}', "coref"), ('{"sentences":[1],"clusters":[]}', "coref"),
    ('{"clusters":[1]}', "coref"), ('{"clusters":{"a":"bc"}}', "coref"), ("7", "coref"),
    ('{"clusters":[[[0,99999999999999999999]]]}', "coref"),
])  # fmt: skip
def test_odd_json_is_refused(tmp_path, capsys, text, task):
    (tmp_path / "a.jsonl").write_text(text + "\n")
    assert run("score", tmp_path / "a.jsonl", task) in (1, 2)
    assert capsys.readouterr().err.startswith("error: ")


VALUES = {
    "duration": [dt.timedelta(1), None], "time": [dt.time(1), None],
    "date": [dt.date(2020, 1, 1), None], "binary": [b"\xff", b"x"],
    "struct": [{"a": 1}, {"a": 2}], "list": [["a"], []], "lists": [[["a"]], []],
    "null": [None, None], "float": [1.0, float("nan")], "bool": [True, None],
    "array": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), "int": [1, 2],
}  # fmt: skip


def crossed(kinds, columns, ways):
    """Return a third of kinds × columns, each read in one of some ways; at night all in all."""
    night, n = pytest.mark.nightly, len(ways)
    return [
        pytest.param(kind, column, *way, marks=night if (k + c - w) % n or (k + 2 * c) % 3 else ())
        for k, kind in enumerate(kinds)
        for c, column in enumerate(columns)
        for w, way in enumerate(ways)
    ]


@pytest.mark.parametrize(
    ("kind", "column", "task"),
    crossed(VALUES, ["id", "gold", "pred", "document", "sentence", "form", "x"],
            [("label",), ("tag",), ("matrix",)]),
)  # fmt: skip
def test_values_of_any_type_are_read_or_refused(tmp_path, kind, column, task):
    plain = {"id": ["1", "2"], "form": ["a", "b"], "gold": ["A", "B"], "pred": ["A", "A"]}
    path = tmp_path / "a.parquet"
    pl.DataFrame({**plain, column: VALUES[kind]}).write_parquet(path)
    with contextlib.suppress(ColevalError):
        corpus = coleval.load(str(path), task=task)
        table = corpus.score().table()
        corpus.save(tmp_path / "store")
        assert coleval.open(tmp_path / "store").score().table().equals(table)


LISTS = {
    "numbers": [[0, 1], [1]], "floats": [[0.5, 1.0], [float("nan")]],
    "bools": [[True, False], [True]],
    "nulls": [[None, None], [None]], "null": [None, ["O"]], "nothing": [None, None],
    "structs": [[{"a": 1}, {"a": 2}], [{"a": 3}]], "lists": [[["O"], []], [["O"]]],
    "binary": [[b"\xff", b"x"], [b"y"]], "dates": [[dt.date(2020, 1, 1)] * 2, [None]],
    "empty": [[], []], "short": [["O"], ["O"]], "scalar": ["O", "B-X"], "text": ["a b", "c"],
    "same": ["1", "1"], "array": pl.Series([["O", "O"], ["O", "O"]], dtype=pl.Array(pl.String, 2)),
    "categories": pl.Series([["O", "B-X"], ["O"]], dtype=pl.List(pl.Categorical)),
    "durations": [[dt.timedelta(1)] * 2, [dt.timedelta(2)]], "blank": [["", " "], ["\t"]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "column", "suffix", "options"),
    crossed(LISTS, ["id", "tokens", "gold", "pred", "document", "x"],
            [("parquet", {"names": "O,B-X"}), ("jsonl", {}),
             ("", {"columns": "y=x", "names": ["O", "B-X"]})]),
)  # fmt: skip
def test_lists_of_any_type_are_read_or_refused(tmp_path, kind, column, suffix, options):
    plain = {"id": ["1", "2"], "tokens": [["a", "b"], ["c"]], "gold": [["O", "B-X"], ["O"]],
             "pred": [["O", "O"], ["O"]], "x": [1, 2]}  # fmt: skip
    frame, path = pl.DataFrame({**plain, column: LISTS[kind]}), tmp_path / f"a.{suffix}"
    if suffix == "jsonl" and kind in ("binary", "durations"):
        suffix, path = "parquet", tmp_path / "a.parquet"  # no values of JSON
    write = {"parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    if suffix:
        write[suffix](path)
    with contextlib.suppress(ColevalError):
        corpus = coleval.load(str(path) if suffix else frame, **options)
        table = corpus.score().table()
        corpus.save(tmp_path / "store")
        assert coleval.open(tmp_path / "store").score().table().equals(table)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "arrows"])
def test_tables_of_lists_that_are_cut_off_are_refused(tmp_path, suffix):
    frame = pl.DataFrame({"tokens": [["a"]] * 9, "gold": [["B-X"]] * 9, "pred": [["O"]] * 9})
    path = tmp_path / "a.bin"
    write = {"parquet": frame.write_parquet, "arrow": frame.write_ipc,
             "arrows": frame.write_ipc_stream}  # fmt: skip
    write[suffix](path)
    whole = path.read_bytes()
    for size in range(0, len(whole) - 9, 7):
        path.write_bytes(whole[:size])
        assert run("score", path, None) in (1, 2)


def test_trees_beside_each_other_are_refused(tmp_path, capsys):
    (tmp_path / "a.tsv").write_text("a\tb\tc\n")
    assert main(["score", str(tmp_path / "a.tsv"), "--task", "dep", "--merged"]) == 2
    assert "without --merged" in capsys.readouterr().err


def test_a_matrix_with_a_stray_line_end_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"i\rtem,a,b\nx,0,1\n")
    assert main(["score", str(tmp_path / "a.csv"), "--task", "matrix"]) == 1


def test_lines_of_ten_megabytes_are_read(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(f"a O\n{'x' * 10_000_000} B-PER\n")
    corpus = coleval.load(str(path), {"s": str(path)})
    assert corpus.score().table()["tp"].to_list() == [1]


@pytest.mark.parametrize("text", ["\ritem,a,b\nx,0,1\ny,1,1\n", "\r\rgold,s\nA,B\n", "\r,\n"])
def test_a_table_that_begins_with_a_carriage_return_has_no_header(tmp_path, text):
    path = tmp_path / "m.csv"
    path.write_bytes(text.encode())
    with pytest.raises(ColevalError, match="has no header"):
        coleval.load(path, {"s": path})


BROKEN = {
    "a.jsonl": ('{"id": "1", "gold": "A"}\n{"id": "2", "gold": \n', 2),
    "a.json": ('[{"id": "1", "gold": "A"},\n {"id": "2", "gold" "B"}]\n', 2),
    "b.json": ('{"id": "1", "gold": "A"\n{"id": "2", "gold": "B"}\n', 1),
    "a.txt": ('{"tags": ["A", "B"]\n{"tags": ["A"]}\n', 1),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("task", [None, "label", "span"])
def test_broken_json_is_never_read_as_columns(tmp_path, name, task):
    text, line = BROKEN[name]
    path = tmp_path / name
    path.write_text(text)
    columns = tmp_path / "gold.conll"
    columns.write_text("a B-X\n\nb O\n")
    for gold in (path, columns) if task != "label" else (path,):
        with pytest.raises(DataError, match="is not JSON") as caught:
            coleval.load(gold, {"s": path}, task=task)
        assert caught.value.where.endswith(f"{name}:{line}")


def test_a_list_of_objects_is_a_table(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(
        '[{"id": "1", "gold": "A", "pred": "A"},\n {"id": "2", "gold": "B", "pred": "A"}]'
    )
    assert coleval.load(path).score().table()["correct"].item() == 1


@pytest.mark.parametrize("task", [None, "span", "tag", "label"])
def test_a_zip_is_called_one(tmp_path, task):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("gold.conll", "a B-X\n")
    with pytest.raises(DataError, match="is a zip") as caught:
        coleval.load(tmp_path / "a.zip", {"s": tmp_path / "a.zip"}, task=task)
    assert caught.value.remedy.startswith("unpack it")


def test_bare_numbers_in_a_chain_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "d", "clusters": [[[0, 1], [3, 3]], [4, 5]]}\n')
    with pytest.raises(DataError, match=r"`4` in a chain is a bare number: `\[0, 1\]` may be one"):
        coleval.load(path, {"s": path}, task="coref")
