"""The made-up shared task: the same for a seed, sound as data, and shaped like a real one."""

from __future__ import annotations

from functools import cache
from itertools import groupby

import numpy as np
import pytest

from coleval.demo import DemoCorpus, generate, write
from coleval.errors import UsageError

Span = tuple[int, int, str]


@cache
def corpus(**options: int | str) -> DemoCorpus:
    return generate(**options)  # type: ignore[arg-type]


def tags(of: DemoCorpus, codes: np.ndarray) -> list[str]:
    return [of.labels[code] for code in codes.tolist()]


def stray_insides(of: DemoCorpus, codes: np.ndarray) -> int:
    before, last, n = "O", -1, 0
    for tag, sentence in zip(tags(of, codes), of.sentence.tolist(), strict=True):
        ahead = before if sentence == last else "O"
        n += tag.startswith("I-") and ahead[2:] != tag[2:]
        before, last = tag, sentence
    return n


def spans(of: DemoCorpus, codes: np.ndarray) -> set[Span]:
    found: list[list] = []
    before, last = "O", -1
    for token, (tag, sentence) in enumerate(
        zip(tags(of, codes), of.sentence.tolist(), strict=True)
    ):
        ahead = before if sentence == last else "O"
        if tag[0] == "B" or (tag[0] == "I" and ahead[2:] != tag[2:]):
            found.append([token, token + 1, tag[2:]])
        elif tag[0] == "I":
            found[-1][1] = token + 1
        before, last = tag, sentence
    return {(start, end, kind) for start, end, kind in found}


def f1(of: DemoCorpus, name: str) -> float:
    gold, answer = spans(of, of.gold), spans(of, of.systems[name])
    return 2 * len(gold & answer) / (len(gold) + len(answer))


def solved(of: DemoCorpus) -> np.ndarray:
    """Return the share of gold's entity tokens that 0, 1, … all systems have right."""
    right = sum((codes == of.gold).astype(int) for codes in of.systems.values())
    counts = np.bincount(right[of.gold > 0], minlength=len(of.systems) + 1)
    return counts / counts.sum()


@pytest.mark.parametrize("task", ["span", "tag"])
def test_a_seed_gives_the_same_bytes(task, tmp_path):
    for number in ("1", "2"):
        write(generate(tokens=2_000, systems=3, seed=7, task=task), tmp_path / number)
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


def test_another_seed_gives_another_text():
    one, two = corpus(tokens=2_000, seed=1), corpus(tokens=2_000, seed=2)
    assert not one.form.equals(two.form)


@pytest.mark.parametrize("task", ["span", "tag"])
def test_more_systems_change_neither_gold_nor_the_first_systems(task):
    few = generate(tokens=3_000, systems=5, task=task)
    many = generate(tokens=3_000, systems=16, task=task)
    assert few.form.equals(many.form)
    assert np.array_equal(few.gold, many.gold)
    assert list(many.systems)[:5] == list(few.systems)
    for name, codes in few.systems.items():
        assert np.array_equal(codes, many.systems[name])


def test_both_tasks_speak_of_the_same_text():
    assert corpus(tokens=2_000, task="tag").form.equals(corpus(tokens=2_000).form)


@pytest.mark.parametrize("seed", range(3))
def test_gold_is_sound_iob2(seed):
    made = corpus(tokens=20_000, seed=seed)
    assert stray_insides(made, made.gold) == 0


def test_a_few_systems_begin_spans_with_inside_tags_and_few_spans_at_that():
    made = corpus(tokens=20_000, systems=12)
    strays = {name: stray_insides(made, codes) for name, codes in made.systems.items()}
    assert {name for name, n in strays.items() if n} <= {
        "bilstm-softmax",
        "llm-zero-shot",
        "llm-few-shot",
    }
    assert 0 < strays["bilstm-softmax"] < 0.03 * len(spans(made, made.gold))


def test_systems_differ_in_span_f1_as_shared_tasks_do():
    made = corpus(tokens=100_000, systems=12)
    values = [f1(made, name) for name in made.systems]
    assert min(values) == pytest.approx(0.62, abs=0.06)
    assert max(values) == pytest.approx(0.91, abs=0.03)


def test_systems_err_on_two_to_eight_tokens_in_a_hundred():
    for task in ("span", "tag"):
        made = corpus(tokens=100_000, systems=8, task=task)
        rates = [np.mean(codes != made.gold) for codes in made.systems.values()]
        assert min(rates) > 0.015
        assert max(rates) < 0.085


def test_a_twin_differs_from_its_model_less_than_others_do():
    made = corpus(tokens=100_000, systems=8)
    model = made.systems["bert-base"]
    differ = {name: np.mean(codes != model) for name, codes in made.systems.items()}
    others = [
        share for name, share in differ.items() if name not in {"bert-base", "bert-base-seed2"}
    ]
    assert 0 < differ["bert-base-seed2"] < min(others) / 4


def test_most_items_are_solved_by_all_or_nearly_and_some_by_none():
    share = solved(corpus(tokens=100_000, systems=8))
    assert share[8] > 0.3
    assert share[8] > 4 * share[4]
    assert 0.01 < share[0] < 0.1
    assert share[0] + share[8] > share[3] + share[4] + share[5]


def test_one_token_in_seven_is_in_a_span_of_up_to_eight_tokens_and_twelve_types():
    made = corpus(tokens=100_000)
    found = spans(made, made.gold)
    assert np.mean(made.gold > 0) == pytest.approx(0.14, abs=0.01)
    assert {end - start for start, end, _ in found} == set(range(1, 9))
    assert len({kind for *_, kind in found}) == 12


