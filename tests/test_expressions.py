"""An SQL expression over items means the same, and gives the same, wherever it is written."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus import limit
from coleval.demo import generate
from coleval.demo import write as write_demo
from coleval.errors import UsageError
from coleval.query.wide import distinct

LABELS = ("A", "B", "O")
ROW = st.tuples(*(st.sampled_from(LABELS),) * 3, st.sampled_from(["x", "y", None]),
                st.sampled_from([0.5, 2.0, float("nan"), float("inf"), None]))  # fmt: skip
# Of every type that DuckDB has, and with every result that a row can give.
EXPRESSIONS = (
    "gold", "difficulty", "outcome_one", "outcome_two", "one is not distinct from two", "kind",
    "size", "size > 1", "size / 0", "difficulty / 2", "difficulty * 1.5", "item % 3", "null",
    "[gold, one]", "{'a': gold}", "map {gold: 1}", "interval (item) day", "gold::blob",
    "date '2020-01-01' + item::int", "'infinity'::timestamp", "item::hugeint", "item::uhugeint",
    "hash(gold) % 2", "upper(kind)", "row_number() over (order by item) % 2",
    "(select max(difficulty) from item)", "sum(difficulty) over (partition by gold)",
    "item in (select item from item where gold = 'A')", "share(gold = 'A') over ()",
    "errs(one, gold)", "item -- with a comment", "case when gold = 'A' then 'nan'::double end",
)  # fmt: skip


def corpus_of(rows, systems=("one", "two")):
    gold, one, two, kind, size = zip(*rows, strict=True)
    table = pl.DataFrame(
        {"id": [str(k) for k in range(len(rows))], "gold": gold, systems[0]: one, systems[1]: two,
         "kind": pl.Series(kind, dtype=pl.String), "size": pl.Series(size, dtype=pl.Float64)}
    )  # fmt: skip
    columns = f"id=id,gold=gold,system={systems[0]},system={systems[1]},kind=kind,size=size"
    return coleval.load(table, task="label", columns=columns)


def by_pivot(corpus, expression):
    """Return how many items have each value, as a pivot counts."""
    table = corpus.pivot(rows=expression, cols="1").table("pivot")
    return {_text(row["row"]): row["n"] for row in table.to_dicts()}


def by_buckets(corpus, expression):
    """Return the same as buckets count gold's items: every value a bucket of its own."""
    options = {"attributes": [f"x={expression}"], "buckets": {"x": "discrete"}}
    rows = corpus.buckets(**options).table("buckets").filter(pl.col("system") == "one").to_dicts()
    named = {None if r["bucket"] == "(null)" else r["bucket"]: r["gold"] for r in rows}
    return {name: n for name, n in named.items() if n}


