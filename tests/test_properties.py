"""What must hold for any corpus: random small ones, written as files and read as users would."""

from __future__ import annotations

import gzip
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coleval
import oracle


def one_in(share):
    """Return a decorator: so much fewer cases than usual, for these are dear."""
    return settings(max_examples=settings.default.max_examples // share)


FEW = one_in(3)
RATIOS = ("precision", "recall", "f1")
MEANS = tuple(f"{kind}_{name}" for kind in ("macro", "weighted") for name in RATIOS)

FORMS = st.sampled_from(
    ["the", "New", "York", "#", '"', "NA", "null", "1", "ü", "''", "-", "\u2028"]
)
KINDS = ("PER", "LOC", "creative-work")
TAGS = st.one_of(
    st.just("O"),
    st.builds("{}-{}".format, st.sampled_from("BI"), st.sampled_from(KINDS)),
)
LABELS = st.sampled_from(["NOUN", "VERB", "o", "x-y", "NA"])


@st.composite
def corpora(draw, tags=TAGS, systems=2, sentences=5):
    """Return the sentences of gold, and as many for each system, over the same tokens."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=sentences))
    forms = [[draw(FORMS) for _ in range(n)] for n in lengths]

    def layer(base=None):
        out = []
        for k, sentence in enumerate(forms):
            own = [draw(tags) for _ in sentence]
            keep = [base is not None and draw(st.booleans()) for _ in sentence]
            out.append(
                [
                    (form, base[k][at][1] if keep[at] else own[at])
                    for at, form in enumerate(sentence)
                ]
            )
        return out

    gold = layer()
    return gold, {f"s{k}": layer(gold) for k in range(systems)}


def text(sentences, separator=" ", end="\n"):
    return end.join(
        "".join(f"{form}{separator}{label}{end}" for form, label in sentence)
        for sentence in sentences
    )


@contextmanager
def files(**contents):
    """Write files into a directory that is gone afterwards; yield their paths by name."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, content in contents.items():
            paths[name] = Path(folder, name)
            paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
        yield paths


def load(gold, systems, *, write=text, **options):
    """Return the corpus of sentences written to files and read again."""
    options.setdefault("task", "span")
    with files(gold=write(gold), **{n: write(s) for n, s in systems.items()}) as paths:
        return coleval.load(paths["gold"], {n: paths[n] for n in systems}, **options)


def rows(corpus, **options):
    """Return the overall row of each system, by name."""
    return {row["system"]: row for row in corpus.score(**options).table("overall").to_dicts()}


def labels(corpus, **options):
    """Return the row of each label that the system or gold has, by system and label."""
    return {
        (row["system"], row["label"]): row
        for row in corpus.score(**options).table("labels").to_dicts()
        if row["tp"] + row["fp"] + row["fn"]
    }


def cells(corpus, system, **options):
    table = corpus.confusion(**options).table("confusion")
    return {(r["gold"], r["answer"]): r["n"] for r in table.to_dicts() if r["system"] == system}


def tables(corpus, **options):
    return [
        report.table(name).to_dicts()
        for report in (corpus.score(**options), corpus.confusion(**options))
        for name in report.tables
    ]


def same(found, expected):
    """Ask for equal values, but ratios may differ in their last bits."""
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(value, abs=1e-12) if isinstance(value, float) else value
        for name, value in expected.items()
    }


# --------------------------------------------------------------------------------- the oracle


@pytest.mark.parametrize("repair", ["begin", "discard", "extend"])
@pytest.mark.parametrize("scheme", ["iob2", "iob1", "io"])
@one_in(4)
@given(corpus=corpora())
def test_spans_score_as_the_plain_loop_has_it(scheme, repair, corpus):
    gold, systems = corpus
    systems = {**systems, "mute": [[(form, "O") for form, _ in s] for s in gold], "same": gold}
    found = load(gold, systems, scheme=scheme, repair=repair)
    overall, by_label = rows(found), labels(found)
    for name, system in systems.items():
        whole, parts = oracle.score_spans(gold, system, scheme, repair)
        same(overall[name], whole)
        assert {label for s, label in by_label if s == name} == set(parts)
        for label, part in parts.items():
            same(by_label[name, label], part)


@FEW
@given(corpus=corpora())
def test_span_confusion_is_that_of_the_plain_loop(corpus):
    gold, systems = corpus
    found = load(gold, systems)
    for name, system in systems.items():
        sets = [oracle.corpus_spans(layer)[0] for layer in (gold, system)]
        assert cells(found, name) == oracle.confusion(*sets)


