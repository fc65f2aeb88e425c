"""Thirty questions of an organiser, written from the data dictionary: one SQL for all.

Each is answered by ``coleval sql``, by DuckDB alone on ``corpus.duckdb`` (which holds the items, or
reads the Parquet beside it), and, where it is about columns of items, by Polars on that Parquet.
"""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import polars as pl
import pytest

import coleval
from coleval.query.portable import FILE

LABELS = ("PER", "LOC", "ORG")
RELATIONS = ("nsubj", "obj", "amod", "root")


def drawn(rng, text, wrong):
    """Return tags like some others, a share of them wrong."""
    return [rng.choice(("O", *(f"B-{y}" for y in LABELS))) if rng.random() < wrong else tag
            for tag in text]  # fmt: skip


def tagged(rng, words, tags):
    """Return sentences of five words in documents of four sentences."""
    lines = []
    for k, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if k % 20 == 0:
            lines.append("-DOCSTART-\tO\n")
        lines.append(f"{word}\t{tag}" + ("\n" if k % 5 == 4 else ""))
    return "\n".join(lines) + "\n"


def spans(write, task="span"):
    """Return a grid of three datasets; `b` has not run on z, and `c` has run on z alone."""
    rng = random.Random(7)
    for dataset in "xyz":
        words = [rng.choice(("a", "bb", "Cc", "d1", "E")) for _ in range(100)]
        gold = drawn(rng, ["O"] * 100, 0.5)
        path = write(f"gold_{dataset}.conll", tagged(rng, words, gold))
        for system, wrong in (("a", 0.1), ("b", 0.3), ("c", 0.5)):
            if (system, dataset) not in (("b", "z"), ("c", "x"), ("c", "y")):
                write(f"runs/{system}_{dataset}.conll", tagged(rng, words, drawn(rng, gold, wrong)))
    folder = Path(path).parent
    return coleval.load(f"{folder}/gold_{{dataset}}.conll",
                        f"{folder}/runs/{{system}}_{{dataset}}.conll", task=task)  # fmt: skip


def tags(write):
    return spans(write, "tag")


def trees(write):
    rng = random.Random(8)

    def text(wrong, gold=None):
        out, arcs = [], []
        for sentence in range(12):
            for k in range(1, 5):
                arc = (0, "root") if k == 1 else (1, rng.choice(RELATIONS[:3]))
                if gold is not None:
                    arc = gold[sentence * 4 + k - 1]
                    if k > 1 and rng.random() < wrong:
                        arc = (
                            rng.choice([h for h in (1, 2, 3) if h < k]),
                            rng.choice(RELATIONS[:3]),
                        )
                arcs.append(arc)
                out.append(f"{k}\tw{k}\tw{k}\tX\t_\t_\t{arc[0]}\t{arc[1]}\t_\t_")
            out.append("")
        return "\n".join(out) + "\n", arcs

    gold, arcs = text(0)
    systems = {n: str(write(f"{n}.conllu", text(w, arcs)[0])) for n, w in (("a", 0.2), ("b", 0.6))}
    return coleval.load(str(write("gold.conllu", gold)), systems, task="dep")


def mentions(write):
    rng = random.Random(9)

    def text(chains):
        rows = [f"d\t0\t{k}\tw{k}\tNN\t({c})" for k, c in enumerate(chains)]
        return "#begin document (d); part 000\n" + "\n".join(rows) + "\n\n#end document\n"

    gold = [rng.randint(1, 6) for _ in range(40)]
    moved = {n: [rng.randint(1, 6) if rng.random() < w else c for c in gold]
             for n, w in (("a", 0.2), ("b", 0.5))}  # fmt: skip
    systems = {n: str(write(f"{n}.conll", text(c))) for n, c in moved.items()}
    return coleval.load(str(write("gold.conll", text(gold))), systems, task="coref")


