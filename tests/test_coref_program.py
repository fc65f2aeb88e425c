"""Coreference under ``--profile compareval``: what is in the total, from files and from a store."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_coref as plain
from coleval.cli.main import main
from coleval.errors import UsageError
from test_coref_antecedents import A, B, C, document, dutch, loaded, transitions
from test_coref_properties import MENTIONS, layers

WORDS = [("Ann", "NNP"), ("she", "PRP"), ("her", "PRP$"), ("five", "CD"), ("it", "PRP"),
         ("Bob", "NNP"), ("who", "WP"), ("dog", "NN")]  # fmt: skip


def tagged(*documents):
    """Return documents of eight words, given their chains: mentions by number of the chain."""
    return "".join(_tagged(number, layer) for number, layer in enumerate(documents))


def _tagged(number, layer):
    rows = [
        f"d{number} 0 {at} {form} {tag} * - - - - * {_brackets(layer, at)}\n"
        for at, (form, tag) in enumerate(WORDS)
    ]
    return f"#begin document (d{number}); part 000\n{''.join(rows)}\n#end document\n"


def _brackets(layer, at):
    found = [
        f"{'(' * (start == at)}{chain}{')' * (end == at)}"
        for (start, end), chain in sorted(layer.items())
        if at in (start, end)
    ]
    return "|".join(found) or "-"


def words(*chains):
    """Return the layer in which the words with these numbers are chains."""
    return {(at, at): number for number, chain in enumerate(chains) for at in chain}


def of_tagged(write, profile, gold, **systems):
    paths = {name: write(f"{name}.conll", tagged(layer)) for name, layer in systems.items()}
    return coleval.load(write("gold.conll", tagged(gold)), paths, profile=profile)


def total(report):
    return report.table("summary").select("different", "items").row(0)


def test_what_has_a_pronoun_as_antecedent_is_not_counted_under_the_profile(write):
    # Gold joins "she" and "her"; "a" gives "her" the noun before it, which gold does not have.
    layers = words([1, 2]), {"a": words([0, 2]), "b": words([0, 7])}
    program, paper = (
        of_tagged(write, profile, layers[0], **layers[1]).changes(unit="nominal")
        for profile in ("compareval", "")
    )
    assert total(program) == (1, 1)
    assert total(paper) == (2, 2)
    assert transitions(paper) == {"fp → tn": 1, "tn → fp": 1}


def test_a_number_that_changes_counts_but_is_not_in_the_total_under_the_profile(write):
    # "a" joins Ann and five and dog, "b" nothing, gold Ann and she: 3 mentions, one of them a CD.
    corpus = of_tagged(write, "compareval", words([0, 1]), a=words([0, 3, 7]), b={})
    report = corpus.changes(unit="nominal")
    assert total(report) == (2, 2)
    assert transitions(report) == {"fp → tn": 2}
    (warning,) = report.warnings
    assert warning == (
        "1 mention, neither noun nor pronoun (CD), left out of the total; changes count, as in "
        "ComparEval's program (pronouns= names tags of pronouns)"
    )
    named = corpus.changes(unit="nominal", pronouns="PRP,PRP$,CD")
    assert total(named) == (2, 3)
    assert named.warnings == ()


def test_chains_themselves_are_all_in_the_total_under_the_profile(write):
    corpus = of_tagged(write, "compareval", words([0, 1]), a=words([0, 3, 7]), b={})
    report = corpus.changes(unit="cluster")
    assert total(report)[1] == 4
    assert report.warnings == ()


def test_a_change_without_any_total_is_shown_on_screen(write):
    corpus = of_tagged(write, "compareval", words([0, 1]), a=words([0, 1], [2, 3]), b=words([0, 1]))
    report = corpus.changes(unit="any", where="mention_type = 'CD'")
    assert total(report) == (1, 0)
    assert "1 of 0 answers differ (– %)" in repr(report)


def test_all_mentions_are_in_the_total_without_the_profile(write):
    corpus = of_tagged(write, "", words([0, 1]), a=words([0, 3, 7]), b={})
    assert total(corpus.changes(unit="nominal")) == (2, 3)
    assert total(corpus.changes(unit="nominal", pronouns="PRP")) == (2, 2)


@given(st.lists(st.tuples(layers, layers, layers), min_size=1, max_size=3))
def test_the_totals_under_the_profile_are_those_of_plain_loops(tmp_path_factory, documents):
    root = tmp_path_factory.mktemp("tagged")
    for name, layer in zip("gab", zip(*documents, strict=True), strict=True):
        (root / name).write_text(tagged(*layer))
    corpus = coleval.load(
        str(root / "g"), {"a": str(root / "a"), "b": str(root / "b")}, task="coref",
        profile="compareval",
    )  # fmt: skip
    report = corpus.changes(("a", "b"), unit="nominal")
    kinds = {(start, end): kind_of(start, end) for start, end in MENTIONS}
    assert total(report) == plain.program_totals(documents, kinds, {"PRP", "PRP$"})


def kind_of(start, end):
    noun = end > start or WORDS[start][1] in {"NNP", "NN"}
    return "noun" if noun else WORDS[start][1]


@pytest.mark.parametrize("unit", ["any", "nominal"])
def test_the_dutch_document_differs_in_7_of_16_as_the_program_prints(data, unit):
    corpus = dutch(data, profile="compareval")
    report = corpus.changes(("corea", "dutch"), unit=unit, pronouns="VNW")
    assert total(report) == (7, 16)
    assert transitions(report) == {"fp → tn": 5, "wl → tp": 1, "fn → tp": 1}


def test_pronouns_of_tags_are_refused(write):
    tags = {name: write(f"{name}.conll", "a\tX\n") for name in ("a", "b")}
    corpus = coleval.load(write("gold.conll", "a\tX\n"), tags, task="tag")
    with pytest.raises(UsageError, match="mentions of coreference"):
        corpus.changes(pronouns="PRP")


def test_pronouns_are_refused_where_gold_has_no_tags(write):
    corpus = loaded(write, document([A, C]), a=document([A, C]), b=document([A, B]))
    with pytest.raises(UsageError, match="no part-of-speech tags") as caught:
        corpus.changes(pronouns="PRP")
    assert caught.value.remedy == "name their column: --columns pos=5"


def test_the_command_line_takes_the_tags_of_pronouns(write, capsys):
    files = [write("gold.conll", tagged(words([0, 1]))), f"a={write('a', tagged(words([0, 3])))}",
             f"b={write('b', tagged({}))}"]  # fmt: skip
    form = ["--table", "summary", "--as", "csv", "--quiet"]
    code = main(["changes", *map(str, files), "--task", "coref", "--pronouns", "PRP,CD", *form])
    assert code == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("a,b,2,1,")


@pytest.mark.parametrize("unit", ["any", "nominal"])
def test_a_store_loaded_without_the_profile_gives_the_same(write, tmp_path, capsys, unit):
    layers = {"gold": words([0, 1, 2]), "a": words([0, 3, 7], [1, 2]), "b": words([3, 7], [5, 6])}
    files = [str(write(f"{name}.conll", tagged(layer))) for name, layer in layers.items()]
    store = str(tmp_path / "store")
    assert main(["load", *files, "-o", store, "--quiet"]) == 0
    capsys.readouterr()
    answers = []
    for sources in (files, [store]):
        asked = ["changes", *sources, "--profile", "compareval", "--unit", unit, "--as", "json"]
        assert main(asked) == 0
        answers.append(json.loads(capsys.readouterr().out))
    from_files, from_store = answers
    assert "profile:compareval" in from_files["signature"]
    assert from_store == from_files


def test_a_store_of_tags_is_refused_under_the_profile_with_what_to_do(write, tmp_path, capsys):
    tags = [str(write(f"{name}.conll", "a\tX\n\n")) for name in ("gold", "a", "b")]
    store = str(tmp_path / "store")
    assert main(["load", *tags, "--task", "tag", "-o", store, "--quiet"]) == 0
    assert main(["changes", store, "--profile", "compareval"]) == 2
    assert "coleval load … --fresh" in capsys.readouterr().err
