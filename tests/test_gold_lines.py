"""A system's lines that are gold's are not parsed, and nothing that is read changes by it."""

import random

import coleval
from coleval.errors import ColevalError
from coleval.loading.tasks import layers

WORDS = ("a", "the", "é", "b c", "#", "x" * 20, '"')
BETWEEN = ("NN", "é", "-", "")
LABELS = ("O", "B-A", "B-" + "L" * 40, "É", "", "x y", "O\r", "\t")


def columns(rng, width):
    """Return a column file and another that is nearly the same; two columns, or ``width``."""
    separator, end = rng.choice("\t\t "), rng.choice(("\n", "\n", "\r\n"))
    tokens = [(rng.choice(WORDS[: rng.choice((3, 7))]), rng.choice(LABELS[:4])) for _ in range(20)]
    other = [(rng.choice(WORDS) if rng.random() < 0.005 else word,
              rng.choice(LABELS[: rng.choice((4, 8))]) if rng.random() < 0.2 else label)
             for word, label in tokens]  # fmt: skip
    both = []
    for rows, odd in ((tokens, 0.0), (other, 0.03)):
        lines_ = [
            separator.join([word, *(rng.choice(BETWEEN) if rng.random() < odd else "x"
                                    for _ in range(width - 2)), label])
            for word, label in rows
        ]  # fmt: skip
        lines_[7] = ""
        both.append(end.join(lines_).encode() + b"\n" * (rng.random() < 0.8))
    if rng.random() < 0.1:
        both[1] = both[1].replace("É".encode(), b"\xff") + b"a\tO\n" * (rng.random() < 0.5)
    return both


def test_a_file_read_against_golds_lines_is_the_file_read_in_full(monkeypatch, tmp_path):
    rng, gold, system = random.Random(11), tmp_path / "gold", tmp_path / "system"
    differing = layers.GoldLines.differing
    shortened = []

    def watched(lines, source):
        answer = differing(lines, source)
        shortened.append(answer is not None)
        return answer

    def read():
        try:
            corpus = coleval.load(gold, {"s": system}, task="tag")
        except ColevalError as error:
            return str(error)
        return corpus.items.to_dicts()

    answers = []
    for _ in range(200):
        gold_text, system_text = columns(rng, rng.choice((2, 2, 3, 4)))
        gold.write_bytes(gold_text)
        system.write_bytes(system_text)
        monkeypatch.setattr(layers.GoldLines, "differing", watched)
        answers.append(read())
        monkeypatch.setattr(layers.GoldLines, "differing", lambda *_: None)
        assert read() == answers[-1]
    assert 50 < sum(shortened) < len(shortened)
    assert 20 < sum(isinstance(answer, str) for answer in answers) < 150
