"""Claims about ``coleval bins``: what each table says, seen on corpora small enough to read."""

from __future__ import annotations

import json

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError
from coleval.render.console import render

GOLD = """\
Ann\tB-PER
Lee\tI-PER
saw\tO
Rome\tB-LOC
.\tO

the\tO
WHO\tB-ORG
(\tO
UN\tB-ORG
)\tO
left\tO
"""
FIRST = GOLD.replace("Rome\tB-LOC", "Rome\tO").replace("UN\tB-ORG", "UN\tB-LOC")
SECOND = GOLD.replace("Lee\tI-PER", "Lee\tO").replace("left\tO", "left\tB-PER")
THIRD = GOLD.replace("B-PER", "O").replace("I-PER", "O").replace("left\tO", "left\tB-LOC")
SYSTEMS = {"first": FIRST, "second": SECOND, "third": THIRD}


@pytest.fixture
def files(write):
    """Return the paths of gold and three systems."""
    gold = write("gold.conll", GOLD)
    return gold, {name: write(f"{name}.conll", text) for name, text in SYSTEMS.items()}


@pytest.fixture
def corpus(files):
    return coleval.load(*files)


def column(report, table, name):
    return report.tables[table][name].to_list()


def test_whole_spans_are_binned_by_default(corpus):
    bins = corpus.bins().tables["bins"]
    assert bins.select("bin", "items").rows() == [(0, 0), (1, 1), (2, 2), (3, 1)]


def test_tokens_are_binned_by_their_tags(corpus):
    bins = corpus.bins(unit="token").tables["bins"]
    assert bins.select("bin", "items").rows() == [(0, 0), (1, 1), (2, 3), (3, 1)]


def test_shares_are_of_the_bin_and_undefined_in_an_empty_one(corpus):
    tps = corpus.bins().tables["tps"]
    assert tps.filter(bin=0)["share"].to_list() == [None, None, None]
    assert tps.filter(bin=2, system="second").row(0) == (2, "second", 2, 1.0)


def test_systems_stand_with_the_most_solved_first_and_what_they_alone_solve(corpus):
    systems = corpus.bins().tables["systems"]
    assert systems.select("system", "tp", "singular").rows() == [
        ("second", 3, 0), ("third", 3, 0), ("first", 2, 1),
    ]  # fmt: skip


def test_inventions_are_counted_by_how_many_systems_share_the_place(corpus):
    # Ann alone, proposed by `second`; `left`, by two systems (the labels differ).
    assert corpus.bins().tables["spurious"].rows() == [(1, 1), (2, 1), (3, 0)]


def test_tokens_without_gold_that_nobody_labels_are_true_negatives(corpus):
    assert corpus.bins(unit="token").tables["spurious"].rows()[0] == (0, 5)


def test_difficulty_is_a_column_of_the_item_table(corpus):
    items = corpus.items
    hardest = items.filter(pl.col("gold").is_not_null()).sort("difficulty")
    assert hardest.select("form", "difficulty").row(0) == ("Ann Lee", 1)
    assert items.filter(pl.col("gold").is_null())["difficulty"].null_count() == 2


def test_every_command_can_filter_by_difficulty(corpus):
    overall = corpus.score(where="difficulty = 1").table("overall")
    assert dict(overall.select("system", "tp").iter_rows()) == {"first": 1, "second": 0, "third": 0}
    wrong = corpus.confusion(where="spurious > 1").table()
    assert wrong.filter(pl.col("answer").is_not_null())["n"].sum() == 2


def test_difficulty_counts_the_systems_that_are_chosen(corpus):
    assert column(corpus.chosen("first,second").bins(), "bins", "items") == [0, 3, 1]
    score = corpus.chosen("second").score(where="difficulty = 1").table()
    assert score["tp"].to_list() == [3]


def test_bins_from_some_systems_are_applied_to_all(corpus):
    report = corpus.bins(bins_from="first,second")
    assert column(report, "bins", "items") == [0, 3, 1]
    third = report.tables["tps"].filter(system="third")
    assert third["tp"].to_list() == [0, 2, 1]
    alone = dict(report.tables["systems"].select("system", "singular").iter_rows())
    assert alone == {"first": 1, "second": 2, "third": None}
    assert "bins-from:first,second" in report.signature


def test_bins_from_systems_that_are_not_chosen_still_count(corpus):
    report = corpus.chosen("third").bins(bins_from="first,second")
    assert column(report, "tps", "tp") == [0, 2, 1]


