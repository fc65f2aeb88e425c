"""Headers say which column is which, in any order; what contradicts them is refused."""

from __future__ import annotations

import pytest

import coleval
from coleval.errors import ColevalError, UsageError

ROWS = [("Peter", "B-PER", "O"), ("sees", "O", "O"), ("Mary", "B-PER", "B-PER")]
NAMES = {"gold input system": (1, 0, 2), "input system gold": (0, 2, 1),
         "system gold token": (2, 1, 0), "token gold pred": (0, 1, 2)}  # fmt: skip


def merged(path, header, places, separator):
    rows = [[row[at] for at in places] for row in ROWS]
    path.write_text("".join(separator.join(row) + "\n" for row in [header.split(), *rows]))
    return str(path)


def counts(corpus):
    row = corpus.score().table().row(0, named=True)
    return row["tp"], row["fp"], row["fn"]


@pytest.mark.parametrize("header", NAMES)
@pytest.mark.parametrize(("name", "separator"), [("a.conll", "\t"), ("a.txt", " "), ("a.csv", ",")])
def test_a_header_says_which_column_is_what(tmp_path, header, name, separator):
    path = merged(tmp_path / name, header, NAMES[header], separator)
    corpus = coleval.load(path, merged=True, task="span")
    assert counts(corpus) == (1, 0, 1)
    assert corpus.units["token"].context["form"].to_list() == ["Peter", "sees", "Mary"]


def test_a_header_says_it_for_files_of_their_own_too(tmp_path):
    path = merged(tmp_path / "a.conll", "gold input system", (1, 0, 2), "\t")
    assert counts(coleval.load(path, {"s": path})) == (1, 0, 1)


@pytest.mark.parametrize("columns", ["form=1,gold=2,system=3", "gold=3", "gold=2,system=1"])
def test_numbers_that_contradict_the_header_are_refused(tmp_path, columns):
    path = merged(tmp_path / "a.conll", "gold input system", (1, 0, 2), "\t")
    with pytest.raises(UsageError, match="the header calls it") as caught:
        coleval.load(path, merged=True, columns=columns)
    assert "gold=gold" in caught.value.remedy


def test_a_position_that_contradicts_the_header_is_refused(tmp_path):
    path = merged(tmp_path / "a.conll", "token pred_a pred_b", (0, 1, 2), "\t")
    with pytest.raises(UsageError, match=r"column 2 is read as gold, .* calls it `pred_a`"):
        coleval.load(path, merged=True)


def test_names_are_taken_at_their_word(tmp_path):
    path = merged(tmp_path / "a.conll", "gold input system", (1, 0, 2), "\t")
    corpus = coleval.load(path, merged=True, columns="gold=system,system=gold")
    assert counts(corpus) == (1, 1, 0)


def test_a_system_may_have_the_header_of_gold(tmp_path):
    gold, system = tmp_path / "g.conll", tmp_path / "s.conll"
    gold.write_text("token gold\nPeter B-PER\n")
    system.write_text("token gold\nPeter O\n")
    assert counts(coleval.load(str(gold), {"s": str(system)})) == (0, 0, 1)


@pytest.mark.parametrize("columns", ["gold=2,system=3", "gold=3,system=2"])
def test_a_table_whose_header_contradicts_the_numbers_is_refused(tmp_path, columns):
    path = tmp_path / "a.csv"
    path.write_text("id,pred,gold\n1,A,B\n")
    if columns == "gold=3,system=2":
        assert coleval.load(str(path), columns=columns).systems == ("a",)
        return
    with pytest.raises(UsageError, match="the header calls it `pred`"):
        coleval.load(str(path), columns=columns)


def test_tokens_that_look_like_half_a_header_are_tokens(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("input NN\ngold JJ\n\nposition word\n")
    assert coleval.load(str(path), {"s": str(path)}, task="tag").items["form"].to_list() == [
        "input", "gold", "position",
    ]  # fmt: skip


def test_pairs_may_have_the_label_first_if_their_header_says_so(tmp_path):
    gold, system = tmp_path / "g.txt", tmp_path / "s.txt"
    gold.write_text("label id\nA 1\nA 2\n")
    system.write_text("#id label\n2 A\n1 B\n")
    table = coleval.load(str(gold), {"s": str(system)}, task="label").score().table()
    assert table["correct"].to_list() == [1]


def test_a_header_with_two_golds_does_not_choose(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("token\tgold_pos\tgold_ner\tpred\nPeter\tN\tB-PER\tO\n")
    corpus = coleval.load(str(path), merged=True, columns="gold=gold_ner,system=pred")
    assert counts(corpus) == (0, 0, 1)
    with pytest.raises(ColevalError):
        coleval.load(str(path), merged=True)


@pytest.mark.parametrize("header", ["token gold pred", "input gold system", "words labels pred"])
def test_a_header_that_contradicts_the_data_is_refused(tmp_path, header):
    path = tmp_path / "a.conll"
    path.write_text(f"{header}\nB-PER Peter B-PER\nO sees O\nB-PER Mary O\n")
    name, other = header.split()[:2]
    with pytest.raises(
        ColevalError, match=f"calls a column `{name}` that has nothing but"
    ) as caught:
        coleval.load(str(path), merged=True)
    assert f'columns="form={other},gold={name}"' in str(caught.value)
    swapped = coleval.load(str(path), merged=True, columns=f"form={other},gold={name}")
    assert counts(swapped) == (1, 0, 1)


@pytest.mark.parametrize("text", ["token gold\nB-52 O\nO O\n", "token gold\nB-X B-X\nO O\n"])
def test_tokens_that_look_like_tags_beside_tags_are_tokens(tmp_path, text):
    path = tmp_path / "a.conll"
    path.write_text(text)
    assert coleval.load(str(path), {"s": str(path)}, task="span").units["token"].gold.size == 2


@pytest.mark.parametrize(
    "header", ["tokens labels predictions", "words gold pred", "tokens gold a"]
)
def test_headers_may_have_names_in_the_plural(tmp_path, header):
    path = merged(tmp_path / "a.conll", header, (0, 1, 2), " ")
    assert counts(coleval.load(path, merged=True, task="span")) == (1, 0, 1)


@pytest.mark.parametrize("columns", ["label=NEL-LIT", "label=3", "gold=NEL-LIT,system=2"])
def test_entity_links_are_refused_and_not_scored_as_tags(tmp_path, columns):
    path = tmp_path / "a.tsv"
    path.write_text("TOKEN\tNE-COARSE-LIT\tNEL-LIT\nParis\tB-loc\tQ90\nis\tO\t_\n")
    with pytest.raises(UsageError, match="`NEL-LIT` has entity links, which are not evaluated yet"):
        coleval.load(path, {"s": path}, columns=columns)
    kept = coleval.load(path, {"s": path}, columns="link=NEL-LIT")
    assert kept.units["token"].context["link"].to_list() == ["Q90", "_"]
