"""Named questions, on two real corpora: by coleval, and in a DuckDB that knows nothing of us."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import duckdb
import polars as pl
import pytest

import coleval
from coleval.annotate.attributes import ATTRIBUTES
from coleval.cli.main import main
from coleval.query.dictionary import meanings
from coleval.query.portable import FILE
from coleval.query.shipped import macro_of, names, query

QUESTIONS = [name.partition("/")[2] for name in names() if name.startswith("questions/")]
# One corpus has datasets and documents, the other has not.
OF_DATASETS = {
    "dataset-leaders", "dataset-means", "label-drift", "worst-documents", "unsteady-documents",
}  # fmt: skip
# Where gold labels all items nothing is spurious; systems may know all labels and no others.
MAY_BE_EMPTY = {
    "ambiguous-forms", "never-predicted", "spurious-by-most", "unanimous-errors", "unknown-labels",
}  # fmt: skip


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Return the stores made so far, by their names: each is made once."""
    return {}, tmp_path_factory.mktemp("stores")


@pytest.fixture(params=["newspapers", "tags"])
def store(request, stores, data):
    made, folder = stores
    if request.param not in made:
        made[request.param] = _stored(request.param, data(), folder)
    return request.param, made[request.param]


def _stored(name, root, folder):
    if name == "tags":
        gum = root / "compareval-en_gum"
        systems = sorted((gum / "systems").iterdir())[:5]
        corpus = coleval.load(str(gum / "gold.conllu"), [str(path) for path in systems],
                              task="tag", columns={"form": 2, "gold": 4, "system": 4})  # fmt: skip
        return corpus.save(folder / "tags")
    hipe = root / "hipe2022"
    corpus = coleval.load(
        str(hipe / "gold" / "HIPE-2022-v2.1-{dataset}-test-en.tsv"),
        str(hipe / "responses" / "{system}_{dataset}_en_1.tsv"),
        missing="wrong",
    )
    return corpus.save(folder / "newspapers [a=b]")


def test_there_are_more_than_thirty_questions():
    assert len(QUESTIONS) >= 32


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_an_answer(name, store):
    title, path = store
    if name in OF_DATASETS and title == "tags":
        pytest.skip("this corpus has no datasets and no documents")
    found = query(f"questions/{name}")
    answer = coleval.open(path).sql(name)
    assert tuple(answer.columns) == found.returns
    assert len(answer) or name in MAY_BE_EMPTY


def test_what_a_question_leaves_out_is_there_for_the_next(store):
    _, path = store
    corpus = coleval.open(path)
    database = corpus.default_database
    for name in ("error-runs", "sentence-length", "hard-sentences"):
        found = query(f"questions/{name}")
        list(database.answer(found, found.given({}, corpus.systems)))
    for text in (
        "select gold, count(*) n from answers group by gold order by n, gold",
        "select sum(items) items, sum(gold_items) gold, sum(tokens) tokens from sentence",
        "select sentence, text from sentence order by sentence limit 20",
    ):
        assert database.frame(text).equals(coleval.open(path).sql(text))


_BARE = """
import duckdb, json, sys
con = duckdb.connect(sys.argv[1], read_only=True)
assert "coleval" not in sys.modules
answers = {}
for name in sys.argv[2:]:
    found = con.sql(f"from {name}()")
    answers[name] = [found.columns, [[str(v) for v in row] for row in found.fetchall()]]
print(json.dumps(answers))
"""


def _texts(frame):
    return [[str(value) for value in row] for row in frame.iter_rows()]


def _numbered(rows):
    """Return rows with numbers rounded: another order of sums has another last digit."""
    return [[f"{float(v):.3f}" if _number(v) else v for v in row] for row in rows]


def _number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_all_questions_have_the_same_answers_without_us(store):
    title, path = store
    asked = [n for n in QUESTIONS if title != "tags" or n not in OF_DATASETS]
    macros = [name.replace("-", "_") for name in asked]
    command = [sys.executable, "-c", _BARE, str(path / FILE), *macros]
    # From another directory: where the file is decides what it reads.
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    corpus = coleval.open(path)
    unlike = []
    for name, macro in zip(asked, macros, strict=True):
        ours = corpus.sql(name)
        assert answers[macro][0] == ours.columns, name
        if _numbered(answers[macro][1]) != _numbered(_texts(ours)):
            unlike.append(name)
    assert unlike == []