def test_bins_from_survives_a_filter(corpus):
    report = corpus.bins(bins_from="first,second", where="difficulty = 1")
    assert column(report, "bins", "items") == [0, 3, 0]


def test_a_pair_is_compared_bin_by_bin(corpus):
    pairs = corpus.bins(pair=("first", "second")).tables["pairs"]
    assert pairs.select("bin", "tp_before", "tp_after", "delta").rows() == [
        (0, 0, 0, 0), (1, 1, 0, -1), (2, 0, 2, 2), (3, 1, 1, 0),
    ]  # fmt: skip
    assert pairs["share_delta"].to_list() == [None, -1.0, 1.0, 0.0]


def test_several_pairs_stand_below_each_other(corpus):
    pairs = corpus.bins(pair=[("first", "second"), ("first", "third")]).tables["pairs"]
    assert pairs["after"].unique(maintain_order=True).to_list() == ["second", "third"]


def test_a_misspelt_system_in_a_pair_is_told_with_near_misses(corpus):
    with pytest.raises(UsageError, match="did you mean `second`"):
        corpus.bins(pair=("first", "secnd"))


def test_labels_not_asked_for_are_read_as_nothing(corpus):
    assert column(corpus.bins(labels=["ORG"]), "bins", "items") == [0, 0, 1, 1]
    assert column(corpus.bins(exclude=["PER"]), "bins", "items") == [0, 0, 2, 1]


def test_words_tell_every_bin_of_a_form(corpus):
    words = corpus.bins(words="WHO").tables["words"]
    assert words.rows() == [("WHO", 0, 0, 1), ("WHO", 1, 0, 1), ("WHO", 2, 0, 1), ("WHO", 3, 1, 1)]


def test_a_word_that_no_item_has_is_told_with_what_begins_alike(corpus):
    with pytest.raises(UsageError, match=r"no word is called `who`\n.*WHO"):
        corpus.bins(words=["who"])


def test_words_with_the_widest_spread_come_first(write):
    text = "a\tX\na\tX\nb\tX\nb\tX\nb\tX\n"
    one = "a\tX\na\tY\nb\tX\nb\tX\nb\tX\n"
    corpus = coleval.load(write("g", text), {"one": write("s", one)}, task="tag")
    words = corpus.bins(words_top=1).tables["words"]
    assert words.select("form", "bin", "n").rows() == [("a", 0, 1), ("a", 1, 1)]


def test_the_profile_of_a_bin_tells_what_its_items_have_in_common(corpus):
    profile = corpus.bins(profile=True).tables["profile"]
    told = {(r["bin"], r["property"]): r["value"] for r in profile.to_dicts()}
    assert told[1, "characters"] == 7.0
    assert told[1, "tokens"] == 2.0
    assert told[2, "bracketed"] == 0.5
    assert told[2, "abbreviation"] == 0.5
    assert told[3, "capitals"] == 1.0
    assert told[1, "label=PER"] == 1.0
    assert told[None, "sentence_length"] == 5.5
    assert told[1, "labelled_after"] == 0.0
    assert told[1, "position"] == 1.0


def test_neighbours_beyond_the_sentence_are_not_counted(corpus):
    profile = corpus.bins(profile=True).tables["profile"]
    before = profile.filter(property="labelled_before")
    assert before.filter(bin=1)["n"].to_list() == [0]
    assert before.filter(bin=1)["value"].to_list() == [None]


def test_items_stand_in_their_context_the_hardest_first(corpus):
    items = corpus.bins(items=True).tables["items"]
    first = items.row(0, named=True)
    assert (first["form"], first["difficulty"], first["gold"]) == ("Ann Lee", 1, "PER")
    assert (first["left"], first["right"]) == ("", "saw Rome .")
    assert (first["first"], first["second"], first["third"]) == ("PER", None, None)
    assert items["spurious"].drop_nulls().to_list() == [2, 1]


def test_items_keep_their_numbers_when_some_are_left_out(corpus):
    whole = corpus.bins(items=True).tables["items"].filter(form="WHO")
    some = corpus.bins(items=True, where="form = 'WHO'").tables["items"]
    assert some.equals(whole)


