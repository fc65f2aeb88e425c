"""The registry of peers: what each counts, how we count the same, and why one is left out.

A peer is timed from two files to its numbers, read in a plain loop; its import counts on no side.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from coleval.bench.machine import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.bench.sample import Sample, Tags
    from coleval.corpus.corpus import Corpus
    from coleval.declare.kinds import Task

Numbers = dict[str, tuple[float, ...]]
_RATIOS = ("precision", "recall", "f1")
_KINDS = ("cor", "inc", "par", "mis", "spu")
# What programs raise when they are given tags that they do not know.
_CANNOT = (ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError)


@dataclass(frozen=True, slots=True)
class Peer:
    """Another program: its numbers from lists of tags, ours from a corpus read by ``profile``.

    ``beside`` are the steps of coleval that do the same work.
    """

    name: str
    about: str
    profile: str
    tasks: tuple[str, ...]
    beside: tuple[str, ...]
    theirs: Callable[[Tags, Tags], Numbers]
    ours: Callable[[Corpus], Numbers]


def missing(peer: Peer, task: str) -> str:
    """Return why a peer cannot be measured here; nothing if it can."""
    if task not in peer.tasks:
        return f"has nothing for --task {task}"
    if installed(peer.name) == "not installed":
        return f"not installed: pip install {peer.name}"
    return ""


def run(peer: Peer, sample: Sample) -> Numbers:
    """Return a peer's numbers for a sample, from its files on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peer.theirs(*sample.read())


def difference(peer: Peer, sample: Sample) -> str:
    """Return where a peer's numbers and ours differ; nothing if all are equal."""
    from coleval.loading.loading import load

    try:
        theirs = run(peer, sample)
    except _CANNOT as error:
        return f"cannot score this: {error}"
    task, files = cast("Task", sample.task), (str(sample.gold), {"sample": str(sample.system)})
    return unequal(peer.ours(load(*files, task=task, profile=peer.profile)), theirs)


def unequal(ours: Numbers, theirs: Numbers) -> str:
    """Return the first number that differs by more than a rounding."""
    if set(ours) != set(theirs):
        return f"counts other labels: {', '.join(sorted(set(ours) ^ set(theirs)))}"
    for name, values in theirs.items():
        if any(abs(a - b) > 1e-12 for a, b in zip(ours[name], values, strict=True)):
            return f"counts differently: {name}: {values}, here {ours[name]}"
    return ""


def _seqeval(gold: Tags, system: Tags) -> Numbers:
    from seqeval.metrics import classification_report

    report: Any = classification_report(gold, system, output_dict=True, zero_division=0)
    averages = ("macro avg", "weighted avg")
    return {
        "overall" if name == "micro avg" else name: (row["precision"], row["recall"],
                                                     row["f1-score"])
        for name, row in report.items() if name not in averages
    }  # fmt: skip


def _seqscore(gold: Tags, system: Tags) -> Numbers:
    from seqscore.scoring import score_label_sequences

    found, _ = score_label_sequences(system, gold, "BIO", repair="conlleval")
    rows = {"overall": found, **found.type_scores}
    return {name: (row.true_pos, row.false_pos, row.false_neg) for name, row in rows.items()}


def _nervaluate(gold: Tags, system: Tags) -> Numbers:
    from nervaluate import Evaluator

    labels = sorted({tag[2:] for layer in (gold, system) for s in layer for tag in s if tag[2:]})
    found = Evaluator(gold, system, tags=labels, loader="list").evaluate()["overall"]
    return {
        method: (row.correct, row.incorrect, row.partial, row.missed, row.spurious)
        for method, row in found.items()
    }


def _sklearn(gold: Tags, system: Tags) -> Numbers:
    from sklearn.metrics import precision_recall_fscore_support

    truth, answer = ([tag for sentence in layer for tag in sentence] for layer in (gold, system))
    labels = sorted({*truth, *answer} - {"O"})
    rows = precision_recall_fscore_support(truth, answer, labels=labels, zero_division=0)
    micro = precision_recall_fscore_support(
        truth, answer, labels=labels, average="micro", zero_division=0
    )
    per = zip(*(values.tolist() for values in rows[:3]), strict=True)
    return {"overall": tuple(map(float, micro[:3])), **dict(zip(labels, per, strict=True))}


def _scores(columns: tuple[str, ...], **options: Any) -> Callable[[Corpus], Numbers]:
    def numbers(corpus: Corpus) -> Numbers:
        report = corpus.score(**options)
        rows = {row["label"]: row for row in report.table("labels").to_dicts()}
        rows["overall"] = report.table("overall").to_dicts()[0]
        return {name: tuple(row[c] for c in columns) for name, row in rows.items()}

    return numbers


def _tokens(corpus: Corpus) -> Numbers:
    """Return what counts single tags; tags that are right by saying nothing are left out."""
    by_label = _scores(_RATIOS, unit="token")(corpus)
    totals = _scores(("tp", "fp", "fn"), unit="token")(corpus)
    totals.pop("overall")
    tp, fp, fn = (sum(values) for values in zip(*totals.values(), strict=True))
    by_label["overall"] = (_over(tp, tp + fp), _over(tp, tp + fn), _over(2 * tp, 2 * tp + fp + fn))
    return by_label


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _errors(corpus: Corpus) -> Numbers:
    rows = corpus.errors().table("overall").to_dicts()
    return {row["method"]: tuple(row[kind] for kind in _KINDS) for row in rows}


_SCORED = ("reading", "score")
PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("seqeval", "classification_report", "seqeval", ("span",), _SCORED,
             _seqeval, _scores(_RATIOS)),
        Peer("seqscore", "score_label_sequences", "conlleval", ("span",), _SCORED,
             _seqscore, _scores(("tp", "fp", "fn"))),
        Peer("scikit-learn", "precision_recall_fscore_support of single tags", "sklearn",
             ("span", "tag"), _SCORED, _sklearn, _tokens),
        Peer("nervaluate", "Evaluator: four modes", "nervaluate", ("span",),
             ("reading", "errors"), _nervaluate, _errors),
    )
}  # fmt: skip
