"""B M E S alone, as in Chinese word segmentation: words are scored, and a note says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval

NOTE = "the tags B M E S have no types and are read as words"


def tags(words):
    return "".join("S" if len(w) == 1 else "B" + "M" * (len(w) - 2) + "E" for w in words)


def lines(sentences):
    """Return a file: a character and its tag per line."""
    texts = []
    for words in sentences:
        characters = zip("".join(words), tags(words), strict=True)
        texts.append("".join(f"{character}\t{tag}\n" for character, tag in characters))
    return "\n".join(texts)


GOLD = [["我", "喜欢", "北京人"], ["他", "来"]]
SYSTEM = [["我", "喜欢", "北京", "人"], ["他来"]]


def test_two_sentences_by_hand(write):
    """Of five words in gold and five in the system two are the same: 我 and 喜欢."""
    corpus = coleval.load(write("gold", lines(GOLD)), {"s": write("s", lines(SYSTEM))})
    assert corpus.task == "span"
    assert corpus.reading.scheme == "bmes"
    row = corpus.score().table("overall").row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"], row["repairs"]) == (2, 3, 3, 0)
    assert row["f1"] == pytest.approx(0.4)
    assert sum(NOTE in warning for warning in corpus.warnings) == 1


WORDS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=6), min_size=1, max_size=4)


@given(WORDS, st.randoms(use_true_random=False))
def test_words_are_those_of_a_plain_loop(tmp_path_factory, lengths, random):
    known = [["乙", "丙丁", "戊己庚"]]
    text = [["字" * n for n in sentence] for sentence in lengths]
    gold = known + text
    system = known + [_cut(random, "".join(words)) for words in text]
    folder = tmp_path_factory.mktemp("words")
    for name, cut in (("gold", gold), ("s", system)):
        (folder / name).write_text(lines(cut), encoding="utf-8")
    row = coleval.load(folder / "gold", {"s": folder / "s"}).score()["overall"].row(0, named=True)
    right = sum(len(places(a) & places(b)) for a, b in zip(gold, system, strict=True))
    assert row["tp"] == right
    assert row["tp"] + row["fn"] == sum(map(len, gold))
    assert row["tp"] + row["fp"] == sum(map(len, system))


def _cut(random, text):
    words = []
    while text:
        n = random.randint(1, 4)
        words.append(text[:n])
        text = text[n:]
    return words


def places(words):
    found, at = set(), 0
    for word in words:
        found.add((at, at + len(word)))
        at += len(word)
    return found


def test_the_tags_themselves_are_compared_when_that_is_asked_for(write):
    corpus = coleval.load(write("gold", lines(GOLD)), {"s": write("s", lines(SYSTEM))}, task="tag")
    row = corpus.score().table("overall").row(0, named=True)
    assert (row["correct"], row["items"]) == (4, 8)
    assert not corpus.warnings


@pytest.mark.parametrize(
    ("labels", "task"),
    [("BEBE", "tag"), ("BIES", "tag"), ("NVAS", "tag"), ("SSSS", "tag"), ("BMES", "span"),
     ("BESS", "span"), ("BESO", "span")],
)  # fmt: skip
def test_it_takes_all_of_b_e_and_s_and_no_other_label(write, labels, task):
    path = write("gold", "".join(f"w\t{label}\n" for label in labels))
    assert coleval.load(path, {"s": path}).task == task


def test_a_scheme_that_is_named_stays(write):
    gold = write("gold", lines(GOLD))
    corpus = coleval.load(gold, {"s": gold}, task="span", scheme="any")
    assert corpus.reading.scheme == "any"
    assert not any(NOTE in warning for warning in corpus.warnings)


def test_tags_with_types_and_a_system_with_tags_alone_have_no_note(write):
    gold = write("gold", "a\tB-X\nb\tE-X\nc\tS-X\n")
    system = write("s", "a\tB\nb\tE\nc\tS\n")
    corpus = coleval.load(gold, {"s": system}, scheme="bmes")
    assert not any(NOTE in warning for warning in corpus.warnings)


@pytest.mark.parametrize("how", ["store", "memory", "merged"])
def test_stores_limits_and_merged_files_read_the_same_words(write, tmp_path, how):
    gold, system = write("gold", lines(GOLD)), write("s", lines(SYSTEM))
    if how == "merged":
        both = zip(lines(GOLD).splitlines(), lines(SYSTEM).splitlines(), strict=True)
        text = "".join(f"{a}\t{b[-1]}\n" if a else "\n" for a, b in both)
        corpus = coleval.load(write("both", text), merged=True)
    else:
        corpus = coleval.load(gold, {"s": system}, memory="8GB" if how == "memory" else None)
    if how == "store":
        corpus.save(tmp_path / "store")
        corpus = coleval.open(tmp_path / "store")
    row = corpus.score().table("overall").row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (2, 3, 3)
    assert sum(NOTE in warning for warning in corpus.warnings) == 1


def test_tags_of_one_type_without_its_name_are_spans(tmp_path):
    """Accuracy of such tags, 80 % here, is mostly that of O."""
    (tmp_path / "gold.txt").write_text("a B\nb I\nc O\nd O\n\ne O\n")
    (tmp_path / "s.txt").write_text("a B\nb O\nc O\nd O\n\ne O\n")
    corpus = coleval.load(tmp_path / "gold.txt", [tmp_path / "s.txt"])
    assert corpus.score().table().select("tp", "fp", "fn").row(0) == (0, 1, 1)
    assert corpus.warnings[0].startswith(
        "gold: the tags B I have no types and are read as spans of one type, `_`"
    )
    tags = coleval.load(tmp_path / "gold.txt", [tmp_path / "s.txt"], task="tag")
    assert (tags.score().table()["correct"].item(), tags.warnings) == (4, ())


@pytest.mark.parametrize("labels", ["B I", "S O", "B O N"])
def test_single_letters_may_be_labels(tmp_path, labels):
    path = tmp_path / "gold.txt"
    path.write_text("".join(f"a {label}\n" for label in labels.split()))
    assert coleval.load(path, {"s": path}).task == "tag"
