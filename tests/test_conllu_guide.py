"""CoNLL-U against gold's lines: the same corpus as from whole files, and the same complaints."""

from __future__ import annotations

import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import DataError
from coleval.loading.readers.conllu import read_conllu
from coleval.loading.readers.source import Source
from coleval.loading.tasks.guide_conllu import Body, ConlluGuide

GOLD = """# sent_id = 1
1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_
1\tzu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\tART\tCase=Dat\t3\tdet\t_\t_
3\tHof\tHof\tNOUN\tNN\tCase=Dat\t0\troot\t0:root\t_
3.1\tda\t_\t_\t_\t_\t_\t_\t3:x\t_

# sent_id = 2
1\tEs\tes\tPRON\tPPER\t_\t2\tnsubj\t_\t_
2\tgeht\tgehen\tVERB\tVVFIN\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t$.\t_\t2\tpunct\t_\t_

1\tNa\tna\tINTJ\tITJ\t_\t0\troot\t_\t_
2\tja\tja\tINTJ\tITJ\t_\t1\tflat\t_\t_
3\t!\t!\tPUNCT\t$.\t_\t1\tpunct\t_\t_
"""
OTHER_COLUMNS = (
    GOLD.replace("sent_id = 2", "text = Es geht.")
    .replace("\tADP\t", "\tPART\t")
    .replace("0:root", "2:nmod|0:root")
    .replace("2\tnsubj", "3\tobj")
)


@pytest.fixture
def guide(tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text(GOLD, encoding="utf-8")
    source = Source(str(path))
    return ConlluGuide.of(source, Selection(), read_conllu(source, Selection()))


def words(guide, source):
    body = Body.of(source)
    return None if body is None else guide.words(body)


def changed(tmp_path, text):
    path = tmp_path / "system.conllu"
    path.write_text(text, encoding="utf-8")
    return Source(str(path))


def test_words_on_other_lines_come_with_their_columns_and_comments_may_differ(guide, tmp_path):
    token, fields = words(guide, changed(tmp_path, OTHER_COLUMNS))
    assert token.tolist() == [0, 2, 3]
    assert fields["upos"].to_list() == ["PART", "NOUN", "PRON"]
    assert fields["head"].to_list() == ["3", "0", "3"]


def test_there_may_be_more_comments_or_none(guide, tmp_path):
    more = OTHER_COLUMNS.replace("\n1\tNa", "\n# newdoc\n# more\n1\tNa")
    bare = "".join(line for line in OTHER_COLUMNS.splitlines(keepends=True) if line[0] != "#")
    for text in (more, bare):
        assert words(guide, changed(tmp_path, text))[0].tolist() == [0, 2, 3]


UNSURE = {
    "another word": ("\tHof\tHof", "\tHafen\tHof"),
    "another token of several words": ("zum", "Zum"),
    "another empty node": ("3.1\tda", "3.1\tdort"),
    "a line too many": ("\n\n1\tNa", "\n\n\n1\tNa"),
    "a break that is a comment": ("\n\n#", "\n# x\n#"),
    "a comment that is a word": ("# sent_id = 2", "1\tEs\tes\tPRON\tPPER\t_\t2\tnsubj\t_\t_"),
    "another ID": ("3\t.\t.", "4\t.\t."),
    "a head outside": ("2\tpunct", "4\tpunct"),
    "a head that is no number": ("2\tpunct", "x\tpunct"),
    "eleven columns": ("2\tpunct\t_\t_", "2\tpunct\t_\t_\t_"),
    "nine columns": ("2\tpunct\t_\t_", "2\tpunct\t_"),
    "an empty column": ("\tVVFIN\t", "\t\t"),
    "an edge from an empty node": ("0:root", "3.1:x"),
    "mostly other lines": ("\t_\n", "\tSpaceAfter=No\n"),
}


@pytest.mark.parametrize("name", UNSURE)
def test_what_is_more_than_other_columns_is_for_the_reader_of_whole_files(guide, tmp_path, name):
    old, new = UNSURE[name]
    assert old in GOLD
    assert words(guide, changed(tmp_path, GOLD.replace(old, new))) is None


@pytest.mark.parametrize("name", ["another ID", "a head outside", "eleven columns", "nine columns"])
def test_a_wrong_line_is_told_as_when_the_file_is_read_alone(tmp_path, name):
    system = changed(tmp_path, GOLD.replace(*UNSURE[name]))
    (tmp_path / "gold.conllu").write_text(GOLD, encoding="utf-8")
    with pytest.raises(DataError) as alone:
        read_conllu(system, Selection())
    for task in ("dep", "tag"):
        with pytest.raises(DataError) as beside:
            coleval.load(tmp_path / "gold.conllu", {"run": system.path}, task=task)
        assert (beside.value.where, beside.value.problem) == (
            alone.value.where, alone.value.problem,
        )  # fmt: skip


@pytest.mark.parametrize("task", ["dep", "tag"])
def test_a_corpus_is_the_same_whether_lines_are_compared_or_read(tmp_path, monkeypatch, task):
    system = changed(tmp_path, OTHER_COLUMNS)
    (tmp_path / "gold.conllu").write_text(GOLD, encoding="utf-8")

    def tables():
        corpus = coleval.load(tmp_path / "gold.conllu", {"run": system.path}, task=task)
        layers = {name: corpus.layer(name).frame([]).rows() for name in corpus.layers}
        notes = [entry.notes for entry in corpus.entries]
        return corpus.items.rows(), layers, notes, corpus.score().table("overall").rows()

    compared = tables()
    monkeypatch.setattr(ConlluGuide, "words", lambda *_: None)
    assert compared == tables()


def test_columns_that_are_not_wanted_are_checked_all_the_same(tmp_path):
    for old, new in (UNSURE["eleven columns"], UNSURE["nine columns"]):
        system = changed(tmp_path, GOLD.replace(old, new))
        with pytest.raises(DataError, match="columns where CoNLL-U has 10"):
            read_conllu(system, Selection(), ())
    assert set(read_conllu(changed(tmp_path, GOLD), Selection(), ("upos",)).columns) == {"upos"}
