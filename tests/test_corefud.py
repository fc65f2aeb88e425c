"""CorefUD: brackets, holes, heads and empty nodes; which mentions are one; what is refused."""

from __future__ import annotations

import gzip

import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.corefud import read_corefud
from coleval.loading.readers.source import Source

ENTITY = "# global.Entity = eid-etype-head-other\n"


def sentence(*miscs, nodes=None):
    """Return words ``w1 …`` with these entities; ``nodes`` are ID: (DEPS, entities) of others."""
    rows = [(k, 0, f"w{k}", "_", misc) for k, misc in enumerate(miscs, start=1)]
    for name, (deps, misc) in (nodes or {}).items():
        word, empty = map(int, name.split("."))
        rows.append((word, empty, "_", deps, misc))
    lines = [
        "\t".join([f"{w}.{e}" if e else str(w), form, "_", "NOUN", "_", "_",
                   "_" if e else "0", "_", deps, f"Entity={misc}" if misc else "_"])
        for w, e, form, deps, misc in sorted(rows)
    ]  # fmt: skip
    return "\n".join(lines) + "\n\n"


def document(*sentences, header=ENTITY, name="d"):
    return f"# newdoc id = {name}\n{header}{''.join(sentences)}"


def read(path):
    return read_corefud(Source(str(path)), Selection())


def mentions(path):
    """Return each mention as (entity, words, head): the places of words and empty nodes."""
    file = read(path)
    words = file.words
    return [
        (file.names[int(file.chain[k])], words.node[words.begin[k]:words.begin[k + 1]].tolist(),
         int(words.head[k]))
        for k in range(len(file))
    ]  # fmt: skip


def score(write, gold, system, **options):
    paths = write("gold.conllu", gold), write("system.conllu", system)
    return coleval.load(str(paths[0]), {"s": str(paths[1])}, **options)


def f1(corpus, metric="mentions", **options):
    table = corpus.score(**options).tables["overall"]
    return next(r["f1"] for r in table.to_dicts() if r["metric"] == metric)


@pytest.mark.parametrize(
    ("miscs", "found"),
    [
        (["(e1-x-1-)", "", "(e1-x-1-)"], [("e1", [0], 0), ("e1", [2], 2)]),
        (["(e1-x-2-", "e1)(e2-x-1-)"], [("e1", [0, 1], 1), ("e2", [1], 1)]),
        (["(e1-x-1-(e2-x-3-", "", "e2)e1)"], [("e1", [0, 1, 2], 0), ("e2", [0, 1, 2], 2)]),
        (["(e1-x-1-(e1-x-1-)", "e1)"], [("e1", [0, 1], 0), ("e1", [0], 0)]),
        (["(e1-x-1-", "(e2-x-1-", "e1)", "e2)"], [("e1", [0, 1, 2], 0), ("e2", [1, 2, 3], 1)]),
        (["(e1[1/2]-x-3-", "e1[1/2])", "", "(e1[2/2]-x-3-)"], [("e1", [0, 1, 3], 3)]),
        (["(e1[1/2]-x-1-)", "(e1[1/2]-x-1-)", "(e1[2/2]-x-1-)", "(e1[2/2]-x-1-)"],
         [("e1", [0, 2], 0), ("e1", [1, 3], 1)]),
        (["(e1)", "(e2-x)"], [("e1", [0], -1), ("e2", [1], -1)]),
        (["(e1-x-1-a:b,c:d)", "(e2-x-1-Wiki%2C)"], [("e1", [0], 0), ("e2", [1], 1)]),
    ],
)  # fmt: skip
def test_brackets_nest_cross_and_have_parts(write, miscs, found):
    assert mentions(write("a.conllu", document(sentence(*miscs)))) == found


def test_empty_nodes_are_words_of_the_mentions_around_them(write):
    text = sentence("(e1-x-2-", "e1)", nodes={"1.1": ("2:nsubj", "(e2-x-1-)"),
                                             "0.1": ("2:obj", "(e3-x-1-)")})  # fmt: skip
    found = mentions(write("a.conllu", document(text)))
    assert found == [("e3", [0], 0), ("e1", [1, 2, 3], 2), ("e2", [2], 2)]