def test_a_store_tells_what_files_tell(corpus, tmp_path):
    store = coleval.open(corpus.save(tmp_path / "store"))
    options = {"profile": True, "items": True, "words_top": 9}
    ours, theirs = corpus.bins(**options), store.bins(**options)
    for name, table in ours.tables.items():
        cast = theirs.tables[name].select(table.columns)
        assert cast.to_dicts() == table.to_dicts(), name


def test_one_system_has_two_bins(files):
    gold, systems = files
    report = coleval.load(gold, {"first": systems["first"]}).bins()
    assert column(report, "bins", "items") == [2, 2]
    assert column(report, "systems", "singular") == [2]
    assert "solve" in render(report)


def test_identical_systems_leave_the_middle_bins_empty(write):
    paths = {f"s{k}": write(f"s{k}.conll", FIRST) for k in range(5)}
    report = coleval.load(write("gold.conll", GOLD), paths).bins()
    assert column(report, "bins", "items") == [2, 0, 0, 0, 0, 2]
    systems = report.tables["systems"]
    assert systems["system"].to_list() == ["s0", "s1", "s2", "s3", "s4"]
    assert systems["recall"].unique().to_list() == [0.5]
    assert "▲" not in render(report)


def test_no_gold_item_leaves_everything_undefined(write):
    gold = write("gold.conll", "a\tO\nb\tO\n")
    corpus = coleval.load(gold, {"s": write("s.conll", "a\tB-X\nb\tO\n")}, task="span")
    report = corpus.bins(profile=True, items=True, words_top=3)
    assert column(report, "bins", "items") == [0, 0]
    assert column(report, "bins", "share") == [None, None]
    assert column(report, "systems", "recall") == [None]
    assert report.tables["spurious"].rows() == [(1, 1)]
    assert report.tables["words"].is_empty()
    assert "–" in render(report)


def test_a_filter_that_keeps_nothing_gives_empty_bins(corpus):
    report = corpus.bins(where="form = 'nowhere'", profile=True, items=True, words_top=3)
    assert column(report, "bins", "items") == [0, 0, 0, 0]
    assert report.tables["items"].is_empty()
    assert render(report)


def test_instances_with_several_labels_are_binned_by_label(write):
    gold = write("g.tsv", "id\tlabel\n1\ta|b\n2\tb\n3\t\n")
    one = write("one.tsv", "id\tlabel\n1\ta|b\n2\ta\n3\t\n")
    two = write("two.tsv", "id\tlabel\n1\ta\n2\ta|b\n3\tb\n")
    corpus = coleval.load(gold, {"one": one, "two": two}, task="label", separator="|")
    report = corpus.bins(profile=True)
    assert column(report, "bins", "items") == [0, 2, 1]
    # Instance 2 has no `a` in gold, both say so; 3 has no `b`; the last is (3, a).
    assert report.tables["spurious"].rows() == [(0, 1), (1, 1), (2, 1)]


def test_a_matrix_has_no_words_and_no_profile(write):
    corpus = coleval.load(write("m.tsv", "1\t0\n1\t1\n0\t0\n"), task="matrix")
    assert column(corpus.bins(), "bins", "items") == [1, 1, 1]
    assert corpus.bins().tables["spurious"].is_empty()
    for options in ({"words": ["x"]}, {"profile": True}):
        with pytest.raises(UsageError, match="have no"):
            corpus.bins(**options)


def test_a_system_cannot_be_called_as_a_column_that_is_worked_out(write):
    with pytest.raises(UsageError, match="cannot be called `spurious`"):
        coleval.load(write("g", GOLD), {"spurious": write("s", FIRST)})


def test_the_command_line_gives_what_python_gives(files, capsys):
    gold, systems = files
    paths = [str(gold), *map(str, systems.values())]
    options = ["--words", "WHO", "--pair", "first", "third", "--profile-bins", "--items"]
    assert main(["bins", *paths, *options, "--bins-from", "first,third", "--as", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    report = coleval.load(gold, systems).bins(
        words=["WHO"], pair=("first", "third"), profile=True, items=True, bins_from="first,third"
    )
    assert list(told["tables"]) == list(report.tables)
    for name, rows in told["tables"].items():
        assert rows == report.tables[name].to_dicts(), name
    assert told["signature"] == report.signature


def test_the_profile_of_another_program_stays_in_the_signature(files):
    corpus = coleval.load(*files, profile="conlleval")
    signature = corpus.bins(profile=True).signature
    assert "profile:conlleval" in signature
    assert "profile_bins:yes" in signature
