"""Tags to spans: drawn tables, then every scheme and repair against the oracle and seqeval."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coleval.corpus.coding import Coder
from coleval.corpus.schemes import decode, looks_tagged, parse_tag, scheme_named, tag_table
from coleval.errors import UsageError

SCHEMES = ("iob1", "iob2", "io", "bioes", "bilou", "bmes", "any")
POLICIES = ("begin", "discard", "extend")


def decoded(sentences, scheme="iob2", repair="begin", *, suffix=False):
    """Return spans as (sentence, begin, end, type), and the number of repairs."""
    tags, kinds = Coder(outside=frozenset({"O"})), Coder()
    lengths = [len(sentence) for sentence in sentences]
    codes = tags.encode(
        pl.Series([tag for sentence in sentences for tag in sentence], dtype=pl.String)
    )
    number = np.repeat(np.arange(len(sentences)), lengths)
    starts = np.cumsum([0, *lengths])
    breaks = np.diff(number, prepend=-1) != 0
    named = scheme_named(scheme)
    table = tag_table(tags.labels, kinds.code, named, suffix=suffix)
    found = decode(codes, breaks, table, named, repair)
    spans = [
        (
            int(number[a]),
            int(a - starts[number[a]]),
            int(b - starts[number[a]]),
            kinds.labels[k - 1],
        )
        for a, b, k in zip(found.start, found.end, found.kind, strict=True)
    ]
    return spans, found.repairs


def spans(text, scheme="iob2", repair="begin", **options):
    """Return what ``decoded`` does for one sentence written in a line, without its number."""
    found, repairs = decoded([text.split()], scheme, repair, **options)
    return [span[1:] for span in found], repairs


# ------------------------------------------------------------------------------- drawn tables


@pytest.mark.parametrize(("tags", "scheme", "repair", "repairs", "expected"), [
    # A tag of another type breaks the span before it; an inside tag that follows nothing is one.
    ("B-PER I-LOC", "iob2", "begin", 1, "0-1:PER 1-2:LOC"),
    ("B-PER I-LOC", "iob2", "discard", 1, "0-1:PER"),
    ("B-PER I-LOC", "iob2", "extend", 1, "0-2:PER"),
    ("O I-PER I-PER O", "iob2", "begin", 1, "1-3:PER"),
    ("O I-PER I-PER O", "iob2", "discard", 1, ""),
    ("O I-PER I-PER O", "iob2", "extend", 1, "1-3:PER"),
    # A span that does not end is broken, and nothing goes on after a single.
    ("B-PER I-PER O", "bioes", "begin", 1, "0-2:PER"),
    ("B-PER I-PER O", "bioes", "discard", 1, ""),
    ("B-PER I-PER O", "bilou", "begin", 1, "0-2:PER"),
    ("B-PER I-PER O", "bilou", "discard", 1, ""),
    ("B-PER M-PER O", "bmes", "begin", 1, "0-2:PER"),
    ("B-PER M-PER O", "bmes", "discard", 1, ""),
    ("S-PER I-PER", "bioes", "begin", 1, "0-1:PER 1-2:PER"),
    ("S-PER I-PER", "bioes", "discard", 1, "0-1:PER"),
    # A letter that the scheme has not breaks it; neighbours of one type are one span under io.
    ("S-A", "iob2", "begin", 1, "0-1:A"),
    ("B-A I-A", "io", "discard", 1, ""),
    ("U-A", "bioes", "discard", 1, ""),
    ("I-A B-A", "io", "begin", 1, "0-1:A 1-2:A"),
    ("I-A I-A I-B I-A", "io", "begin", 0, "0-2:A 2-3:B 3-4:A"),
    # A type keeps every hyphen but the first; bare labels are no spans, letters alone are.
    ("B-creative-work I-creative-work", "iob2", "begin", 0, "0-2:creative-work"),
    ("LOCATION B-PER ORGANIZATION", "iob2", "begin", 0, "1-2:PER"),
    ("B I O B", "iob2", "begin", 0, "0-2:_ 3-4:_"),
    ("O O", "iob2", "begin", 0, ""),
    ("O O", "iob2", "discard", 0, ""),
    ("O O", "iob2", "extend", 0, ""),
    # Stacked tags are read type by type, and one type on itself is two spans.
    ("B-A I-A|B-B I-A|I-B I-B", "iob2", "begin", 0, "0-3:A 1-4:B"),
    ("B-A|B-A I-A|B-A O B-A|B-A", "iob2", "begin", 0, "0-1:A 0-2:A 1-2:A 3-4:A 3-4:A"),
])  # fmt: skip
def test_these_tags_are_these_spans(tags, scheme, repair, repairs, expected):
    found, broken = spans(tags, scheme, repair)
    written = [f"{begin}-{end}:{kind}" for begin, end, kind in found]
    assert (sorted(written) if "|" in tags else written) == expected.split()
    assert broken == repairs


def test_the_letter_may_come_last_and_a_type_has_every_hyphen_but_one():
    assert spans("NP-B NP-I O A-B-S", "any", suffix=True) == ([(0, 2, "NP"), (3, 4, "A-B")], 0)
    assert spans("NP-B NP-I", "any", suffix=False) == ([], 0)
    assert parse_tag("B-LOC-CITY") == ("B", "LOC-CITY")


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("B-PER I-PER B-PER O I-PER", "any"),
        ("B-A E-A S-A B-A I-A E-A", "bioes"),
        ("B-A L-A U-A B-A I-A L-A", "bilou"),
        ("B-A E-A S-A B-A M-A E-A", "bmes"),
        ("I-A B-A I-A B-A O I-A I-B", "iob1"),
        ("I-A I-A I-B O I-A", "io"),
        ("B-A B-A I-A O B-B", "iob2"),
    ],
)
def test_what_a_scheme_allows_is_no_repair(tags, scheme):
    found, repairs = spans(tags, scheme)
    assert repairs == (1 if scheme == "any" else 0)
    assert len(found) == {"any": 3, "iob1": 5, "io": 3}.get(scheme, 3)


def test_no_span_reaches_over_a_sentence():
    assert decoded([["B-A"], ["I-A"]], "iob2") == ([(0, 0, 1, "A"), (1, 0, 1, "A")], 1)


def test_a_lower_case_o_is_a_label_and_not_outside():
    assert not looks_tagged(["o", "B-PER"], frozenset({"O"}))
    assert looks_tagged(["O", "B-PER"], frozenset({"O"}))


@pytest.mark.parametrize(
    "label", ["NOUN", "LOCATION", "o", "X-PER", "b-PER", "BI-PER", "B-", "-", ""]
)
def test_a_bare_label_is_no_tag(label):
    assert parse_tag(label) is None


def test_a_misspelt_scheme_is_told_its_near_misses():
    with pytest.raises(UsageError, match="did you mean `bioes`"):
        scheme_named("bioe")


# ---------------------------------------------------------------------------------- the oracle

LETTERS = "BIESLUM"
TAG = st.one_of(
    st.just("O"),
    st.builds("{}-{}".format, st.sampled_from(LETTERS), st.sampled_from(["PER", "LOC", "LOC-X"])),
    st.builds("{}-PER".format, st.sampled_from("BI")),
    st.sampled_from(["B", "I", "PER", "o"]),
)
TEXT = st.lists(st.lists(TAG, min_size=1, max_size=9), min_size=1, max_size=4)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", POLICIES)
@given(text=TEXT)
def test_spans_are_those_of_the_plain_loop(scheme, repair, text):
    expected, repairs = [], 0
    for number, sentence in enumerate(text):
        here, broken = oracle.spans(sentence, scheme, repair)
        expected += [(number, *span) for span in here]
        repairs += broken
    assert decoded(text, scheme, repair) == (expected, repairs)


@given(text=TEXT)
def test_the_letter_in_front_and_behind_means_the_same(text):
    turned = [["-".join(t.split("-", 1)[::-1]) for t in sentence] for sentence in text]
    assert decoded(turned, "any", suffix=True) == decoded(text, "any")


@pytest.mark.parametrize("scheme", ["iob1", "iob2", "bioes"])
@pytest.mark.parametrize("repair", ["begin", "discard"])
@given(text=st.lists(st.tuples(*[st.sampled_from("OBIES")] * 2), min_size=1, max_size=9))
def test_stacked_types_are_read_as_if_each_stood_alone(scheme, repair, text):
    alone = [
        [f"{letter}-{kind}" if letter != "O" else "O" for letter in letters]
        for kind, letters in zip("AC", zip(*text, strict=True), strict=True)
    ]
    stacked = ["|".join(t for t in tags if t != "O") or "O" for tags in zip(*alone, strict=True)]
    expected = [oracle.spans(tags, scheme, repair) for tags in alone]
    found, repairs = decoded([stacked], scheme, repair)
    assert sorted(span[1:] for span in found) == sorted(s for here, _ in expected for s in here)
    assert repairs == sum(broken for _, broken in expected)


SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), st.sampled_from("AB")), max_size=4)


@pytest.mark.parametrize("scheme", ["iob2", "bioes", "bilou", "bmes"])
@given(gaps=SPANS)
def test_spans_written_as_tags_are_read_back(scheme, gaps):
    placed, at = [], 0
    for gap, length, kind in gaps:
        placed.append((at + gap, at + gap + length, kind))
        at += gap + length
    tags = oracle.tagged(placed, at + 1, scheme)
    for repair in POLICIES:
        found, repairs = decoded([tags], scheme, repair)
        assert ([span[1:] for span in found], repairs) == (placed, 0)


STACK = st.lists(TAG, min_size=2, max_size=3).map("|".join)
STACKED = st.lists(st.lists(st.one_of(TAG, TAG, TAG, STACK), min_size=1, max_size=6), min_size=2,
                max_size=4)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", POLICIES)
@given(text=STACKED)
def test_a_sentence_is_read_as_if_it_were_the_whole_file(scheme, repair, text):
    expected, repairs = [], 0
    for number, sentence in enumerate(text):
        here, broken = decoded([sentence], scheme, repair)
        expected += [(number, *span[1:]) for span in here]
        repairs += broken
    found, all_repairs = decoded(text, scheme, repair)
    assert (sorted(found), all_repairs) == (sorted(expected), repairs)


def test_extend_is_the_same_with_stacked_tags_in_another_sentence():
    alone = decoded([["B-PER", "I-LOC"]], repair="extend")
    beside, _ = decoded([["B-PER", "I-LOC"], ["B-A|B-B"]], repair="extend")
    assert alone == ([(0, 0, 2, "PER")], 1)
    assert beside[:1] == alone[0]


def test_extend_is_the_same_with_stacked_tags_behind_a_gap():
    found, _ = decoded([["B-PER", "I-LOC", "O", "B-A|B-B"]], repair="extend")
    assert found[0] == (0, 0, 2, "PER")


# ------------------------------------------------------------------------------------- seqeval

TYPED = st.builds("{}-{}".format, st.sampled_from("BIES"), st.sampled_from(["PER", "LOC-X"]))
SEQEVAL = st.lists(
    st.lists(st.one_of(st.just("O"), TYPED), min_size=1, max_size=9), min_size=1, max_size=4
)


@given(text=SEQEVAL)
def test_begin_over_all_letters_is_what_seqeval_does_by_default(text):
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    expected = [
        (number, begin, end + 1, kind)
        for number, sentence in enumerate(text)
        for kind, begin, end in labeling.get_entities(sentence)
    ]
    assert decoded(text, "any", "begin")[0] == expected


@pytest.mark.parametrize(("scheme", "theirs", "letters"), [
    ("iob2", "IOB2", "BI"), ("bioes", "IOBES", "BIES"), ("bilou", "BILOU", "BILU"),
])  # fmt: skip
@given(draw=st.data())
def test_discard_is_seqevals_strict_mode(scheme, theirs, letters, draw):
    peers = pytest.importorskip("seqeval.scheme")
    typed = st.builds("{}-{}".format, st.sampled_from(letters), st.sampled_from(["PER", "LOC"]))
    line = st.lists(st.one_of(st.just("O"), typed), min_size=1, max_size=9)
    text = draw.draw(st.lists(line, min_size=1, max_size=4))
    entities = peers.Entities(text, getattr(peers, theirs)).entities
    expected = [(e.sent_id, e.start, e.end, e.tag) for here in entities for e in here]
    assert decoded(text, scheme, "discard")[0] == expected


@given(text=SEQEVAL)
def test_sound_iob1_is_read_as_seqeval_reads_it(text):
    peers = pytest.importorskip("seqeval.scheme")
    sound = [s for s in text if not oracle.spans(s, "iob1", "begin")[1]] or [["O"]]
    entities = peers.Entities(sound, peers.IOB1).entities
    expected = [(e.sent_id, e.start, e.end, e.tag) for here in entities for e in here]
    assert decoded(sound, "iob1", "discard") == (expected, 0)