def test_an_empty_node_before_a_sentence_is_none_behind_the_one_before(write):
    one = sentence("", nodes={"1.1": ("1:a", "(e1-x-1-)")}) + sentence("")
    other = sentence("") + sentence("", nodes={"0.1": ("1:a", "(e1-x-1-)")})
    corpus = score(write, document(one), document(other), zero_match="linear")
    assert f1(corpus) == 0


def test_fields_are_found_by_their_names(write):
    header = "# global.Entity = etype-head-eid\n"
    assert mentions(write("a.conllu", document(sentence("(x-2-e1", "e1)"), header=header))) == [
        ("e1", [0, 1], 1)
    ]
    header = "# global.Entity = GRP-entity-minspan\n"
    assert mentions(write("b.conllu", document(sentence("(1-person-1", "1)"), header=header))) == [
        ("1", [0, 1], -1)
    ]


def test_bridging_split_antecedents_and_the_rest_of_misc_are_left_alone(write):
    rows = sentence("(e1-x-1-)", "(e2-x-1-)").replace(
        "Entity=(e2-x-1-)", "Bridge=e1<e2:part|Entity=(e2-x-1-)|SplitAnte=e1<e2,e3<e2|Entityx=("
    )
    assert len(mentions(write("a.conllu", document(rows)))) == 2


def test_entities_of_one_name_in_two_documents_are_two(write):
    text = document(sentence("(e1-x-1-)"), name="a") + document(sentence("(e1-x-1-)"), name="b")
    assert read(write("a.conllu", text)).chain.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("miscs", "line", "told"),
    [
        (["(e1-x-1-", ""], 3, "`(e1` is never closed"),
        (["", "e1)"], 4, "`e1)` closes a mention that is not open"),
        (["(e1-x-3-", "e1)"], 3, "the head `3` of a mention of `e1` is none of its 2 words"),
        (["(e1-x-0-)"], 3, "the head `0`"),
        (["(e1-x-y-)"], 3, "the head `y` of a mention of `e1` is none of its 1 word"),
        (["(e1[1/2]-x-1-)", ""], 3, "has no part e1[2/2] in this sentence"),
        (["(e1[2/2]-x-1-)", ""], 3, "has no part e1[1/2] in this sentence"),
        (["(e1[1/3]-x-1-)", "", "(e1[3/3]-x-1-)"], 3, "has no part e1[2/3]"),
        (["(e1[1/2]-x-1-)", "(e1[2/2]-x-1-)", "(e1[2/2]-x-1-)"], 5, "has no part e1[1/2]"),
        (["(e1[2/2]-x-1-)", "(e1[1/2]-x-1-)"], 3, "begins before the part before it ends"),
        (["(e1[1/2]-x-1-", "(e1[2/2]-x-1-)", "e1[1/2])"], 4, "begins before the part before"),
        (["(e1[3/2]-x-1-)"], 3, "is not a part of a mention"),
        (["(e1[1/1]-x-1-)"], 3, "is not a part of a mention"),
        (["(e1[one]-x-1-)"], 3, "is not a part of a mention"),
        (["e1"], 3, "is not a list of brackets"),
        (["(e1-x-1-))"], 3, "is not a list of brackets"),
        (["(-x-1-)"], 3, "has no eid"),
    ],
)
def test_brackets_that_are_wrong_are_named_with_their_line(write, miscs, line, told):
    path = write("a.conllu", document(sentence(*miscs)))
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert told in str(error.value)
    assert error.value.remedy


def test_a_mention_of_two_sentences_is_refused(write):
    path = write("a.conllu", document(sentence("(e1-x-1-"), sentence("e1)")))
    with pytest.raises(DataError, match=r"a\.conllu:3: .*closes in another sentence, in line 5"):
        read(path)


@pytest.mark.parametrize(
    ("header", "line", "told"),
    [
        ("", 2, "comes before any `# global.Entity`"),
        ("# global.Entity = etype-head\n", 2, "does not name the fields"),
        ("# global.Entity = eid-eid\n", 2, "does not name the fields"),
        ("# global.Entity =\n", 2, "does not name the fields"),
        ("# global.Entity eid\n", 2, "does not name the fields"),
    ],
)
def test_fields_must_be_named_before_they_are_used(write, header, line, told):
    path = write("a.conllu", document(sentence("(e1-x-1-)"), header=header))
    with pytest.raises(DataError) as error:
        read(path)
    assert f"{path}:{line}: " in str(error.value)
    assert told in str(error.value)


