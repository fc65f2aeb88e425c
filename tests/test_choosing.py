"""Choosing systems or labels equals files that have only those: a property of every analysis."""

from __future__ import annotations

import io
import random

import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError
from conftest import seeds

KINDS = ("PER", "LOC", "ORG")
# What a file is like as a whole is no matter of labels: how many of its tags were repaired.
OF_FILES = ("item", "repairs")


def commands(systems):
    first, several = systems[0], len(systems) > 1
    return {
        "score": lambda c: c.score(),
        "confusion": lambda c: c.confusion(),
        "bins": lambda c: c.bins(items=True, words_top=5, profile=True),
        "oracle": lambda c: c.oracle(),
        "buckets": lambda c: c.buckets(),
        "agree": lambda c: c.agree(),
        "measure": lambda c: c.measure(),
        "pivot": lambda c: c.pivot(rows="gold", cols=first),
        "difficulty": lambda c: c.pivot(rows="difficulty", cols="spurious", value="accuracy"),
        "find": lambda c: c.pivot(find=first, least=1),
        "sql": lambda c: c.sql("select * from item order by all"),
        **({"changes": lambda c: c.changes(items=True)} if several else {}),
        **({"compare": lambda c: c.compare(replicates=50)} if several else {}),
    }


def outcome(command, corpus):
    """Return the rows of all tables, those that list items in any order; or what was wrong."""
    try:
        found = command(corpus)
    except ColevalError as error:
        return str(error)
    tables = {"sql": found} if isinstance(found, pl.DataFrame) else found.tables
    rows = {}
    for name, frame in tables.items():
        kept = [
            {k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()
             if k not in OF_FILES}
            for row in frame.to_dicts()
        ]  # fmt: skip
        rows[name] = sorted(kept, key=repr) if name in ("items", "sql", "words") else kept
    return rows


def assert_alike(chosen, fewer, extra=()):
    every = commands(fewer.systems) | dict(extra)
    different = {
        n for n, command in every.items() if outcome(command, chosen) != outcome(command, fewer)
    }
    assert different == set()


ERRORS = {"errors": lambda c: c.errors(items=True)}


def tags(rng, *, stacked):
    def tag():
        if rng.random() < 0.45:
            return "O"
        second = f"|B-{rng.choice(KINDS)}" if stacked and rng.random() < 0.35 else ""
        return f"{rng.choice('BI')}-{rng.choice(KINDS)}{second}"

    return tag


def layers(rng, make):
    """Return the forms of a few sentences, gold's labels, and those of three systems near it."""
    forms = [
        [rng.choice("ab.") for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 5))
    ]
    gold = [[make() for _ in sentence] for sentence in forms]
    systems = {
        f"s{k}": [[g if rng.random() < 0.5 else make() for g in sentence] for sentence in gold]
        for k in range(3)
    }
    return forms, gold, systems


def text(forms, labels):
    return "\n".join(
        "".join(f"{form}\t{label}\n" for form, label in zip(*pair, strict=True))
        for pair in zip(forms, labels, strict=True)
    )


def some(rng, names, least=1):
    chosen = rng.sample(sorted(names), rng.randint(least, len(names)))
    return [name for name in sorted(names) if name in chosen]


def written(tmp_path, forms, gold, systems):
    paths = {name: tmp_path / name for name in ("gold", *systems)}
    for name, labels in {"gold": gold, **systems}.items():
        paths[name].write_text(text(forms, labels), encoding="utf-8")
    return paths.pop("gold"), paths


@pytest.mark.parametrize("unit", ["span", "token"])
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("seed", seeds(1, 9))
def test_systems_of_tagged_text(tmp_path, seed, stacked, unit):
    rng = random.Random(f"{seed}{stacked}{unit}")
    gold, systems = written(tmp_path, *layers(rng, tags(rng, stacked=stacked)))
    names = some(rng, systems)
    options = {"task": "span", "unit": unit, "where": rng.choice(["", "gold is not null"])}
    chosen = coleval.load(gold, systems, **options).chosen(names)
    fewer = coleval.load(gold, {name: systems[name] for name in names}, **options)
    assert_alike(chosen, fewer, ERRORS)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("seed", seeds(2, 9))
