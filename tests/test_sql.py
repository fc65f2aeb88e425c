"""Anything can be asked in SQL, and a query reaches nothing but the corpus."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.cli.prompt import completions, dotted
from coleval.errors import UsageError
from coleval.query.results import takes_all
from coleval.query.shipped import names, query
from conftest import sampled

GOLD = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-LOC\ne\tO\n"
ONE = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-PER\ne\tO\n"
TWO = "a\tB-PER\nb\tO\nc\tO\n\nd\tO\ne\tB-LOC\n"


@pytest.fixture
def corpus(write):
    paths = {name: str(write(f"{name}.conll", text)) for name, text in (("one", ONE), ("two", TWO))}
    return coleval.load(str(write("gold.conll", GOLD)), paths, task="span")


@pytest.fixture
def store(corpus, tmp_path):
    return str(corpus.save(tmp_path / "store"))


def of_names(write, *systems):
    paths = {name: str(write(f"s{k}.conll", ONE)) for k, name in enumerate(systems)}
    return coleval.load(str(write("gold.conll", GOLD)), paths, task="span")


def test_a_query_over_items_counts_them(corpus):
    got = corpus.sql("select difficulty, count(*) n from item group by all order by 1 nulls last")
    assert got.rows() == [(0, 1), (1, 1), (None, 2)]


def test_the_wide_table_is_what_corpus_items_is(corpus):
    assert corpus.sql("select * from item order by item").columns == corpus.items.columns


def test_every_column_that_items_can_have_can_be_asked_for_by_name(corpus):
    wide = corpus.default_database.wide()
    for name in wide.names:
        quoted = name.replace('"', '""')
        got = corpus.sql(f'select "{quoted}" from item order by item')
        assert got.columns == [name]
        assert len(got) == len(wide)
    assert {"outcome_one", "error_gold_two", "eLen", "capitalisation"} <= set(wide.names)


def test_the_long_views_have_a_row_for_every_item_and_system(corpus):
    got = corpus.sql("select * from outcome order by system, item").rows()
    items = corpus.items.to_dicts()
    slow = []
    for system in ("one", "two"):
        for row in items:
            gold, answer = row["gold"], row[system]
            what = (
                ("absent" if answer is None else "spurious")
                if gold is None
                else (
                    "missed" if answer is None else "correct" if gold == answer else "mislabelled"
                )
            )
            slow.append((row["item"], system, gold, answer, what))
    assert got == slow


def test_outcomes_of_the_wide_table_are_those_of_the_long_one(corpus):
    wide = corpus.sql("select item, outcome_one as outcome from item order by item")
    long = corpus.sql("select item, outcome from outcome where system = 'one' order by item")
    assert wide.rows() == long.rows()


def test_tokens_sentences_and_systems_are_there_too(corpus):
    assert corpus.sql("select count(*) from token").item() == 5
    assert corpus.sql("select text, tokens, items from sentence order by sentence").rows() == [
        ("a b c", 3, 2),
        ("d e", 2, 2),
    ]
    assert corpus.sql("select system, answers, correct from system order by number").rows() == [
        ("one", 2, 1),
        ("two", 2, 0),
    ]


# What needs datasets or documents.
LACKING = (
    "dataset-leaders",
    "dataset-means",
    "label-drift",
    "unsteady-documents",
    "worst-documents",
)


@pytest.mark.parametrize("name", names())
def test_every_shipped_query_runs_unchanged(corpus, name):
    found = query(name)
    if name.partition("/")[2] in LACKING:
        with pytest.raises(UsageError, match=r"did you mean|Cannot extract|see `coleval"):
            corpus.sql(found.text)
        return
    columns = tuple(corpus.sql(found.text).columns)
    assert columns == (*found.returns, *(corpus.systems if name == "views/pattern" else ()))


def test_a_store_and_its_files_give_the_same_answers(corpus, store):
    text = "select system, outcome, count(*) n from outcome group by all order by all"
    assert coleval.open(store).sql(text).equals(corpus.sql(text))


@pytest.mark.parametrize("text", [
    "copy (select 1) to '{there}'",
    "copy item to '{there}' (format parquet)",
    "attach '{there}' as other",
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * from glob('/*')",
    "install httpfs",
    "load httpfs",
    "export database '{there}'",
    "set enable_external_access = true",
    "set lock_configuration = false",
    "set memory_limit = '100GB'",
    "pragma enable_external_access = true",
    "select 1; copy (select 1) to '{there}'",
])  # fmt: skip
def test_a_query_reaches_nothing_outside(corpus, tmp_path, text):
    there = tmp_path / "written"
    with pytest.raises(UsageError):
        corpus.sql(text.format(there=there))
    assert not there.exists()


def test_a_query_sees_no_python_variable(corpus):
    secret = pl.DataFrame({"a": [1]})  # noqa: F841
    with pytest.raises(UsageError, match="secret"):
        corpus.sql("select * from secret")


def test_unsafe_lifts_it(store, tmp_path):
    there = tmp_path / "out.csv"
    assert main(["sql", store, f"copy (select 1 as a) to '{there}'", "--unsafe", "--quiet"]) == 0
    assert there.read_text() == "a\n1\n"


def test_a_misspelt_column_is_shown_where_it_stands_with_near_misses(corpus):
    with pytest.raises(UsageError) as error:
        corpus.sql("select gold,\n  dificulty from item")
    lines = str(error.value).splitlines()
    at = next(k for k, line in enumerate(lines) if line.strip().startswith("LINE 2:"))
    assert lines[at].index("dificulty") == lines[at + 1].index("^")
    assert "`difficulty`" in lines[-1]


def test_a_misspelt_table_has_near_misses(corpus):
    with pytest.raises(UsageError, match="did you mean `item`"):
        corpus.sql("select * from itm")


HOSTILE = (
    'q"uote', "two words", "🦊", "select", "BERT", "bert", "Bert", "tab\there", "line\nbreak",
    "'; drop table item; --", "Form", "Difficulty", "ä", "Ä",
)  # fmt: skip


def test_systems_of_any_name_can_be_asked_for(write):
    corpus = of_names(write, *HOSTILE)
    got = corpus.sql("select system, column_name from system order by number").rows()
    assert [system for system, _ in got] == list(HOSTILE)
    assert len({column.lower() for _, column in got}) >= len(HOSTILE) - 1  # ä and Ä are two in SQL
    for _, column in got:
        quoted = '"' + column.replace('"', '""') + '"'
        assert len(corpus.sql(f"select {quoted} from item")) == 2
        outcome = '"' + f"outcome_{column}".replace('"', '""') + '"'
        assert set(corpus.sql(f"select {outcome} from item").to_series()) == {
            "correct",
            "mislabelled",
        }
    found = corpus.sql("select system, count(*) from outcome group by all")
    assert sorted(found["system"]) == sorted(HOSTILE)


def test_two_hundred_systems_are_no_trouble(write):
    corpus = of_names(write, *(f"system {k}" for k in range(200)))
    assert corpus.sql("select count(*), count(distinct system) from answer").row(0) == (400, 200)


@pytest.mark.parametrize("form", ["table", "json", "csv", "tsv", "markdown", "latex"])
def test_labels_with_newlines_and_tabs_break_no_line(write, capsys, form):
    rows = [{"id": "1", "gold": "a\nb", "s": "a\tb"}, {"id": "2", "gold": "c", "s": "a\nb"}]
    path = write("all.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    columns = "id=id,gold=gold,system=s"
    code = main(
        [
            "sql",
            str(path),
            "select item, gold from item order by item",
            "--as",
            form,
            "--columns",
            columns,
            "--task",
            "label",
            "--quiet",
        ]
    )
    out = capsys.readouterr().out
    assert code == 0
    assert ("a\nb" not in out) or form == "csv"
    assert "a\tb" not in out


@pytest.mark.parametrize(("text", "whole"), [
    ("select * from item", True), ("select count(*) from item", False),
    ("select i.* from item i", True), ("from item", True), ("select gold from item", False),
    ("select '*' from item", False), ("select columns('a.*') from item", True),
    ("select max(2 * difficulty) from item", False), ("describe item", True),
    ("select gold -- *\nfrom item", False),
])  # fmt: skip
def test_only_a_query_that_may_want_all_columns_gets_them(text, whole):
    assert takes_all(text) == whole


def test_a_query_comes_from_a_file_from_standard_input_or_by_its_name(
    store, write, capsys, monkeypatch
):
    import io

    path = write("q.sql", "select count(*) as n from item")
    assert main(["sql", store, str(path), "--as", "csv"]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("select count(*) as n from item"))
    assert main(["sql", store, "-", "--as", "csv"]) == 0
    assert capsys.readouterr().out == "n\n4\n" * 2
    assert main(["sql", store, "analyses/confusion", "--as", "csv"]) == 0
    assert capsys.readouterr().out.startswith("system,gold,answer,n\n")


def test_list_tells_the_shipped_queries_and_the_tables(capsys):
    assert main(["sql", "--list", "--as", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    shipped = {n.removeprefix("questions/") for n in names() if "views/" not in n}
    assert {row["name"] for row in tables["queries"]} == shipped
    assert {
        "item",
        "answer",
        "outcome",
        "token",
        "span",
        "sentence",
        "document",
        "system",
        "word",
    } <= {row["name"] for row in tables["tables"]}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_large_result_goes_to_a_file_piece_by_piece(store, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    text = "select range as n, 'x' as x from range(350000)"
    assert main(["sql", store, text, "-o", str(out), "--quiet"]) == 0
    got = pl.read_csv(out) if suffix == "csv" else pl.read_parquet(out)
    assert got["n"].to_list() == list(range(350_000))


def test_nothing_is_left_of_a_result_that_fails_half_way(store, tmp_path):
    out = tmp_path / "out.csv"
    text = "select case when range > 300000 then error('late') else '' end as n from range(350000)"
    assert main(["sql", store, text, "-o", str(out), "--quiet"]) == 2
    assert list(tmp_path.glob("*out*")) == []


def test_memory_is_limited(store, capsys):
    text = "select list(range) from range(50000000)"
    assert main(["sql", store, text, "--memory", "50MB", "--quiet"]) == 2
    assert "Out of Memory" in capsys.readouterr().err


def test_the_prompt_completes_tables_columns_and_words(corpus):
    base = corpus.database()
    assert "difficulty" in completions(base, "diff")
    assert "outcome" in completions(base, "outc")
    assert "select" in completions(base, "sel")
    assert ".tables" in completions(base, ".t")


def test_the_prompt_answers_what_begins_with_a_full_stop(corpus, capsys):
    base = corpus.database()
    dotted(base, ".tables")
    dotted(base, ".schema answer")
    dotted(base, ".help")
    out = capsys.readouterr().out
    assert "answer (item, system, gold, answer)" in out
    assert "sentence" in out
    with pytest.raises(UsageError, match=r"\.schema"):
        dotted(base, ".shema")


def test_a_connection_and_a_lazy_frame_are_to_be_had(corpus):
    con = corpus.duckdb()
    assert con.sql("select count(*) from outcome").fetchall() == [(8,)]
    lazy = corpus.lazy("gold", "outcome_one")
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().columns == ["gold", "outcome_one"]
    with pytest.raises(UsageError, match="outcome_one"):
        corpus.lazy("outcome_on")


def test_results_with_two_columns_of_one_name_keep_both(corpus):
    assert corpus.sql("select 1 as a, 2 as a").columns == ["a", "a_2"]


def test_columns_that_differ_in_case_keep_their_names(corpus):
    assert corpus.sql("select 1 as a, 2 as A").columns == ["a", "A"]


def test_control_c_ends_a_query_and_says_so(store):
    import signal
    import time

    text = "select sum(a.range * b.range) from range(1000000) a, range(10000000) b"
    command = [sys.executable, "-m", "coleval", "sql", store, text, "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted" in err


def test_macros_make_queries_short(corpus):
    got = corpus.sql("select share(outcome_one = 'correct'), sum(errs(one, gold)) from item")
    assert got.row(0) == (0.25, 1)


def test_where_of_every_command_knows_all_columns(corpus):
    assert corpus.score(where="eLen = 2 and outcome_one = 'correct'").table()["tp"].to_list() == [
        1,
        0,
    ]
    assert len(corpus.show(where="error_gold_two <> 'tp'").table("items")) == 2


def test_buckets_are_columns_and_those_of_the_command(data):
    folder = data("hipe2022")
    gold = folder / "gold" / "HIPE-2022-v2.1-hipe2020-test-en.tsv"
    corpus = coleval.load(str(gold), str(folder / "responses" / "team2*hipe2020_en*"))
    table = corpus.buckets(attributes=["eLen", "sLen"]).table("buckets")
    for name in ("eLen", "sLen"):
        found = corpus.sql(
            f"select bucket_{name} b, count(*) n from item where gold is not null group by all"
        )
        own = table.filter(pl.col("attribute") == name).select("bucket", "gold").unique()
        mine = {b: n for b, n in own.rows() if n}
        assert dict(found.rows()) == mine


def piped(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_words_of_the_prompt_work_from_a_pipe(store, monkeypatch, capsys):
    piped(monkeypatch, ".tables\nselect 41 + 1\n  as answer;\nquit\nselect 'too late';\n")
    assert main(["sql", store, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("item ")
    assert "\ntally " in out
    assert "42" in out
    assert "too late" not in out


def typing(monkeypatch, *lines):
    """Return a person who types some lines; an exception is what a key raises."""
    left = list(lines)

    def typed(_):
        line = left.pop(0) if left else EOFError()
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda _: True})())


def test_the_prompt_signs_once_and_knows_words_without_a_full_stop(store, monkeypatch, capsys):
    typing(monkeypatch, "help", "select 1 a;", "select 2 a;", "exit", "select 3 a;")
    assert main(["sql", store, "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.err.count("coleval:") == 1
    assert "coleval:" not in said.out
    assert said.out.count("result") == 2
    assert ".schema [TABLE]" in said.out


def test_control_c_and_control_d_at_the_prompt_end_the_line(store, monkeypatch, capsys):
    typing(monkeypatch, "select 1", KeyboardInterrupt(), "select 2 a;")
    assert main(["sql", store, "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.err.splitlines()[2:] == ["", ""]
    assert said.out.split() == ["result", "a", "─", "2"]


def test_a_file_with_a_header_has_parameters(store, tmp_path, capsys):
    file = tmp_path / "mine.sql"
    file.write_text(
        "-- Mine.\n--\n-- params:  most = 0\nselect count(*) n from item where item <= $most"
    )
    assert main(["sql", store, str(file), "--param", "most=2", "--as", "csv", "--quiet"]) == 0
    assert capsys.readouterr().out == "n\n3\n"
    assert main(["sql", store, "select 1", "--param", "most=2"]) == 2
    assert "has no parameters" in capsys.readouterr().err


# ------------------------------------------------------------------- what is counted beside SQL


def random_corpus(write, seed, task):
    rng = np.random.default_rng(seed)
    labels = ["O", "B-PER", "B-LOC", "I-LOC"] if task == "span" else ["N", "V", "A"]
    texts = {}
    for name in ("gold", "one", "two", "three"):
        drawn = rng.choice(labels, 60)
        lines = [f"w{at}\t{tag}" + ("\n" if at % 7 == 6 else "") for at, tag in enumerate(drawn)]
        texts[name] = str(write(f"{name}{seed}.conll", "\n".join(lines) + "\n"))
    gold = texts.pop("gold")
    return coleval.load(gold, texts, task=task)


@pytest.mark.parametrize("task", ["span", "tag"])
@pytest.mark.parametrize("seed", range(3))
def test_views_that_are_counted_have_the_rows_that_sql_has(write, task, seed):
    database = random_corpus(write, seed, task).database()
    for view, order in (("cell", "system, gold, answer"), ("versus", "before, after")):
        text = f"select * from {view} order by {order}"
        assert view in database.counted
        counted = database.frame(text)
        defined = replace(database, counted={}, _there={}).frame(text)
        assert counted.select(defined.columns).rows() == defined.rows(), view
        assert len(counted)


@pytest.mark.parametrize("name", sampled([n for n in names() if n.startswith("questions/")], 4))
def test_a_question_needs_no_column_but_those_it_says_it_reads(store, name):
    found = query(name)
    if "dataset" in found.text or " document" in found.text:
        pytest.skip("this corpus has no datasets and no documents")
    corpus = coleval.open(store)
    (own,) = corpus.database().answer(found, found.given({}, corpus.systems))
    whole = corpus.database().frame(found.text, found.given({}, corpus.systems))
    assert own.equals(whole)
    assert own.schema == whole.schema


def test_a_connection_is_opened_once_whoever_asks_at_the_same_time(write, monkeypatch):
    corpus = coleval.load(write("g.conll", "a\tB-X\n"), {"s": write("s.conll", "a\tO\n")})
    database, opened = corpus.database(), []
    connect = duckdb.connect

    def slowly(*arguments, **options):
        opened.append(1)
        time.sleep(0.05)
        return connect(*arguments, **options)

    monkeypatch.setattr(duckdb, "connect", slowly)
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(lambda: database.connection) for _ in range(4)]
    assert len({id(one.result()) for one in found}) == 1
    assert opened == [1]