def test_definitions_have_the_same_answers_without_us(store):
    _, path = store
    macros = ["bins", "bins_tps", "confusion", "score", "changes_summary", "oracle_votes"]
    command = [sys.executable, "-c", _BARE, str(path / FILE), *macros]
    answers = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    corpus = coleval.open(path)
    for macro in macros:
        ours = corpus.sql(macro.replace("_", "-"))
        assert _numbered(answers[macro][1]) == _numbered(_texts(ours)), macro


def test_a_store_that_was_moved_or_grew_is_still_open_to_others(write, tmp_path):
    gold = str(write("gold.conll", "a\tX\nb\tY\n"))
    store = tmp_path / "one"
    assert main(["load", gold, f"A={gold}", "--task", "tag", "-o", str(store), "--quiet"]) == 0
    assert main(["load", gold, f"B={gold}", "--task", "tag", "-o", str(store), "--quiet"]) == 0
    moved = tmp_path / "t*w[o]"
    shutil.move(store, moved)
    code = "import duckdb, sys; print(duckdb.connect(sys.argv[1]).sql(sys.argv[2]).fetchall())"
    ask = [sys.executable, "-c", code, str(moved / FILE)]
    said = subprocess.run([*ask, 'select "A", "B", difficulty from item'], capture_output=True,
                          text=True, check=True).stdout  # fmt: skip
    assert said == "[('X', 'X', 2), ('Y', 'Y', 2)]\n"
    said = subprocess.run([*ask, "from who_alone('A')"], capture_output=True, text=True,
                          check=True).stdout  # fmt: skip
    assert said == "[]\n"


@pytest.mark.skipif(not shutil.which("duckdb"), reason="there is no duckdb command")
def test_the_command_of_duckdb_opens_a_store(write, tmp_path):
    gold = str(write("gold.conll", "a\tX\nb\tY\n"))
    coleval.load(gold, {"A": gold}, task="tag").save(tmp_path / "store")
    said = subprocess.run(["duckdb", "-csv", f"store/{FILE}", "from hardest_labels()"],
                          capture_output=True, text=True, check=True, cwd=tmp_path)  # fmt: skip
    assert said.stdout.splitlines()[0] == "label,items,solved_by,by_none"


def test_a_question_is_a_macro_with_its_defaults():
    made = macro_of(query("questions/who-alone"))
    assert made.startswith("create macro who_alone(_system := null, _limit := 50) as table")
    assert "$" not in made