def test_an_entity_of_a_token_of_several_words_is_refused(write):
    several = "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-x-1-)\n"
    path = write("a.conllu", document(several + sentence("", "")))
    with pytest.raises(DataError, match=r"a\.conllu:3: the token 1-2 has an Entity="):
        read(path)


def test_other_sentences_than_golds_are_refused_and_other_words_are_told(write):
    gold = document(sentence("(e1-x-1-)", ""), sentence(""))
    with pytest.raises(DataError, match=r"system\.conllu:5: the sentences are not gold's"):
        score(write, gold, document(sentence(""), sentence("", "")))
    corpus = score(write, gold, gold.replace("w2", "other"))
    (note,) = corpus.entries[0].notes
    assert (note.line, note.kind, note.fatal) == (4, "tokens", False)


def test_documents_come_in_any_order(write):
    parts = [document(sentence("(e1-x-1-)", "", f"(e{k}-x-1-)"), name=str(k)) for k in (1, 2)]
    corpus = score(write, "".join(parts), "".join(parts[::-1]))
    assert f1(corpus, "b3") == 1


# Mentions of gold and of a system in one sentence of four words, and which of them are one.
HEADS = [
    ("equal", ["(e1-x-1-", "e1)"], ["(e1-x-1-", "e1)"], {"exact", "head", "partial"}),
    ("other head", ["(e1-x-1-", "e1)"], ["(e1-x-2-", "e1)"], {"exact", "partial"}),
    ("part with head", ["(e1-x-1-", "e1)"], ["(e1-x-1-)", ""], {"head", "partial"}),
    ("part without", ["(e1-x-1-", "e1)"], ["", "(e1-x-1-)"], set()),
    ("longer", ["(e1-x-1-)", ""], ["(e1-x-1-", "e1)"], {"head"}),
    ("holes", ["(e1[1/2]-x-1-)", "", "(e1[2/2]-x-1-)"], ["(e1-x-1-", "", "e1)"], {"head"}),
    ("part of holes", ["(e1[1/2]-x-2-)", "", "(e1[2/2]-x-2-)"], ["", "", "(e1-x-1-)"],
     {"head", "partial"}),
]  # fmt: skip


@pytest.mark.parametrize("match", ["exact", "head", "partial"])
@pytest.mark.parametrize(("gold", "system", "one"), [row[1:] for row in HEADS],
                         ids=[row[0] for row in HEADS])  # fmt: skip
def test_mentions_are_one_by_words_by_heads_or_by_a_part(write, gold, system, one, match):
    corpus = score(write, document(sentence(*gold)), document(sentence(*system)),
                   mention_match=match)  # fmt: skip
    assert f1(corpus) == (1 if match in one else 0)


def test_heads_are_how_corefud_matches_by_default_and_the_signature_says_so(write):
    text = document(sentence("(e1-x-1-)"))
    corpus = score(write, text, text)
    assert corpus.task == "coref"
    assert "|mention-match:head|zero-match:dependent|" in corpus.score().signature


def test_of_two_mentions_with_one_head_the_more_alike_is_taken(write):
    gold = document(sentence("(e1-x-1-(e2-x-1-", "e2)", "", "e1)"))
    corpus = score(write, gold, document(sentence("(e5-x-1-", "", "e5)", "")))
    items = corpus.at("cluster")
    assert items.context["end"].to_list() == [2, 4]
    assert items.answers["s"].tolist() == [1, 0]


ZEROS = {"1.1": ("2:nsubj", "(e1-x-1-)")}


@pytest.mark.parametrize(
    ("nodes", "dependent", "linear"),
    [
        ({"1.1": ("2:nsubj", "(e1-x-1-)")}, 1, 1),
        ({"2.1": ("2:nsubj", "(e1-x-1-)")}, 1, 0),
        ({"2.1": ("2:obj", "(e1-x-1-)")}, 1, 0),
        ({"2.1": ("1:nsubj", "(e1-x-1-)")}, 0, 0),
        ({"1.1": ("1:nsubj", "(e1-x-1-)")}, 1, 1),
        ({"2.1": ("2:obj|1:nsubj", "(e1-x-1-)")}, 1, 0),
        ({"1.1": ("_", "(e1-x-1-)")}, 1, 1),
        ({"2.1": ("_", "(e1-x-1-)")}, 0, 0),
        ({"1.1": ("2:obj", ""), "1.2": ("2:nsubj", "(e1-x-1-)")}, 1, 0),
    ],
)
def test_zeros_are_one_by_their_dependencies_or_by_their_places(write, nodes, dependent, linear):
    gold = document(sentence("", "", nodes=ZEROS))
    system = document(sentence("", "", nodes=nodes))
    for zeros, wanted in (("dependent", dependent), ("linear", linear)):
        assert f1(score(write, gold, system, zero_match=zeros)) == wanted