def labels(write):
    rng = random.Random(10)
    gold = [rng.choice("XYZ") for _ in range(60)]

    def text(classes):
        return "id\tlabel\n" + "".join(f"i{k}\t{c}\n" for k, c in enumerate(classes))

    systems = {
        n: str(
            write(f"{n}.tsv", text([rng.choice("XYZ") if rng.random() < w else c for c in gold]))
        )
        for n, w in (("a", 0.2), ("b", 0.4))
    }
    return coleval.load(str(write("gold.tsv", text(gold))), systems, task="label")


def share(condition):
    return condition.mean().alias("share")


def solving(systems):
    """Return by how many systems an item is solved."""
    return pl.sum_horizontal(pl.col(name).eq_missing(pl.col("gold")) for name in systems)


# What is asked of which corpus, and in Polars where columns of items alone answer it.
QUESTIONS = {
    "F1 of each system in each document": (spans, """
        select document, system,
          2 * count_if(outcome = 'correct') / nullif(count(outcome.gold) + count(answer), 0) as f1
        from outcome join item using (item) where outcome <> 'not_run'
        group by all order by all""", None),
    "F1 of each system on what it was run on": (spans, """
        select system, 2 * count_if(gold = answer) / (count(gold) + count(answer)) as f1
        from answer group by system order by system""", None),
    "what was not run": (spans, """
        select system, dataset from run where status = 'not_run' order by all""", None),
    "items that all systems of a dataset solve": (spans, """
        select dataset, count(*) as n from item
        where difficulty = (select count(*) from run
                            where run.dataset = item.dataset and status = 'run')
        group by all order by all""", None),
    "labels by how many items nobody solves": (spans, """
        select gold, count(*) as n from item where difficulty = 0 group by gold order by gold""",
        lambda i: i.drop_nulls("gold").filter(solving("abc") == 0)
        .group_by("gold").len("n").sort("gold")),
    "gold labels by dataset": (spans, """
        select dataset, gold, count(*) as n from item where gold is not null
        group by all order by all""",
        lambda i: i.drop_nulls("gold").group_by("dataset", "gold").len("n")
        .sort("dataset", "gold")),
    "recall of a by label": (spans, """
        select gold, avg((a is not distinct from gold)::int) as share from item
        where gold is not null group by gold order by gold""",
        lambda i: i.drop_nulls("gold").group_by("gold")
        .agg(share(pl.col("a").eq_missing(pl.col("gold")))).sort("gold")),
    "precision of a by label": (spans, """
        select a, avg((a is not distinct from gold)::int) as share from item
        where a is not null group by a order by a""",
        lambda i: i.drop_nulls("a").group_by("a")
        .agg(share(pl.col("a").eq_missing(pl.col("gold")))).sort("a")),
    "confusion of b where it was run": (spans, """
        select gold, answer, n from cell where system = 'b' order by all""", None),
    "confusion of a from the columns": (spans, """
        select gold, a, count(*) as n from item where gold is not null or a is not null
        group by all order by gold nulls last, a nulls last""",
        lambda i: i.filter(pl.col("gold").is_not_null() | pl.col("a").is_not_null())
        .group_by("gold", "a").len("n").sort("gold", "a", nulls_last=True)),
    "outcomes by length of the span": (spans, """
        select "end" - start as length, outcome, count(*) as n
        from outcome join item using (item) where system = 'a'
        group by all order by all""", None),
    "errors by how frequent the form is": (spans, """
        with frequency as (select form, count(*) as times from token group by form)
        select times, count_if(outcome <> 'correct') as errors, count(*) as n
        from outcome join item using (item) join frequency using (form)
        where outcome.gold is not null and outcome <> 'not_run'
        group by times order by times""", None),
    "agreement of every two systems where both were run": (spans, """
        select x.system as one, y.system as other, count(*) as items,
          count_if(x.answer is not distinct from y.answer) as same
        from answer as x join answer as y using (item)
        where x.system < y.system and (x.answer is not null or y.answer is not null)
        group by all order by all""", None),
    "agreement as coleval counts it": (spans, """
        select before, after, same, right_both from versus where found > 0 order by all""", None),
    "my own metadata": (spans, """
        select genre, system, count_if(outcome = 'missed') as missed
        from outcome join item using (item)
        join (values ('x', 'news'), ('y', 'news'), ('z', 'fiction')) as meta (dataset, genre)
          using (dataset)
        where outcome <> 'not_run' group by all order by all""", None),
    "ranks of the systems in each dataset": (spans, """
        select dataset, system, rank() over (
          partition by dataset order by count_if(outcome = 'correct') desc) as place
        from outcome join item using (item) where outcome <> 'not_run'
        group by dataset, system order by all""", None),
    "sentences in which a misses most": (spans, """
        select sentence, text, count(*) as missed
        from outcome join item using (item) join sentence using (sentence)
        where system = 'a' and outcome = 'missed'
        group by all order by missed desc, sentence limit 5""", None),
    "a bootstrap over sentences": (spans, """
        with unit as (
          select sentence, count_if(outcome = 'correct') as tp,
            count(outcome.gold) + count(answer) as sides,
            row_number() over (order by sentence) - 1 as k
          from outcome join item using (item) where system = 'a' group by sentence),
        drawn as (
          select replicate.range as replicate,
            (hash(replicate.range * 1000 + draw.range) % (select count(*) from unit))::bigint as k
          from range(20) as replicate, range((select count(*) from unit)::bigint) as draw)
        select replicate, 2 * sum(tp) / sum(sides) as f1
        from drawn join unit using (k) group by replicate order by replicate""", None),
    "corrected and newly wrong between two systems": (spans, """
        select x.gold, count_if(y.answer is not distinct from x.gold) as corrected,
          count_if(x.answer is not distinct from x.gold) as newly_wrong
        from answer as x join answer as y using (item)
        where x.system = 'b' and y.system = 'a' and x.answer is distinct from y.answer
        group by all order by all nulls last""", None),
    "the best system": (spans, "select system from standing where place = 1", None),
    "accuracy of tags": (tags, """
        select system, avg((outcome in ('correct', 'absent'))::int) as accuracy
        from outcome where outcome <> 'not_run' group by system order by system""", None),
    "accuracy of a tag by tag from the columns": (tags, """
        select gold, avg((a is not distinct from gold)::int) as share from item
        where gold is not null group by gold order by gold""",
        lambda i: i.drop_nulls("gold").group_by("gold")
        .agg(share(pl.col("a").eq_missing(pl.col("gold")))).sort("gold")),
    "what a perfect choice between systems would reach": (tags, """
        select avg((difficulty > 0)::int) as share from item where gold is not null""",
        lambda i: i.drop_nulls("gold").select(share(solving("abc") > 0))),
    "LAS": (trees, """
        select system, avg((outcome = 'correct')::int) as las from outcome group by system
        order by system""", None),
    "UAS from heads": (trees, """
        select system, avg((split_part(answer, '@', 1) = split_part(gold, '@', 1))::int) as uas
        from answer group by system order by system""", None),
    "relations that are confused where the head is right": (trees, """
        select split_part(gold, '@', 2) as gold, split_part(answer, '@', 2) as said, count(*) as n
        from answer where split_part(answer, '@', 1) = split_part(gold, '@', 1) and answer <> gold
        group by all order by all""", None),
    "classes of mentions": (mentions, """
        select system, outcome, count(*) as n from outcome where outcome <> 'absent'
        group by all order by all""", None),
    "the best system by the metric of chains": (mentions, """
        select system, round(score, 9) as conll from standing order by place""", None),
    "macro F1 of classes": (labels, """
        with label as (
          select system, gold.gold as label,
            2 * count_if(answer.gold = gold.gold and answer = gold.gold)
              / (count_if(answer.gold = gold.gold) + count_if(answer = gold.gold)) as f1
          from answer, (select distinct gold from item) as gold group by all)
        select system, avg(f1) as macro from label group by system order by system""", None),
    "accuracy of classification from the columns": (labels, """
        select avg((a = gold)::int) as a, avg((b = gold)::int) as b from item""",
        lambda i: i.select(a=(pl.col("a") == pl.col("gold")).mean(),
                           b=(pl.col("b") == pl.col("gold")).mean())),
}  # fmt: skip