def _text(value):
    """Return a value as the name of a bucket: 2 for 2.0, yes for true."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}" if value != int(value) else str(int(value))
    return None if value is None else str(value)


@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from(EXPRESSIONS))
def test_pivots_and_buckets_count_the_same_values(rows, expression):
    corpus = corpus_of(rows)
    assert by_pivot(corpus, expression) == by_buckets(corpus, expression)


@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from(EXPRESSIONS))
def test_a_condition_keeps_the_items_that_a_pivot_counts(rows, expression):
    corpus = corpus_of(rows)
    for value, n in by_pivot(corpus, f"({expression}\n) is null").items():
        kept = len(corpus.show(where=f"({expression}\n) is {'' if value == 'yes' else 'not '}null",
                               limit=99).table("items"))  # fmt: skip
        finite = corpus.pivot(rows=expression, cols="1").warnings
        assert kept == n or finite


def test_what_was_only_in_one_of_two_tables_is_in_buckets_too(data):
    folder = data("hipe2022")
    gold = folder / "gold" / "HIPE-2022-v2.1-hipe2020-test-en.tsv"
    corpus = coleval.load(str(gold), str(folder / "responses" / "team2*hipe2020_en*"))
    where = "gold is not null"
    for name in ("sLen", f'"outcome_{corpus.systems[0]}"', f'"error_gold_{corpus.systems[0]}"'):
        table = corpus.pivot(rows=name, cols="1", where=where).table("pivot")
        pivot = {_text(row["row"]): row["n"] for row in table.to_dicts()}
        options = {"attributes": [f"x={name}"], "buckets": {"x": "discrete"}, "where": where}
        rows = corpus.buckets(**options).table("buckets").to_dicts()
        assert {row["bucket"]: row["gold"] for row in rows if row["gold"]} == pivot


def test_labels_that_were_not_asked_for_are_nothing_to_expressions_too():
    rows = [("A", "A", "A", "x", 1.0), ("B", "A", "B", "y", 2.0), ("B", "B", "B", "x", 2.0)]
    table = corpus_of(rows).buckets(attributes=["x=gold"], labels="A").table("buckets")
    found = {r["bucket"]: r["predicted"] for r in table.to_dicts() if r["system"] == "one"}
    assert found["A"] == 1
    assert found["(null)"] == 1  # where gold has B, `one` has an A and gold nothing


def test_systems_that_differ_in_case_have_columns_of_their_own_everywhere():
    rows = [("A", "A", "B", "x", 1.0), ("B", "A", "B", "x", 1.0), ("B", "A", "B", "x", 1.0)]
    corpus = corpus_of(rows, ("a", "A"))
    for column, right in (("a", 1), ("A_2", 2)):
        said = f"{column} is not distinct from gold"
        assert by_pivot(corpus, said) == {"yes": right, "no": 3 - right}
        table = corpus.buckets(attributes=[f"x={said}"]).table("buckets")
        assert {r["bucket"]: r["gold"] for r in table.to_dicts()} == {"yes": right, "no": 3 - right}
        assert len(corpus.show(where=said).table("items")) == right


@pytest.mark.parametrize("text", ["A = gold", '"A" = gold', "outcome_A = 'correct'", "item.A = 1"])
def test_a_name_that_sql_takes_for_another_system_is_an_error(text):
    corpus = corpus_of([("A", "A", "B", "x", 1.0)], ("a", "A"))
    for ask in (
        lambda: corpus.pivot(rows=text, cols="gold"),
        lambda: corpus.buckets(attributes=[f"x=({text})"]),
        lambda: corpus.score(where=text),
        lambda: corpus.show(order=text),
        lambda: corpus.sql(f"select {text} from item"),
    ):
        with pytest.raises(UsageError, match="A_2"):
            ask()
    assert corpus.sql("select 'A' as x from item -- A").item() == "A"


def test_a_number_makes_no_name_that_another_system_has():
    assert distinct(["a", "A", "A_2"]) == ["a", "A_3", "A_2"]
    assert distinct(["x", "item"], ["item"]) == ["x", "item_2"]


HOSTILE = (
    "", " ", "gold)", "gold) or (true", "1) as a, (2", "gold, one", "gold from item", "'a",
    "gold; select 1", "/* gold", "*", "columns(*)", "count(*)", "max(gold)", "unnest([1, 2])",
    "gold as x",
    "select gold", "?", "$1", "nothing", "gold.nothing.x", "lambda x: x", "gold order by 1",
    "row_number() over", "1 +", "read_text('/etc/passwd')", "error('x')", "'x'::int", "\x00", "🦊",
    "(select item from item)", "(select 1, 2)", "gold limit 1", "distinct gold", "1 := 2",
    "getvariable('x') is", "(from item)", "'\\", "$$", "\"", "gold\x00",
)  # fmt: skip
ROWS = [("A", "A", "B", "x", 1.0), ("B", "A", "B", None, None), ("B", "O", "B", "x", 1.0)]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_expression_is_an_error_that_says_where(text):
    corpus = corpus_of(ROWS)
    for option, ask in (
        ("rows=", lambda: corpus.pivot(rows=text or " ", cols="gold")),
        ("attributes=", lambda: corpus.buckets(attributes=[f"x={text}"])),
        ("where=", lambda: corpus.score(where=text or " ")),
    ):
        with pytest.raises(UsageError) as error:
            ask()
        assert option in str(error.value)


@pytest.mark.parametrize("order", ["1; select 2", "item limit 1", "gold desc union all from item"])
def test_what_is_no_order_is_an_error(order):
    with pytest.raises(UsageError, match="order="):
        corpus_of(ROWS).show(order=order)


def test_one_item_and_columns_of_nothing_are_no_trouble():
    corpus = corpus_of([("A", "B", "A", None, None)])
    for text in ("kind", "size", "null", "difficulty", "gold"):
        assert sum(by_pivot(corpus, text).values()) == 1
        assert sum(by_buckets(corpus, text).values()) == 1
    nothing = corpus.pivot(rows="kind", cols="size", where="false").table("pivot")
    assert nothing.is_empty()


KEY = [("A", "v", "1", "(0)"), ("A", "b", "1", "-"), ("A", "c", "1", "(0)"), ("A", "d", "2", "(0)")]


def test_conditions_over_mentions_see_what_pivots_see(write):
    def conll(rows):
        lines = (f"d\t0\t{k}\t{word}\tNN\t{chain}" for k, (_, word, _, chain) in enumerate(rows))
        return "#begin document (d); part 000\n" + "\n".join(lines) + "\n\n#end document\n"

    broken = [KEY[0], *((a, b, c, "-" if k == 1 else d) for k, (a, b, c, d) in enumerate(KEY[1:]))]
    gold, system = write("gold.conll", conll(KEY)), write("s.conll", conll(broken))
    corpus = coleval.load(str(gold), {"s": str(system)}, task="coref", columns="pos=5")
    table = corpus.pivot(rows="outcome_s", cols="1").table("pivot")
    assert "missed" in table["row"].to_list()
    for row in table.to_dicts():
        kept = corpus.pivot(rows="1", cols="1", where=f"outcome_s = '{row['row']}'")
        assert kept.table("pivot")["n"].sum() == row["n"]


def test_expressions_and_slices_are_the_same_where_answers_are_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(limit, "_FEWEST", 100)
    monkeypatch.setattr(limit, "_SHARE", 10**9)
    gold, *systems = map(str, write_demo(generate(tokens=1500, systems=4, seed=5), tmp_path))
    whole, blocks = (coleval.load(gold, systems, memory=m) for m in (None, "100GB"))
    first, second = whole.systems[:2]
    said = f'"outcome_{first}"'
    for ask in (
        lambda one: one.buckets(attributes=[f"x={said}", "y=sLen * difficulty"]),
        lambda one: one.pivot(rows=said, cols=f'"error_gold_{second}"', value="f1"),
        lambda one: one.pivot(find=(first, second), least=1),
        lambda one: one.show(where=f"{said} <> 'correct'", order="difficulty, item desc"),
    ):
        one, other = ask(whole), ask(blocks)
        assert all(one.table(name).equals(other.table(name)) for name in one.tables)