def test_labels_of_tagged_text(tmp_path, seed, stacked):
    rng = random.Random(f"{seed}{stacked}labels")
    forms, gold, systems = layers(rng, tags(rng, stacked=stacked))
    labels = rng.sample(KINDS, 2)

    def only(layer):
        kept = [[[p for p in tag.split("|") if p[2:] in labels] for tag in row] for row in layer]
        return [["|".join(parts) or "O" for parts in row] for row in kept]

    (tmp_path / "all").mkdir()
    (tmp_path / "only").mkdir()
    every = coleval.load(*written(tmp_path / "all", forms, gold, systems), task="span")
    restricted = {name: only(layer) for name, layer in systems.items()}
    fewer = coleval.load(*written(tmp_path / "only", forms, only(gold), restricted), task="span")
    excluded = [kind for kind in KINDS if kind not in labels and kind in every.at().labels]
    assert_alike(every.with_options(exclude=excluded), fewer, ERRORS)


@pytest.mark.parametrize("seed", seeds(1, 9))
def test_systems_of_words_with_one_tag_before_or_after_labels(tmp_path, seed):
    rng = random.Random(f"{seed}tags")
    gold, systems = written(tmp_path, *layers(rng, lambda: rng.choice("NVD")))
    names = some(rng, systems)
    every = coleval.load(gold, systems, task="tag")
    fewer = coleval.load(gold, {name: systems[name] for name in names}, task="tag")
    assert_alike(every.chosen(names), fewer)
    label = every.items["gold"].cast(pl.String)[0]
    assert_alike(
        every.chosen(names).with_options(labels=[label]), fewer.with_options(labels=[label])
    )


@pytest.mark.parametrize("separator", ["", "|"])
@pytest.mark.parametrize("seed", seeds(1, 9))
def test_systems_and_labels_of_instances(seed, separator):
    rng = random.Random(f"{seed}{separator}")

    def answer():
        return (
            "|".join(sorted(rng.sample("abcd", rng.randint(0, 3))))
            if separator
            else rng.choice("abcd")
        )

    n = rng.randint(2, 12)
    columns = {name: [answer() for _ in range(n)] for name in ("gold", "s0", "s1", "s2")}
    names = some(rng, ("s0", "s1", "s2"), least=2)

    def load(table):
        picks = ",".join(["gold=gold", *(f"system={name}" for name in table if name != "gold")])
        options = {"separator": separator} if separator else {}
        return coleval.load(pl.DataFrame(table), task="label", columns=picks, **options)

    every = load(columns)
    fewer = load({name: columns[name] for name in ("gold", *names)})
    assert_alike(every.chosen(names), fewer)
    # A label that all files have can be asked for in each of them.
    label = next(
        x for x in "abcd" if any(x in row.split("|") for row in columns["gold"]) or x == "d"
    )
    if any(label in row.split("|") for row in columns["gold"]):
        labelled = {"labels": [label]}
        assert_alike(every.chosen(names).with_options(**labelled), fewer.with_options(**labelled))
    if separator:
        bare = {
            name: ["|".join(x for x in row.split("|") if x in "ab") for row in column]
            for name, column in columns.items()
        }
        there = [x for x in "cd" if any(x in row for column in columns.values() for row in column)]
        assert_alike(every.with_options(exclude=there), load(bare))


def conllu(rng, sentences, *, own):
    """Return trees over sentences, some words cut in two where a system has its own tokens."""
    lines = []
    for sentence in sentences:
        words = list(sentence)
        if own and rng.random() < 0.6:
            at = rng.randrange(len(words))
            words[at : at + 1] = (
                [words[at][:1], words[at][1:]] if len(words[at]) > 1 else [words[at]]
            )
        root = rng.randrange(len(words))
        for at, word in enumerate(words):
            head = 0 if at == root else rng.choice([k for k in range(len(words)) if k != at]) + 1
            relation = "root" if at == root else rng.choice(["nsubj", "obj", "punct", "nmod:poss"])
            lines.append(
                f"{at + 1}\t{word}\t{word}\t{rng.choice('NVP')}\t_\t_\t{head}\t{relation}\t_\t_\n"
            )
        lines.append("\n")
    return "".join(lines)