def test_a_head_that_a_file_does_not_name_is_the_first_word(write):
    gold = document(sentence("(e1-x-1-", "e1)"))
    corpus = score(write, gold, document(sentence("(e1-x", "e1)")))
    assert f1(corpus) == 1
    (note,) = corpus.entries[0].notes
    assert note.kind == "heads"


def test_context_columns_tell_words_zeros_heads_and_types(write):
    nodes = {"2.1": ("3:a", "(e2-person-1-)")}
    text = document(sentence("(e1[1/2]-place-2-)", "", "(e1[2/2]-place-2-)", nodes=nodes))
    frame = score(write, text, text).items
    assert frame.select("start", "end", "words", "tokens", "zero", "etype", "form").rows() == [
        (0, 3, 2, "1,3", False, "place", "w1 w3"),
        (2, 2, 1, "2.1", True, "person", "_"),
    ]
    assert frame["mention_type"].to_list() == ["noun", "noun"]


def test_an_empty_node_that_only_a_system_has_stands_in_the_items(write):
    gold = document(sentence("(e1-x-1-)", "(e1-x-1-)"))
    system = document(sentence("(e1-x-1-)", "", nodes={"1.1": ("2:a", "(e1-x-1-)")}))
    frame = score(write, gold, system).items
    assert frame.filter(frame["zero"]).select("start", "end", "tokens").rows() == [(1, 1, "1.1")]


@pytest.mark.parametrize(
    ("gold", "system", "options", "told"),
    [
        ("corefud", "json", {}, "have no heads"),
        ("json", "corefud", {}, "is CorefUD, and gold is not"),
        ("json", "json", {"mention_match": "head"}, "have neither heads nor empty nodes"),
        ("json", "json", {"zero_match": "dependent"}, "have neither heads nor empty nodes"),
        ("corefud", "corefud", {"mention_match": "heads"}, "heads"),
        ("corefud", "corefud", {"min_mentions": 0}, "0 is too small"),
    ],
)
def test_ways_to_match_that_files_cannot_be_matched_by_are_refused(
    write, gold, system, options, told
):
    texts = {
        "corefud": document(sentence("(e1-x-1-)", "")),
        "json": '{"id": "d", "tokens": ["w1", "w2"], "clusters": [[[0, 0]]]}\n',
    }
    paths = [write(f"{side}.{kind}", texts[kind]) for side, kind in (("g", gold), ("s", system))]
    with pytest.raises(UsageError, match=told):
        coleval.load(str(paths[0]), {"s": str(paths[1])}, task="coref", **options)


def test_systems_without_heads_are_matched_by_their_words(write):
    gold = write("g.conllu", document(sentence("(e1-x-1-", "e1)", "(e1-x-1-)")))
    system = write("s.jsonl", '{"id": "d", "clusters": [[[0, 1], [2, 2]]]}\n')
    corpus = coleval.load(str(gold), {"s": str(system)}, task="coref", mention_match="exact")
    assert f1(corpus, "muc") == 1


def test_chains_of_one_mention_are_left_out_before_mentions_are_matched(write):
    # The singleton of gold has the head of the system's mention, and would be the better match.
    gold = document(sentence("(e1-x-1-(e2-x-1-", "e1)", "e2)", "(e1-x-1-)"))
    system = document(sentence("(e5-x-1-", "", "e5)", "(e5-x-1-)"))
    assert f1(score(write, gold, system), "muc", singletons="drop") == 0
    assert f1(score(write, gold, system, min_mentions=2), "muc") == 1
    assert f1(score(write, gold, system, profile="corefud"), "muc") == 1