@pytest.mark.parametrize(("tags", "outside"), [(TAGS, "O"), (LABELS, None)], ids=["BIO", "POS"])
@one_in(3)
@given(draw=st.data())
def test_tokens_score_as_the_plain_loop_has_it(tags, outside, draw):
    gold, systems = draw.draw(corpora(tags))
    found = load(gold, systems, task="tag", outside=outside)
    overall, by_label = rows(found), labels(found)
    for name, system in systems.items():
        whole, parts = oracle.score_tags(gold, system, outside)
        same(overall[name], whole)
        for label, part in parts.items():
            same(by_label[name, label], part)
        assert cells(found, name) == oracle.tag_confusion(gold, system, outside)


@FEW
@given(corpus=corpora())
def test_the_token_view_of_spans_takes_outside_for_nothing(corpus):
    gold, systems = corpus
    found = rows(load(gold, systems), unit="token")
    for name, system in systems.items():
        whole, _ = oracle.score_tags(gold, system, "O")
        same(found[name], {k: v for k, v in whole.items() if k != "repairs"})


SETS = st.lists(
    st.tuples(*[st.sets(st.sampled_from(["a", "b", "c=d", "e"]), max_size=3)] * 3),
    min_size=1,
    max_size=8,
)


@FEW
@given(instances=SETS)
def test_multi_label_averages_are_those_of_the_plain_loop(instances):
    gold, one, two = (list(column) for column in zip(*instances, strict=True))
    lines = [
        "\t".join([f"i{k}", *("|".join(sorted(s)) or "_" for s in row)])
        for k, row in enumerate(instances)
    ]
    every = set().union(*gold, *one, *two)
    with files(gold="\n".join(["item\tg\tone\ttwo", *lines, ""])) as paths:
        columns = "id=item,gold=g,system=one,system=two"
        found = coleval.load(
            paths["gold"], columns=columns, task="label", separator="|", format="table"
        )
    overall = rows(found)
    for name, system in {"one": one, "two": two}.items():
        whole, _ = oracle.score_label_sets(gold, system, every)
        if every:
            same(overall[name], whole)


# --------------------------------------------------------------------------------- permutations


@FEW
@given(corpus=corpora(), draw=st.data())
def test_the_order_of_sentences_changes_nothing(corpus, draw):
    gold, systems = corpus
    order = draw.draw(st.permutations(range(len(gold))))
    moved = {name: [system[k] for k in order] for name, system in systems.items()}
    assert tables(load([gold[k] for k in order], moved)) == tables(load(gold, systems))


@FEW
@given(corpus=corpora(systems=3), draw=st.data())
def test_the_order_of_systems_changes_no_systems_row(corpus, draw):
    gold, systems = corpus
    order = draw.draw(st.permutations(list(systems)))
    a, b = load(gold, systems), load(gold, {name: systems[name] for name in order})
    assert tables(a)[:2] == tables(b)[:2]
    assert all(cells(a, name) == cells(b, name) for name in systems)


@FEW
@given(corpus=corpora())
def test_the_names_of_labels_change_nothing(corpus):
    gold, systems = corpus
    new = {"PER": "A", "LOC": "z", "creative-work": "PER"}

    def renamed(sentences):
        return [
            [(form, f"{tag[:2]}{new[tag[2:]]}" if tag != "O" else tag) for form, tag in sentence]
            for sentence in sentences
        ]

    a, b = load(gold, systems), load(renamed(gold), {n: renamed(s) for n, s in systems.items()})
    theirs = rows(b)
    for name, row in rows(a).items():
        same(theirs[name], row)
    mapped = {(s, new[label]): row | {"label": new[label]} for (s, label), row in labels(a).items()}
    assert mapped == labels(b)
    for name in systems:
        turned = {(new.get(g), new.get(x)): n for (g, x), n in cells(a, name).items()}
        assert turned == cells(b, name)


# ------------------------------------------------------------------------------------- algebra