@pytest.mark.parametrize("seed", seeds(2, 9))
def test_systems_of_trees_whoever_cuts_the_text_otherwise(tmp_path, seed):
    rng = random.Random(f"{seed}trees")
    sentences = [
        [rng.choice(["ab", "cd", "e", "fgh"]) for _ in range(rng.randint(1, 5))] for _ in range(3)
    ]
    gold = tmp_path / "gold.conllu"
    gold.write_text(conllu(rng, sentences, own=False), encoding="utf-8")
    systems = {f"s{k}": tmp_path / f"s{k}.conllu" for k in range(3)}
    for path in systems.values():
        path.write_text(conllu(rng, sentences, own=rng.random() < 0.5), encoding="utf-8")
    names = some(rng, systems)
    options = {"task": "dep", "metric": rng.choice(["las", "uas", "ls", "clas", "mlas", "upos"])}
    every = coleval.load(gold, systems, **options).chosen(names)
    fewer = coleval.load(gold, {name: systems[name] for name in names}, **options)
    assert_alike(every, fewer)
    assert_alike(every.with_options(labels=["root"]), fewer.with_options(labels=["root"]))


def chains(rng, sizes):
    lines = ["#begin document (d); part 0"]
    for size in sizes:
        cells = [[] for _ in range(size)]
        for at in {(rng.randrange(size), rng.randint(0, 1)) for _ in range(3)}:
            low, high = at[0], min(size - 1, sum(at))
            chain = rng.randint(1, 3)
            if low == high:
                cells[low].append(f"({chain})")
            else:
                cells[low].append(f"({chain}")
                cells[high].append(f"{chain})")
        lines += [f"d\t0\t{k}\tw\t{'|'.join(cell) or '-'}" for k, cell in enumerate(cells)] + [""]
    return "\n".join([*lines, "#end document", ""])


@pytest.mark.parametrize("seed", seeds(2, 9))
def test_systems_of_coreference(tmp_path, seed):
    rng = random.Random(f"{seed}chains")
    sizes = [rng.randint(2, 6) for _ in range(3)]
    systems = {f"s{k}": tmp_path / f"s{k}.conll" for k in range(3)}
    for path in (gold := tmp_path / "gold.conll", *systems.values()):
        path.write_text(chains(rng, sizes), encoding="utf-8")
    names = some(rng, systems)
    options = {"task": "coref", "duplicate_mentions": "first"}
    every = coleval.load(gold, systems, **options).chosen(names)
    fewer = coleval.load(gold, {name: systems[name] for name in names}, **options)
    assert_alike(every, fewer)


# --------------------------------------------------------------------------- by hand


def spans(write, **columns):
    """Return a corpus of four tokens, a column of tags a layer."""
    paths = {
        name: write(
            name,
            "".join(f"{form}\t{tag}\n" for form, tag in zip("abcd", layer.split(), strict=True)),
        )
        for name, layer in columns.items()
    }
    return coleval.load(paths.pop("gold"), paths, task="span")


def test_spans_of_a_third_system_are_no_items_of_two(write):
    every = spans(write, gold="B-X O O B-X", a1="B-X O O B-Y", a2="B-X O O B-X", a3="O B-X B-X O")
    row = every.chosen("a1,a2").agree().table("overall").row(0, named=True)
    assert (row["items"], row["alpha"]) == (2, 0.0)


def test_a_replaced_system_leaves_no_items_in_a_store(write, tmp_path):
    layers = {"gold": "B-X O O B-X", "a": "B-X O O B-Y"}
    spans(write, **layers, b="O B-X B-Z O").save(tmp_path / "store")
    stored = coleval.open(tmp_path / "store").chosen("a")
    assert len(stored.items) == 2
    assert stored.measure().table("rsa")["pairs"].to_list() == [1]