def test_the_command_line_runs_a_question_with_values(store, capsys):
    _, path = store
    system = coleval.open(path).systems[0]
    line = ["sql", str(path), "who-alone", "--param", f"system={system}", "--param", "limit=2"]
    assert main([*line, "--as", "csv", "--quiet"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "system,label,items"
    assert all(row.startswith(system) for row in rows[1:])
    assert len(rows) <= 3
    assert main(["sql", str(path), "who-alon"]) == 2
    assert "`who-alone`" in capsys.readouterr().err


# ------------------------------------------- one answer: coleval sql, and DuckDB without coleval

GOLDS = {"x": "a\tB-PER\nb\tO\n\nc\tB-LOC\n", "y": "d\tB-LOC\ne\tB-PER\n\nf\tO\n"}
# `one` is right everywhere, `half` says nothing on x and has not run on y, `late` only ran on y.
RUNS = {
    "one_x": GOLDS["x"], "one_y": GOLDS["y"], "half_x": "a\tO\nb\tB-PER\n\nc\tO\n",
    "late_y": "d\tB-PER\ne\tB-PER\n\nf\tO\n",
}  # fmt: skip


@pytest.fixture
def grid(write):
    """Return where gold and the systems of two datasets are, of which two lack a run."""
    for name, text in GOLDS.items():
        write(f"gold_{name}.conll", text)
    for name, text in RUNS.items():
        folder = write(f"runs/{name}.conll", text).parent
    return [str(folder.parent / "gold_{dataset}.conll"), str(folder / "{system}_{dataset}.conll")]


@pytest.fixture(params=["inside", "beside"])
def stored(request, monkeypatch, tmp_path):
    """Return what stores a corpus, whose items the database holds inside or reads beside it."""
    if request.param == "beside":
        monkeypatch.setattr("coleval.store.views._HELD", 0)

    def store(corpus, name="store"):
        return str(corpus.save(tmp_path / name))

    return store


def both(store, text, **params):
    """Return the rows of coleval and of DuckDB alone, which have to be the same."""
    ours = coleval.open(store).sql(text, **params)
    with duckdb.connect(f"{store}/{FILE}", read_only=True) as con:
        theirs = con.sql(text)
        assert theirs.columns == ours.columns
        assert _numbered(_texts(ours)) == _numbered(
            [[str(v) for v in r] for r in theirs.fetchall()]
        )
    return ours.rows()


@pytest.mark.parametrize("task", ["span", "tag"])
def test_a_run_that_does_not_exist_has_no_answers(grid, stored, task):
    store = stored(coleval.load(*grid, task=task))
    assert both(store, "select dataset, system, status from run order by all") == [
        ("x", "half", "run"), ("x", "late", "not_run"), ("x", "one", "run"),
        ("y", "half", "not_run"), ("y", "late", "run"), ("y", "one", "run"),
    ]  # fmt: skip
    outcomes = both(
        store,
        "select dataset, system, outcome, count(*) n from outcome join item using (item) "
        "group by all order by all",
    )
    assert {row[:2] for row in outcomes if row[2] == "not_run"} == {("x", "late"), ("y", "half")}
    assert not [row for row in outcomes if row[:2] in (("x", "late"), ("y", "half"))
                and row[2] != "not_run"]  # fmt: skip
    text = "select distinct dataset, system from answer join item using (item) order by all"
    assert both(store, text) == [("x", "half"), ("x", "one"), ("y", "late"), ("y", "one")]
    wide = coleval.open(store).sql("select dataset, outcome_half from item where dataset = 'y'")
    assert set(wide["outcome_half"]) == {"not_run"}


def test_questions_count_no_runs_that_do_not_exist(grid, stored):
    store = stored(coleval.load(*grid, task="span"))
    assert both(store, "from standing") == [
        (3, "one", 4, 1.0, 1), (2, "late", 1, 0.5, 2), (1, "half", 0, 0.0, 3),
    ]  # fmt: skip
    # Who was never run on the same has nothing to agree on.
    assert {row[:2] for row in both(store, "from alike()")} == {("half", "one"), ("late", "one")}
    assert both(store, "from dataset_leaders()") == [
        ("x", 2, "one", 1.0, 0.5), ("y", 2, "one", 1.0, 0.75),
    ]  # fmt: skip
    assert both(store, "from dataset_means() order by system") == [
        ("half", 1, 0.0, 0.0), ("late", 1, 0.5, 0.5), ("one", 2, 1.0, 1.0),
    ]  # fmt: skip
    assert both(store, "from perfect_sentences() order by system") == [
        ("half", 2, 0, 0), ("late", 1, 0, 0), ("one", 3, 3, 3),
    ]  # fmt: skip
    assert both(store, "select system, items, tp, fn from score() order by system") == [
        ("half", 3, 0, 2), ("late", 2, 1, 1), ("one", 4, 4, 0),
    ]  # fmt: skip


def test_the_best_of_standing_is_the_best_of_the_leaderboard(grid, stored):
    store = stored(coleval.load(*grid, task="span"))
    board = coleval.open(store).score(missing="leave-out").table("overall")["system"].to_list()
    assert [row[1] for row in both(store, "from standing order by place")] == board


def test_runs_that_do_not_exist_cannot_be_taken_for_wrong_in_silence(grid, stored, capsys):
    store = stored(coleval.load(*grid, task="span"))
    assert main(["sql", store, "from run", "--missing", "wrong"]) == 2
    assert "not_run" in capsys.readouterr().err
    assert main(["sql", store, "from run", "--missing", "leave-out", "--quiet"]) == 0


CHAINS = {
    "gold": "(1\n-\n1)\n(2)\n-\n(1)\n(2)\n",
    "A": "(1\n-\n1)\n(1)\n-\n(1)\n-\n",
    "B": "(1\n-\n1)\n(2)\n-\n(2)\n(2)\n",
}  # fmt: skip


def chains(write, name):
    lines = CHAINS[name].splitlines()
    rows = (f"d\t0\t{k}\tw{k}\tNN\t{cell}" for k, cell in enumerate(lines))
    return str(write(f"{name}.conll", "#begin document (d); part 000\n" + "\n".join(rows)
                     + "\n\n#end document\n"))  # fmt: skip


def test_outcomes_of_mentions_are_their_classes_not_numbers_of_chains(write, stored):
    systems = {name: chains(write, name) for name in ("A", "B")}
    store = stored(coleval.load(chains(write, "gold"), systems, task="coref"))
    rows = both(store, "select system, outcome, gold, answer, count(*)::int n from outcome "
                "where outcome <> 'absent' group by all order by all")  # fmt: skip
    classes = coleval.open(store).score().table("classes").to_dicts()
    for row in classes:
        if row["criterion"] == "any":
            own = {outcome: n for system, outcome, _, _, n in rows if system == row["system"]}
            names = {"correct": "tp", "spurious": "fp", "missed": "fn", "mislabelled": "wl"}
            assert own == {o: row[c] for o, c in names.items() if row[c]}, row
    board = coleval.open(store).score().table("overall")
    best = board.filter(board["metric"] == "conll")["system"][0]
    assert both(store, "select system from standing where place = 1") == [(best,)]


TREES = "1\ta\ta\tNOUN\t_\t_\t{}\t{}\t_\t_\n2\tb\tb\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_trees_are_compared_as_the_metric_does(write, stored):
    gold = str(write("gold.conllu", TREES.format(2, "nsubj:pass")))
    system = str(write("A.conllu", TREES.format(2, "nsubj")))
    store = stored(coleval.load(gold, {"A": system}, task="dep"))
    assert both(store, "select item, outcome from outcome order by item") == [
        (0, "correct"), (1, "correct"),
    ]  # fmt: skip
    assert both(store, "select score from standing") == [(1.0,)]


def loaded(write, tmp_path, name, label, monkeypatch=None):
    gold = str(write(f"{name}.conll", f"a\t{label}\nb\t{label}\n"))
    return str(coleval.load(gold, {"A": gold}, task="tag").save(tmp_path / name))


def test_a_database_attached_beside_another_reads_its_own_data(write, tmp_path):
    one, two = (
        loaded(write, tmp_path, name, label) for name, label in (("one", "X"), ("two", "Y"))
    )
    with duckdb.connect(f"{one}/{FILE}", read_only=True) as con:
        con.execute(f"attach '{two}/{FILE}' as second (read_only)")
        assert con.sql("select distinct gold from second.item").fetchall() == [("Y",)]
        assert con.sql("select distinct gold from second.pattern").fetchall() == [("Y",)]
        assert con.sql("select distinct gold from item").fetchall() == [("X",)]
        # Macros look for tables where the session is.
        con.execute("use second")
        assert [row[0] for row in con.sql("from hardest_labels()").fetchall()] == ["Y"]


@pytest.mark.parametrize("said", ["", "set temp_directory = '/tmp/elsewhere'"])
def test_a_database_is_read_from_memory_and_with_any_temporary_directory(
    write, tmp_path, stored, said
):
    gold = str(write("g.conll", "a\tX\n"))
    store = stored(coleval.load(gold, {"A": gold}, task="tag"))
    with duckdb.connect() as con:
        con.execute(said)
        # DuckDB does not tell a view where its database is: who reads Parquet beside it is told.
        con.execute(f"set variable store = '{store}'")
        con.execute(f"attach '{store}/{FILE}' as shared (read_only)")
        assert con.sql('select gold, "A" from shared.item').fetchall() == [("X", "X")]
        con.execute("use shared")
        assert con.sql("from hardest_labels()").fetchall() == [("X", 1, 1.0, 0.0)]


def test_many_processes_read_a_database_at_once(write, tmp_path):
    store = loaded(write, tmp_path, "one", "X")
    code = """import duckdb, sys
con = duckdb.connect(sys.argv[1], read_only=True)
print(con.sql('select count(*) from item').fetchall(), flush=True)
input()"""
    ask = [sys.executable, "-c", code, f"{store}/{FILE}"]
    readers = [
        subprocess.Popen(ask, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    # All have it open before the first ends.
    assert [reader.stdout.readline() for reader in readers] == ["[(2,)]\n"] * 3
    for reader in readers:
        reader.communicate("\n")


def test_every_table_and_column_is_explained(grid, stored):
    store = stored(coleval.load(*grid, task="span"))
    with duckdb.connect(f"{store}/{FILE}", read_only=True) as con:
        for what in ("table", "view", "column"):
            text = f"from duckdb_{what}s() where not internal"
            assert con.sql(f"select 1 {text} limit 1").fetchall()
            assert con.sql(f"select columns('.*_name') {text} and comment is null").fetchall() == []
        macros = "from duckdb_functions() where function_type = 'table_macro' and not internal"
        names_ = {name for (name,) in con.sql(f"select function_name {macros}").fetchall()}
    assert {"who_alone", "dataset_leaders", "bins_tps"} <= names_


def test_what_runs_in_coleval_runs_in_the_database(grid, stored):
    store = stored(coleval.load(*grid, task="span"))
    for text in (
        "from who_alone('one')",
        "from who_alone(_limit := 2)",
        "from hard_sentences()",
        "select share(gold is null), sum(errs(one, gold)) from item",
        "select table_name from information_schema.tables where table_name like '%un' order by 1",
        "select gold, tokens, text from item join sentence using (sentence) order by all",
        "select dataset, items from item join corpus on true limit 0",
        "describe outcome",
    ):
        both(store, text)
    tables = {row[0] for row in coleval.open(store).sql("show tables").rows()}
    assert {"item", "run", "answer", "sentence"} <= tables


def test_attributes_and_errors_are_in_the_database_of_a_store_of_moderate_size(grid, tmp_path):
    store = str(coleval.load(*grid, task="span").save(tmp_path / "store"))
    assert both(store, "select eLen, sLen, capitalisation, count(*) n from item group by all "
                "order by all")  # fmt: skip
    assert both(store, "select system, kind, count(*) n from error group by all order by all")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "duckdb"])
def test_tables_of_ones_own_stand_beside_those_of_the_corpus(grid, tmp_path, capsys, suffix):
    store = str(coleval.load(*grid, task="span").save(tmp_path / "store"))
    file, table = tmp_path / f"meta.{suffix}", "meta"
    rows = "select * from (values ('x', 'news'), ('y', 'fiction')) as genre (dataset, genre)"
    if suffix == "duckdb":
        with duckdb.connect(str(file)) as con:
            con.execute(f"create table genre as {rows}")
        table = "meta.genre"
    else:
        duckdb.sql(f"copy ({rows}) to '{file}'")
    text = f"select genre, count(gold) n from item join {table} using (dataset) group by all"
    line = ["sql", store, f"{text} order by all", "--with", f"meta={file}", "--as", "csv"]
    assert main(line) == 0
    assert capsys.readouterr().out == "genre,n\nfiction,2\nnews,2\n"
    before = file.read_bytes()
    for text in (f"copy item to '{file}'", f"insert into {table} values ('z', 'w')"):
        assert (main(["sql", store, text, *line[3:]]) == 0) == (
            suffix != "duckdb" and "ins" in text
        )
    assert file.read_bytes() == before


@pytest.mark.parametrize(("given", "problem"), [
    ("meta", "NAME=FILE"), ("meta=gone.csv", "no such file"), ("meta=meta.xls", ".parquet"),
    ("item=meta.csv", "another name"),
])  # fmt: skip
def test_a_file_that_is_no_table_is_named(grid, tmp_path, capsys, monkeypatch, given, problem):
    store = str(coleval.load(*grid, task="span").save(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meta.csv").write_text("a\n1\n")
    (tmp_path / "meta.xls").write_text("a\n1\n")
    assert main(["sql", store, "select 1", "--with", given, "--quiet"]) in (1, 2)
    assert problem in capsys.readouterr().err


def test_the_data_dictionary_has_every_column_and_no_others(grid, write, tmp_path):
    gold = str(write("g.conllu", TREES.format(2, "nsubj")))
    stores = {
        "span": coleval.load(*grid, task="span"),
        "tag": coleval.load(*grid, task="tag"),
        "coref": coleval.load(chains(write, "gold"), {"A": chains(write, "A")}, task="coref"),
        "dep": coleval.load(gold, {"A": gold}, task="dep"),
        "words": coleval.load(gold, {"A": gold}, task="tag"),
        "label": coleval.load(str(write("gold.tsv", "id\tlabel\n1\tX\n2\tY\n")),
                              {"A": str(write("a.tsv", "id\tlabel\n1\tX\n2\tX\n"))}, task="label"),
    }  # fmt: skip
    every = set()
    for name, corpus in stores.items():
        file = corpus.save(tmp_path / name) / FILE
        with duckdb.connect(str(file), read_only=True) as con:
            systems = con.sql("select column_name from system").fetchall()
            text = "select table_name, column_name from duckdb_columns() where not internal"
            rows = [row for row in con.sql(text).fetchall() if row[1:] not in systems]
        every |= {("item" if t in ("token", "span") else t, c) for t, c in rows}
    assert sorted(every - {*meanings()} - {("item", name) for name in ATTRIBUTES}) == []
    # One part of several, documents, parts of speech of mentions are those of other corpora.
    rare = {"part", "pos", "instance", "mention_type", "hapax_labelled", "document", "documents"}
    assert {row for row in {*meanings()} - every if not rare & {*row}} == set()


def test_a_frame_is_a_further_table_of_a_query_from_python(grid):
    corpus = coleval.load(*grid, task="span")
    genre = pl.DataFrame({"dataset": ["x", "y"], "genre": ["news", "fiction"]})
    text = "select genre, count(gold) n from item join meta using (dataset) group by all order by 1"
    assert corpus.sql(text, tables={"meta": genre}).rows() == [("fiction", 2), ("news", 2)]


def test_the_metric_of_standing_is_that_of_the_task(grid, write, stored):
    sets = write("gold.tsv", "id\tlabel\n1\tX;Y\n2\tY\n"), write("a.tsv", "id\tlabel\n1\tX\n2\tY\n")
    for name, corpus, metric in (
        ("span", coleval.load(*grid, task="span"), "f1"),
        ("tag", coleval.load(*grid, task="tag"), "accuracy"),
        ("sets", coleval.load(str(sets[0]), {"A": str(sets[1])}, task="label",
                              separator=";"), "f1"),
        ("dep", coleval.load(str(write("g.conllu", TREES.format(2, "obj"))),
                             {"A": str(write("a.conllu", TREES.format(2, "obj")))},
                             task="dep"), "las"),
    ):  # fmt: skip
        assert both(stored(corpus, name), "select metric from corpus") == [(metric,)]


def test_sentences_and_instances_count_for_systems_that_were_run_on_them_alone(grid, stored):
    store = stored(coleval.load(*grid, task="tag"))
    board = coleval.open(store).score(missing="leave-out").table("overall")
    wrong = {s: n - right for s, n, right in
             board.select("system", "sentences", "sentences_correct").rows()}  # fmt: skip
    assert dict(both(store, "from score_sentences()")) == wrong
    # `one` is right everywhere: no sentence is lost.
    assert both(store, "from oracle_sentences()") == [(0,)]