def test_conllu_is_read_as_tags_or_trees_where_these_are_asked_for(write, capsys):
    path = str(write("a.conllu", document(sentence("(e1-x-1-)", ""))))
    for task, said in (("tag", "task:tag"), ("coref", "task:coref")):
        assert main(["score", path, f"s={path}", "--task", task]) == 0
        assert said in capsys.readouterr().out
    assert main(["score", path, f"s={path}"]) == 0
    assert "task:coref" in capsys.readouterr().out


def test_validate_names_file_and_line_and_packed_files_are_read(write, capsys):
    good = document(sentence("(e1-x-1-)", ""))
    gold = write("g.conllu.gz", gzip.compress(good.encode()))
    bad = write("s.conllu", document(sentence("(e1-x-1-", "")))
    assert main(["validate", str(gold), f"s={bad}"]) == 1
    assert "s.conllu:3" in "".join(capsys.readouterr())


def test_gold_without_any_mention_is_told(write):
    text = document(sentence("", ""), header="")
    paths = write("g.conllu", text), write("s.conllu", document(sentence("(e1-x-1-)", "")))
    corpus = coleval.load(str(paths[0]), {"s": str(paths[1])}, task="coref")
    assert [note.kind for note in corpus.gold.notes] == ["mentions"]
    assert len(corpus.items) == 1


def test_stores_and_grown_stores_say_what_files_say(write, tmp_path, capsys):
    gold = write("g.conllu", document(sentence("(e1-x-1-", "e1)", "(e1-x-1-)", nodes=ZEROS)))
    one = write("one.conllu", document(sentence("(e1-x-1-)", "", "(e1-x-1-)", nodes=ZEROS)))
    two = write("two.conllu", document(sentence("(e1-x-1-", "", "e1)")))
    store = str(tmp_path / "store")
    files = [str(gold), f"one={one}", f"two={two}"]
    assert main(["load", *files[:2], "-o", store]) == 0
    assert main(["load", files[0], files[2], "-o", store]) == 0
    capsys.readouterr()
    tables = []
    for sources in ([store], files):
        assert main(["score", *sources, "--as", "csv", "--table", "overall"]) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]


@pytest.mark.parametrize("text", ["", "\n", ENTITY, ENTITY + "\n# newdoc\n"])
def test_files_without_words_are_an_error(write, text):
    path = str(write("a.conllu", text))
    with pytest.raises(ColevalError):
        coleval.load(path, {"s": path}, task="coref")


def metrics(corpus, **options):
    return corpus.score(**options).tables["overall"]["metric"].to_list()


def test_the_overlap_is_that_of_all_mentions_or_there_is_none(write):
    gold = document(sentence("(e1-x-1-", "e1)", "(e1-x-1-)"))
    corpus = score(write, gold, document(sentence("(e1-x-1-)", "", "(e2-x-1-)")))
    assert f1(corpus, "mor") == pytest.approx(2 * 2 / (3 + 2))
    assert "mor" not in metrics(corpus, where="words = 1")
    assert "mor" not in metrics(corpus, singletons="drop")


def test_datasets_of_a_template_add_up(write, tmp_path):
    texts = {
        ("a", "gold"): sentence("(e1-x-1-", "e1)", "(e1-x-1-)", nodes=ZEROS),
        ("a", "s"): sentence("(e1-x-1-)", "", "(e1-x-1-)"),
        ("b", "gold"): sentence("(e1-x-1-)", "(e1-x-1-)"),
        ("b", "s"): sentence("(e1-x-1-)", "(e2-x-1-)"),
    }
    for (dataset, name), text in texts.items():
        write(f"{name}/{dataset}.conllu", document(text, name=dataset))
    corpus = coleval.load(f"{tmp_path}/gold/{{dataset}}.conllu",
                          {"s": f"{tmp_path}/s/{{dataset}}.conllu"})  # fmt: skip
    rows = {r["metric"]: r for r in corpus.score().tables["overall"].to_dicts()}
    counts = ("recall_num", "recall_den", "precision_num", "precision_den")
    assert [rows["mentions"][c] for c in counts] == [4, 5, 4, 4]
    assert [rows["mor"][c] for c in counts] == [4, 7, 4, 4]
    by = corpus.score(by="dataset").tables["by"].to_dicts()
    assert [(r["by"], r["f1"]) for r in by if r["metric"] == "muc"] == [("a", 2 / 3), ("b", 0)]