@FEW
@given(corpus=corpora(), draw=st.data())
def test_counts_add_over_documents(corpus, draw):
    gold, systems = corpus
    starts = {0, *draw.draw(st.sets(st.integers(0, len(gold) - 1)))}

    def documents(sentences):
        return "".join(
            ("-DOCSTART- O\n\n" if k in starts else "") + text([sentence]) + "\n"
            for k, sentence in enumerate(sentences)
        )

    found = load(gold, systems, write=documents)
    plain = load(gold, systems)
    overall = rows(found)
    assert overall == rows(plain)
    names = [str(k + 1) for k in range(len(starts))]
    by_document = [rows(found, where=f"document = '{name}'") for name in names]
    for name in systems:
        for count in ("tp", "fp", "fn", "items", "correct"):
            assert sum(part[name][count] for part in by_document) == overall[name][count]


@pytest.mark.parametrize("scheme", ["bioes", "bilou", "bmes"])
@one_in(4)
@given(draw=st.data())
def test_the_same_spans_score_the_same_in_every_scheme(scheme, draw):
    gold, systems = draw.draw(corpora())

    def rewritten(sentences, to):
        out = []
        for sentence in sentences:
            spans, _ = oracle.spans([tag for _, tag in sentence], "iob2", "begin")
            tags = oracle.tagged(spans, len(sentence), to)
            out.append([(form, tag) for (form, _), tag in zip(sentence, tags, strict=True)])
        return out

    found = [
        tables(
            load(rewritten(gold, to), {n: rewritten(s, to) for n, s in systems.items()}, scheme=to)
        )
        for to in ("iob2", scheme)
    ]
    assert found[0] == found[1]


# ------------------------------------------------------------------------- systems among systems


@pytest.mark.parametrize(
    "repair",
    [
        "begin",
        "discard",
        "extend",
    ],
)
def test_a_system_with_stacked_tags_changes_no_other_systems_row(repair):
    gold = [[("a", "B-A"), ("b", "I-A")]]
    plain = [[("a", "B-A"), ("b", "I-B")]]
    stacked = [[("a", "B-A|B-B"), ("b", "O")]]
    together = load(gold, {"plain": plain, "stacked": stacked}, repair=repair)
    assert rows(together)["plain"] == rows(load(gold, {"plain": plain}, repair=repair))["plain"]


def test_another_system_changes_no_confusion_where_labels_share_an_extent():
    gold = [[("a", "B-A|B-B")]]
    one = [[("a", "B-X|B-Y")]]
    other = [[("a", "B-Y")]]
    together = load(gold, {"other": other, "one": one})
    assert cells(together, "one") == cells(load(gold, {"one": one}), "one")


# --------------------------------------------------------------------------------- ways of reading

VARIANTS = {
    "tab": lambda s: text(s, "\t"),
    "crlf": lambda s: text(s, " ", "\r\n"),
    "tab-crlf": lambda s: text(s, "\t", "\r\n"),
    "bom": lambda s: "\ufeff" + text(s),
    "no-final-newline": lambda s: text(s).rstrip("\n"),
    "blank-lines-of-spaces": lambda s: text(s).replace("\n\n", "\n  \t\n"),
    "many-blank-lines": lambda s: "\n" + text(s).replace("\n\n", "\n\n\n") + "\n\n",
    "runs-of-spaces": lambda s: text(s, "   "),
    "gzip": lambda s: gzip.compress(text(s).encode()),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("who", ["gold", "system", "both"])
@one_in(10)
@given(corpus=corpora())
def test_how_a_file_is_written_changes_nothing(who, variant, corpus):
    gold, systems = corpus
    write = VARIANTS[variant]
    contents = {"gold": write(gold) if who != "system" else text(gold)}
    contents |= {n: write(s) if who != "gold" else text(s) for n, s in systems.items()}
    with files(**contents) as paths:
        found = coleval.load(paths["gold"], {n: paths[n] for n in systems}, task="span")
    expected = load(gold, systems)
    assert tables(found) == tables(expected)
    assert found.items.equals(expected.items)


@FEW
@given(corpus=corpora(sentences=8), draw=st.data())
def test_a_file_nearly_gold_is_read_as_one_that_is_read_in_full(corpus, draw):
    gold, systems = corpus
    near = [
        [(form, draw.draw(TAGS) if draw.draw(st.integers(0, 9)) == 0 else tag) for form, tag in s]
        for s in gold
    ]
    guided = load(gold, {"near": near} | systems)
    with files(
        gold=text(gold),
        near=text(near, " ", "\r\n"),
        **{n: text(s, " ", "\r\n") for n, s in systems.items()},
    ) as paths:
        full = coleval.load(paths["gold"], {n: paths[n] for n in ("near", *systems)}, task="span")
    assert tables(guided) == tables(full)
    assert guided.items.equals(full.items)