@pytest.fixture(scope="module")
def stores():
    """Return the stores made so far: each corpus is stored once in either way."""
    return {}


@pytest.fixture(params=["inside", "beside"])
def store(request, stores, monkeypatch, tmp_path_factory):
    """Return what stores the corpus of a question, its items in the database or beside it."""

    def stored(make):
        key = (make.__name__, request.param)
        if key not in stores:
            folder = tmp_path_factory.mktemp("-".join(key))

            def write(name, text):
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
                return path

            if request.param == "beside":
                monkeypatch.setattr("coleval.store.views._HELD", 0)
            stores[key] = make(write).save(folder / "store")
        return stores[key]

    return stored


def items_of(store):
    """Return the items of the task as any reader of Parquet has them."""
    units = {folder.name: folder for folder in (store / "item").iterdir()}
    folder = units.get("span") or units.get("instance") or units["token"]
    return pl.read_parquet(folder / "*.parquet").with_columns(pl.col(pl.Enum).cast(pl.String))


def plain(rows):
    return [tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in rows]


def test_there_are_thirty_questions():
    assert len(QUESTIONS) >= 30


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_one_answer_wherever_it_is_asked(question, store):
    make, text, polars = QUESTIONS[question]
    path = store(make)
    ours = coleval.open(path).sql(text)
    assert len(ours)
    with duckdb.connect(str(path / FILE), read_only=True) as con:
        found = con.sql(text)
        assert found.columns == ours.columns
        assert plain(found.fetchall()) == plain(ours.rows())
    if polars is not None:
        mine = polars(items_of(path))
        assert plain(mine.rows()) == plain(ours.select(mine.columns).rows())


