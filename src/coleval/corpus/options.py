"""What a user can choose, in two halves: how files become items, and how items become numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from coleval.corpus.selection import Selection
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coleval.corpus.task import Task

METRICS = (
    "las", "uas", "ls", "clas", "mlas", "blex", "upos", "xpos", "ufeats", "alltags", "lemmas",
    "words",
)  # fmt: skip
# Relations of function words, which CLAS, MLAS and BLEX do not count (CoNLL 2018).
FUNCTIONAL = ("aux", "cop", "mark", "det", "clf", "case", "cc")
# One word with one of these tags is nominal (Tuggener 2017).
NOMINAL = ("NN", "NNS", "NNP", "NNPS")


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that decides what the items are."""

    task: str | None = None
    format: str | None = None
    columns: Selection = field(default_factory=Selection)
    encoding: str = "utf-8"
    merged: bool = False
    scheme: str = "iob2"
    repair: str = "begin"
    outside: tuple[str, ...] | None = None
    suffix: bool = False
    fold: bool = False
    within: str = "sentence"
    forms: bool = False
    normalise: str = ""
    drop: str = ""
    separator: str = ""
    multiset: bool = False
    min_words: int = 1
    duplicate_mentions: str = "error"
    nominal: tuple[str, ...] = NOMINAL

    @property
    def task_kind(self) -> Task:
        """Return the task, one without any facts where gold's labels are to decide it."""
        from coleval.corpus.tasks import task_named

        return task_named(self.task)

    def checked(self) -> Reading:
        """Return the options if every name in them is known."""
        from coleval.corpus.schemes import REPAIRS, scheme_named
        from coleval.corpus.tasks import TASKS

        scheme_named(self.scheme)
        _known("Unicode form", self.normalise, ("", "nfc", "nfd", "nfkc", "nfkd"))
        _known("repair policy", self.repair, REPAIRS)
        if self.task is not None:
            _known("task", self.task, TASKS)
        _known("policy for duplicate mentions", self.duplicate_mentions, ("error", "first"))
        if self.min_words < 1:
            raise UsageError(
                f"{self.min_words} is too small", where="--min-words", remedy="use 1 or more"
            )
        return self


@dataclass(frozen=True, slots=True)
class Scoring:
    """Everything that decides how items are counted and averaged."""

    unit: str | None = None
    labels: tuple[str, ...] = ()
    average: str = "union"
    exclude: tuple[str, ...] = ()
    undefined: str = "null"
    where: str = ""
    metric: str = "las"
    punct: bool | None = None
    subtypes: bool | None = None
    functional: tuple[str, ...] = FUNCTIONAL
    bins_from: str = ""
    taxonomy: str = "fair"
    bucketing: str = "coleval"
    singletons: str = "keep"
    key: str = ""

    def checked(self) -> Scoring:
        """Return the options if every name in them is known."""
        _known("average", self.average, ("union", "gold", "all"))
        _known("value for undefined scores", self.undefined, ("null", "0", "1"))
        _known("metric", self.metric, METRICS)
        _known("taxonomy", self.taxonomy, ("fair", "nervaluate", "hipe"))
        _known("policy for singletons", self.singletons, ("keep", "drop"))
        _known("bucketing", self.bucketing, ("coleval", "interpreteval"))
        return self

    @property
    def filler(self) -> float | None:
        """Return what stands for an undefined score."""
        return None if self.undefined == "null" else float(self.undefined)


def _known(kind: str, name: str, names: Any) -> None:
    if name not in names:
        raise unknown(kind, name, names)


def changed(options: Any, given: Mapping[str, Any]) -> Any:
    """Return the options with those of ``given`` that they know and that are not None."""
    names = {f.name for f in fields(options)}
    return replace(options, **{k: v for k, v in given.items() if k in names and v is not None})


def counted_by(scoring: Scoring, given: Mapping[str, Any]) -> Scoring:
    """Return the scoring options with those given; lists may be texts with commas."""
    chosen = dict(given)
    labels = chosen.get("labels")
    if isinstance(labels, str):
        del chosen["labels"]
        chosen |= label_option(labels)
    elif labels is not None:
        chosen["labels"] = tuple(labels)
    for name in ("exclude", "functional"):
        if chosen.get(name) is not None:
            chosen[name] = listed(chosen[name])
    if isinstance(chosen.get("undefined"), int):
        chosen["undefined"] = str(chosen["undefined"])
    settled: Scoring = changed(scoring, chosen)
    return settled.checked()


def listed(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names one by one; a text has commas between them."""
    names = given.split(",") if isinstance(given, str) else given
    return tuple(name for name in names if name)


def reject_unknown(given: Mapping[str, Any]) -> None:
    """Raise for an option that neither half has."""
    names = {f.name for half in (Reading, Scoring) for f in fields(half)} | {"profile"}
    for name in given:
        if name not in names:
            raise unknown("option", name, names)


def label_option(text: str | None) -> dict[str, Any]:
    """Return what ``--labels`` asks for: the set a macro average is over, or a list of labels."""
    if text is None:
        return {}
    if text in ("union", "gold", "all"):
        return {"average": text}
    labels = tuple(filter(None, (part.strip() for part in text.split(","))))
    if not labels:
        raise UsageError("no label is named", where="--labels", remedy="--labels PER,LOC")
    return {"labels": labels}