def instances(table, **options):
    frame = pl.read_csv(io.StringIO(table), infer_schema=False)
    picks = ",".join(["id=id", "gold=gold", *(f"system={c}" for c in frame.columns[2:])])
    return coleval.load(frame, task="label", columns=picks, **options)


TABLE = "id,gold,s1,s2,s3\n1,a,a,a,a\n2,b,b,a,b\n3,a,b,a,b\n4,c,c,c,c\n5,c,c,c,c\n"


def test_kappa_of_two_under_labels_does_not_depend_on_a_third():
    for drop in ([], ["s2"], ["s3"], ["s2", "s3"]):
        frame = pl.read_csv(io.StringIO(TABLE)).drop(drop)
        report = instances(frame.write_csv()).agree(labels=["a", "b"])
        row = report.table("pairs").row(0, named=True)
        assert (row["a"], row["b"], row["items"], row["agreed"]) == ("gold", "s1", 3, 2)
        assert row["kappa"] == pytest.approx(0.4)


def test_hamming_loss_is_over_the_labels_asked_for():
    corpus = instances("id,gold,s1\n1,a,a|b\n2,b|c,b\n3,a,b\n", separator="|")
    loss = corpus.score(labels=["a", "b"]).table("overall")["hamming_loss"].item()
    # 1: b is too much; 2: nothing is wrong; 3: a is missed and b too much; of 3 × 2 cells.
    assert loss == pytest.approx(3 / 6)
    every = corpus.score().table("overall")["hamming_loss"].item()
    assert every == pytest.approx(4 / 9)


def test_without_any_label_there_is_no_hamming_loss():
    corpus = instances("id,gold,s1\n1,,\n2,,\n", separator="|")
    assert corpus.score().table("overall")["hamming_loss"].to_list() == [None]


def test_tokens_of_other_entities_are_outside_under_labels(write):
    """As in a file that has only those tags: every token is an item, and O may be right."""
    corpus = spans(write, gold="B-X I-X B-Y O", s="B-X O B-Y B-Y")
    row = corpus.score(unit="token", labels=["B-X", "I-X"]).table("overall").row(0, named=True)
    assert (row["items"], row["correct"], row["tp"], row["fn"]) == (4, 3, 1, 1)


JUDGED = {"gold": "B-X O O O", "a": "B-X O O O", "b": "O B-X O O", "c": "O O B-Y B-Z"}


@pytest.mark.parametrize("command", ["measure", "oracle", "agree", "confusion", "score"])
def test_what_only_judges_of_difficulty_propose_is_no_item(write, command):
    chosen = spans(write, **JUDGED).chosen("a,b")
    plain, judged = (getattr(chosen.with_options(**o), command)() for o in ({}, {"bins_from": "c"}))
    assert {n: f.to_dicts() for n, f in plain.tables.items()} == {
        n: f.to_dicts() for n, f in judged.tables.items()
    }


def test_what_only_judges_propose_is_spurious_in_bins(write):
    chosen = spans(write, **JUDGED).chosen("a,b")
    assert chosen.bins(bins_from="c").table("spurious")["items"].to_list() == [2]
    assert chosen.pivot(rows="a", cols="b", bins_from="c").table("totals")["n"].max() == 2


def test_labels_of_tags_are_none_of_spans(write):
    corpus = spans(write, gold="B-X O B-Y O", a="B-X O O B-Y")
    with pytest.raises(ColevalError, match="no label is called `B-Y`"):
        corpus.errors(unit="token", exclude=["B-Y"])


def test_a_label_that_only_another_system_gives_is_no_misspelling(write):
    corpus = spans(write, gold="B-X O O O", a="B-X O O O", b="B-X B-Z O O")
    chosen = corpus.chosen("a").score(exclude=["Z"]).table("overall")
    assert chosen.drop("repairs").equals(
        corpus.chosen("a").score().table("overall").drop("repairs")
    )
    story = corpus.report(exclude=["Z"], replicates=20).table("story")
    assert story.filter(pl.col("chapter") == "confusion")["left_out"].to_list() == [None]