@pytest.mark.parametrize("question", [
    name for name, (make, text, polars) in QUESTIONS.items()
    if make is spans and polars is None and "'a'" not in text and "'b'" not in text
])  # fmt: skip
def test_a_question_has_one_answer_on_a_real_grid(question, data, stores, tmp_path_factory):
    if "hipe" not in stores:
        hipe = data("hipe2022")
        corpus = coleval.load(f"{hipe}/gold/HIPE-2022-v2.1-{{dataset}}-test-en.tsv",
                              f"{hipe}/responses/{{system}}_{{dataset}}_en_1.tsv")  # fmt: skip
        stores["hipe"] = corpus.save(tmp_path_factory.mktemp("hipe") / "store")
    text = QUESTIONS[question][1].replace("('x'", "('ajmc'").replace("('y'", "('hipe2020'")
    ours = coleval.open(stores["hipe"]).sql(text)
    assert len(ours) or "solve" in question
    with duckdb.connect(str(stores["hipe"] / FILE), read_only=True) as con:
        assert plain(con.sql(text).fetchall()) == plain(ours.rows())


def test_scores_by_sql_are_those_of_score(store):
    """F1, accuracy, LAS, UAS and classes of mentions: what SQL says is what the commands say."""

    def asked(question):
        make, text, _ = QUESTIONS[question]
        return coleval.open(store(make)), coleval.open(store(make)).sql(text)

    corpus, found = asked("F1 of each system on what it was run on")
    board = corpus.score(missing="leave-out").table("overall")
    assert plain(found.rows()) == plain(board.select("system", "f1").sort("system").rows())
    corpus, found = asked("accuracy of tags")
    board = corpus.score(missing="leave-out").table("overall")
    assert plain(found.rows()) == plain(board.select("system", "accuracy").sort("system").rows())
    for metric, question in (("LAS", "LAS"), ("UAS", "UAS from heads")):
        corpus, found = asked(question)
        board = corpus.score().table("overall").filter(pl.col("metric") == metric)
        assert plain(found.rows()) == plain(board.select("system", "f1").sort("system").rows())
    corpus, found = asked("macro F1 of classes")
    board = corpus.score().table("overall")
    assert plain(found.rows()) == plain(board.select("system", "macro_f1").sort("system").rows())
    corpus, found = asked("the best system")
    assert found.item() == corpus.score(missing="leave-out").table("overall")["system"][0]