def test_sentences_have_about_twenty_tokens_and_documents_ten_to_forty_sentences():
    made = corpus(tokens=100_000)
    assert len(made) / (made.sentence[-1] + 1) == pytest.approx(20, abs=1.5)
    pairs = sorted(set(zip(made.document.tolist(), made.sentence.tolist(), strict=True)))
    sizes = [len(list(rows)) for _, rows in groupby(pairs, key=lambda pair: pair[0])]
    assert all(10 <= size <= 40 for size in sizes[:-1])


@pytest.mark.parametrize("task", ["span", "tag"])
def test_files_hold_the_corpus_line_by_line(task, tmp_path):
    made = corpus(tokens=5_000, systems=2, task=task)
    paths = write(made, tmp_path)
    assert [path.name for path in paths] == ["gold.conll", "baseline.conll", "crf.conll"]
    for path, codes in zip(paths, (made.gold, *made.systems.values()), strict=True):
        rows, sentence, document = [], -1, -1
        opening = True
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                if line == "\n":
                    opening = True
                    continue
                form, label = line.removesuffix("\n").split("\t")
                if form == "-DOCSTART-":
                    document += 1
                    continue
                sentence, opening = sentence + opening, False
                rows.append((form, label, sentence, document))
        forms, labels, sentences, documents = zip(*rows, strict=True)
        assert list(forms) == made.form.to_list()
        assert list(labels) == tags(made, codes)
        assert list(sentences) == made.sentence.tolist()
        assert list(documents) == made.document.tolist()


def test_no_blank_line_follows_another_or_ends_a_file(tmp_path):
    for path in write(corpus(tokens=3_000, systems=1), tmp_path):
        text = path.read_text(encoding="utf-8")
        assert "\n\n\n" not in text
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize("task", ["span", "tag"])
@pytest.mark.parametrize("tokens", [1, 2, 10, 77])
def test_a_tiny_corpus_has_exactly_the_tokens_asked_for(task, tokens, tmp_path):
    made = generate(tokens=tokens, systems=3, task=task)
    columns = (made.form, made.sentence, made.document, made.gold, *made.systems.values())
    assert {len(column) for column in columns} == {tokens}
    assert len(write(made, tmp_path)) == 4


def test_fifty_systems_have_fifty_names():
    made = generate(tokens=2_000, systems=50)
    assert len(made.systems) == 50
    assert "team-03.run2" in made.systems


@pytest.mark.parametrize("options", [{"tokens": 0}, {"systems": 0}, {"seed": -1}, {"task": "spam"}])
def test_what_cannot_be_made_is_refused(options):
    with pytest.raises(UsageError):
        generate(**options)


def alone(of: DemoCorpus) -> float:
    """Return the share of errors that exactly one system makes."""
    wrong = sum((codes != of.gold).astype(int) for codes in of.systems.values())
    return np.mean(wrong[wrong > 0] == 1)


@pytest.mark.parametrize("task", ["span", "tag", "dep"])
def test_the_less_alike_systems_are_the_more_errors_one_makes_alone(task):
    made = [corpus(tokens=20_000, systems=6, task=task, alike=a) for a in (0.0, 0.4, 0.75, 1.0)]
    shares = [alone(each) for each in made]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 1.5 * shares[-1]


def test_the_usual_likeness_changes_nothing_and_one_beyond_1_is_refused():
    usual, named = corpus(tokens=2_000), corpus(tokens=2_000, alike=0.75)
    assert all(np.array_equal(usual.systems[n], named.systems[n]) for n in usual.systems)
    with pytest.raises(UsageError, match=r"alike cannot be 1\.5"):
        generate(tokens=100, alike=1.5)


def parsed(**options) -> DemoCorpus:
    return corpus(tokens=5_000, systems=3, task="dep", **options)


def test_every_word_reaches_the_root_of_its_sentence():
    made = parsed()
    for parse in made.parses.values():
        head, first = parse.head, 0
        for _, group in groupby(made.sentence.tolist()):
            size = len(list(group))
            heads = head[first : first + size].tolist()
            assert heads.count(0) == 1
            for word in range(1, size + 1):
                seen = set()
                while word:
                    assert word not in seen
                    seen.add(word)
                    word = heads[word - 1]  # noqa: PLW2901
            first += size


def test_the_root_alone_is_called_root():
    for parse in parsed().parses.values():
        assert np.array_equal(parse.head == 0, parse.relation == 0)


def test_parsers_attach_between_70_and_95_words_in_a_hundred_right():
    made = parsed()
    gold = made.parses[""]
    for name in made.systems:
        own = made.parses[name]
        las = np.mean((own.head == gold.head) & (own.relation == gold.relation))
        assert 0.7 < las < 0.95


def test_files_of_trees_hold_the_parses_word_by_word(tmp_path):
    made = parsed()
    paths = write(made, tmp_path)
    assert [path.name for path in paths][:2] == ["gold.conllu", "baseline.conllu"]
    for path, parse in zip(paths, made.parses.values(), strict=True):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n\n")
        rows = [line.split("\t") for line in text.split("\n") if "\t" in line]
        assert [row[1] for row in rows] == made.form.to_list()
        assert [int(row[6]) for row in rows] == parse.head.tolist()
        assert [row[7] for row in rows] == [made.labels[code] for code in parse.relation.tolist()]
        sentences = [block for block in text.split("\n\n") if block]
        assert len(sentences) == made.sentence[-1] + 1
        assert text.count("# newdoc\n") == made.document[-1] + 1
