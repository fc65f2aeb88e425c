"""Systems with tokens of their own: which word is which, and what becomes of the others."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import DataError
from coleval.loading.align.characters import characters
from coleval.loading.align.position import GoldText, align
from coleval.loading.align.words import Word, matched, walked
from coleval.loading.readers.model import Multiwords, TokenFile

GOLD = "New-York B-LOC\nis O\nbig O\n. O\n\nMr. O\nSmith B-PER\nJr. I-PER\nsings O\n. O\n"
CUT = (
    "New B-LOC\n-York B-ORG\nis O\nbig O\n. O\n\n"
    "Mr B-MISC\n. O\nSmith B-PER\nJr. I-PER\nsings O\n. O\n"
)
GLUED = "New-York B-LOC\nis O\nbig O\n. O\nMr. O\nSmithJr. B-PER\nsings O\n. O\n"


def token_file(sentences, path="a.conllu"):
    """The file of sentences of tokens; a token of several words is written ``du=de+le``."""
    forms, sentence, multi = [], [], []
    for number, text in enumerate(sentences):
        for token in text:
            form, _, words = token.partition("=")
            parts = words.split("+") if words else [form]
            if words:
                multi.append((form, len(forms), len(forms) + len(parts)))
            forms += parts
            sentence += [number] * len(parts)
    several = None
    if multi:
        form, first, end = zip(*multi, strict=True)
        several = Multiwords(pl.Series(form), np.array(first), np.array(end))
    line = np.arange(1, len(forms) + 1, dtype=np.uint32)
    kind = np.array(sentence, np.int32)
    return TokenFile(path, pl.Series(forms, dtype=pl.String), kind, line, {}, multiwords=several)


def pairs(gold, system):
    """Gold's word for each of the system's, as text; None for none."""
    ours, theirs = token_file([gold.split()]), token_file([system.split()])
    found = matched(characters(ours), characters(theirs))
    return [(theirs.form[k], None if g < 0 else ours.form[int(g)]) for k, g in enumerate(found)]


def test_words_in_the_same_place_are_the_same_word():
    assert pairs("can not stop", "cannot stop") == [("cannot", None), ("stop", "stop")]
    assert pairs("cannot stop", "can not stop") == [("can", None), ("not", None), ("stop", "stop")]
    assert pairs("a b c", "ab c") == [("ab", None), ("c", "c")]


def test_words_of_one_token_are_matched_by_their_forms_whatever_the_case():
    assert pairs("du=de+le chat", "du=De+LE chat") == [("De", "de"), ("LE", "le"), ("chat", "chat")]
    assert pairs("du=de+le chat", "du chat") == [("du", None), ("chat", "chat")]
    assert pairs("I 'm", "I'm=I+am") == [("I", "I"), ("am", None)]
    assert pairs("vamonos=vamos+nos", "vamonos=va+mos+nos") == [
        ("va", None), ("mos", None), ("nos", "nos"),
    ]  # fmt: skip


def test_the_longest_common_subsequence_is_matched_and_gold_moves_first_at_a_tie():
    assert pairs("abc=a+b+c", "abc=b+a+c") == [("b", "b"), ("a", None), ("c", "c")]
    assert pairs("xy=x+y", "xy=y+x") == [("y", "y"), ("x", None)]


def test_forms_may_hold_spaces_of_any_kind():
    ours, theirs = token_file([["3 000", "km"]]), token_file([["3", "\u00a0000", "km"]])
    assert matched(characters(ours), characters(theirs)).tolist() == [-1, -1, 1]
    ours, theirs = token_file([["3 000", "km"]]), token_file([["3\u2009000", "km"]])
    assert matched(characters(ours), characters(theirs)).tolist() == [0, 1]


def test_a_token_of_nothing_but_a_space_meets_its_like():
    ours = token_file([["a", "\u00a0", "b", "c"]])
    theirs = token_file([["a", "\u00a0", "bc"]])
    assert matched(characters(ours), characters(theirs)).tolist() == [0, 1, -1]


TOKENS = st.integers(0, 2**32).map(np.random.default_rng)


def cut(text, random):
    """Cut a text into sentences of tokens, some of several words, at random."""
    sentences, at = [[]], 0
    while at < len(text):
        n = int(random.choice([1, 1, 2, 2, 3]))
        token = text[at : at + n]
        if random.random() < 0.2:
            words = [str(w) for w in random.choice([*token, token[:1], "a", "B"], size=2)]
            token += "=" + "+".join(words)
        sentences[-1].append(token)
        at += n
        if random.random() < 0.15 and at < len(text):
            sentences.append([])
    return sentences


def plain(side):
    start, end = side.start.tolist(), side.end.tolist()
    lower = [form.lower() for form in side.form]
    return tuple(map(Word, start, end, side.several.tolist(), lower))


@given(text=st.text("abé", min_size=1, max_size=40), random=TOKENS)
def test_all_words_at_once_are_matched_as_one_after_the_other(text, random):
    ours, theirs = (characters(token_file(cut(text, random))) for _ in range(2))
    found = matched(ours, theirs)
    expected = np.full(len(theirs.token), -1)
    for g, s in walked(plain(ours), plain(theirs)):
        expected[s] = g
    assert found.tolist() == expected.tolist()


@given(text=st.text("abé", min_size=1, max_size=40), random=TOKENS)
def test_a_text_aligned_with_itself_is_all_there_and_no_word_is_met_twice(text, random):
    one, other = token_file(cut(text, random)), token_file(cut(text, random))
    assert matched(characters(one), characters(one)).tolist() == list(range(len(one)))
    found = matched(characters(one), characters(other))
    met = found[found >= 0]
    assert (np.diff(met) > 0).all()


def test_other_sentences_alone_keep_the_alignment_by_position():
    found = align(GoldText(token_file([["a", "b"], ["c"]])), token_file([["a"], ["b", "c"]]))
    assert (found.match, found.breaks_differ) == (None, 2)


def test_other_tokens_as_many_in_each_sentence_are_aligned_by_their_characters():
    found = align(GoldText(token_file([["ab", "c", "d"]])), token_file([["a", "bc", "d"]]))
    assert found.match.tolist() == [-1, -1, 2]


def test_rewritten_tokens_are_aligned_by_position():
    found = align(GoldText(token_file([["`", "a", "b"]])), token_file([['"', "a", "b"]]))
    assert (found.match, found.forms_differ) == (None, 1)


def test_spans_over_other_tokens_are_gold_s_where_their_ends_are(write):
    corpus = coleval.load(
        write("g.conll", GOLD), [write("cut.conll", CUT), write("glued.conll", GLUED)]
    )
    rows = corpus.items.select(
        "form", "cut_at", "gold", corpus.systems[0], corpus.systems[1]
    ).rows()
    assert rows == [
        ("New-York", None, "LOC", None, "LOC"),
        ("New", "end", None, "LOC", None),
        ("-York", "start", None, "ORG", None),
        ("Mr", "end", None, "MISC", None),
        ("Smith Jr.", None, "PER", "PER", "PER"),
    ]


def test_a_span_that_covers_part_of_a_token_is_a_boundary_error(write):
    corpus = coleval.load(write("g.conll", GOLD), [write("cut.conll", CUT)])
    (row,) = corpus.errors().table("overall").filter(method="fair").to_dicts()
    assert [row[k] for k in ("tp", "fp", "fn", "le", "bes", "lbe")] == [1, 1, 0, 0, 1, 1]


def test_unaligned_tags_are_missed_and_spurious(write):
    corpus = coleval.load(
        write("g.conll", GOLD), [write("a.conll", CUT), write("b.conll", GLUED)], task="tag"
    )
    overall = {r["system"]: r for r in corpus.score().table("overall").to_dicts()}
    counts = {n: [r[k] for k in ("items", "correct", "tp", "fp", "fn")] for n, r in overall.items()}
    assert counts == {"a": [9, 7, 7, 4, 2], "b": [9, 7, 7, 1, 2]}
    extra = corpus.items.filter("not_in_gold").select("sentence", "form", "gold", "a", "b").rows()
    assert extra == [
        (0, "New", None, "B-LOC", None), (0, "-York", None, "B-ORG", None),
        (1, "Mr", None, "B-MISC", None), (1, ".", None, "O", None),
        (1, "SmithJr.", None, None, "B-PER"),
    ]  # fmt: skip


@pytest.mark.parametrize("task", ["tag", "span"])
def test_no_system_changes_what_another_is_counted(write, task):
    gold = write("g.conll", GOLD)
    paths = {"a": write("a.conll", CUT), "b": write("b.conll", GLUED), "c": write("c.conll", GOLD)}
    together = coleval.load(gold, paths, task=task).score().table("overall")
    for name, path in paths.items():
        (alone,) = coleval.load(gold, {name: path}, task=task).score().table("overall").to_dicts()
        (row,) = together.filter(system=name).to_dicts()
        kept = [k for k in alone if not k.startswith(("macro", "weighted"))]
        assert {k: row[k] for k in kept} == {k: alone[k] for k in kept}


@pytest.mark.parametrize("task", ["tag", "span"])
def test_a_store_of_aligned_systems_gives_the_same_tables(write, tmp_path, task):
    corpus = coleval.load(
        write("g.conll", GOLD), [write("a.conll", CUT), write("b.conll", GLUED)], task=task
    )
    again = coleval.open(corpus.save(tmp_path / "store"))
    for command in ("score", "bins", "changes", "oracle"):
        before, after = (getattr(c, command)() for c in (corpus, again))
        assert all(before.table(t).equals(after.table(t)) for t in before.tables)


def test_validate_tells_what_is_aligned_and_finds_nothing_fatal(write, capsys):
    paths = [write("g.conll", GOLD), write("a.conll", CUT.replace("B-PER", "I-PER"))]
    assert main(["validate", *map(str, paths), "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "aligned by characters: 7 of 11 words match gold's" in out
    assert "`I-PER` on `Smith`" in out


def refusal(write, gold, system, **options):
    with pytest.raises(DataError) as error:
        coleval.load(write("g.conll", gold), [write("s.conll", system)], **options)
    return error.value


def test_two_unicode_forms_of_one_text_are_told_apart_with_the_remedy(write):
    composed, taken_apart = "caf\u00e9 A\nbar B\n", "cafe\u0301 A\nbar B\n"
    found = refusal(write, composed, taken_apart, task="tag")
    assert "--normalise nfc" in found.remedy
    assert found.where.endswith("s.conll:1")
    corpus = coleval.load(
        write("g.conll", composed), [write("s.conll", taken_apart)], task="tag", normalise="nfc"
    )
    assert corpus.score().table("overall")["accuracy"].to_list() == [1.0]
    assert "normalise:nfc" in corpus.score().signature


def test_another_text_is_refused_with_both_contexts_and_both_lines(write):
    gold = "The A\ncan B\nnot C\nbe D\nred E\n"
    system = "The A\ncannot B\nbe D\nread E\n"
    found = refusal(write, gold, system, task="tag")
    assert found.where.endswith("s.conll:4")
    assert "`ad`" in found.problem
    assert "`d`" in found.problem
    assert "g.conll:5" in found.problem


def test_a_lost_line_is_still_told_as_a_lost_line(write):
    found = refusal(write, GOLD, GOLD.replace("big O\n", ""), task="span")
    assert "sentence 1 has 3 tokens, gold has 4" in found.problem
    assert "`.` against `big`" in found.problem


def _cut_otherwise(sentences: int, first: str) -> str:
    """Return sentences that begin with a token of two words, of which the first is cut so."""
    rows = ["1-2\tdello", f"1\t{first}", "2\tlo", "3\tw"]
    heads = ["_", "0", "1", "1"]
    lines = [f"{row}\t_\t_\t_\t_\t{head}\tx\t_\t_" for row, head in zip(rows, heads, strict=True)]
    return "\n".join([*lines, "", ""]) * sentences


def test_words_of_tokens_that_are_cut_otherwise_cost_what_they_are_many(write):
    def seconds(sentences):
        gold = write(f"g{sentences}.conllu", _cut_otherwise(sentences, "de"))
        run = write(f"s{sentences}.conllu", _cut_otherwise(sentences, "di"))
        begin = time.process_time()
        coleval.load(gold, {"s": run}, task="dep")
        return time.process_time() - begin

    small = min(seconds(2_000) for _ in range(3))
    # Eight times as many; it was forty times as long.
    assert min(seconds(16_000) for _ in range(3)) < 20 * small
