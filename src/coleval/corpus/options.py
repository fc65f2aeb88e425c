"""What a user can choose, in two halves: how files become items, and how items become numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

from coleval.corpus.selection import Selection
from coleval.declare.counting import CHAIN_METRICS, METRICS, several
from coleval.declare.kinds import Conflicting, Engine, Epochs, Missing
from coleval.declare.options import declared, option
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coleval.corpus.task import Task

# Relations of function words, which CLAS, MLAS and BLEX do not count (CoNLL 2018).
FUNCTIONAL = ("aux", "cop", "mark", "det", "clf", "case", "cc")
# Where entities that come without a place are put in their text.
PLACES = ("first", "all", "best", "worst", "interval")
# One word with one of these tags is nominal (Tuggener 2017).
NOMINAL = ("NN", "NNS", "NNP", "NNPS")


@declared
class Loading:
    """How files are loaded: by which program's rules, in how much memory."""

    profile: str = option(
        default="", group="reading", metavar="NAME",
        help="count as another program does; see `coleval profiles`",
    )  # fmt: skip
    progress: Callable[[str], None] | None = option(
        default=None, group="reading", shell=False,
        help="is called with the name of each step before it begins",
    )  # fmt: skip
    memory: str | int | None = option(
        default=None, group="memory", shell=False,
        help='at most so much memory, "2GB": what does not fit is kept on disk',
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that decides what the items are."""

    task: str | None = option(
        default=None, group="reading", metavar="TASK",
        help="tag, span, dep, coref, label, matrix, score or text (default: by the format)",
    )  # fmt: skip
    format: str | None = option(
        default=None,
        group="reading",
        metavar="NAME",
        help="input format; `coleval formats` lists them",
    )
    normalise: str = option(
        needs=("words",), default="", group="reading", metavar="FORM",
        help="Unicode form of all tokens: nfc, nfd, nfkc, nfkd",
    )  # fmt: skip
    columns: Selection = option(
        factory=Selection, group="reading", metavar="MAP",
        help="which column is which, by number or header name: form=1,gold=2,system=-1; other "
        "names become context columns, or name the systems of a matrix",
        in_python='{"form": 1, "gold": 2, "system": -1}: numbers or header names; other names '
        "become context columns, or name the systems of a matrix",
    )  # fmt: skip
    merged: bool = option(
        needs=("words",),
        default=False, group="reading",
        help="the files have token, gold and prediction(s) side by side",
    )  # fmt: skip
    encoding: str = option(
        default="utf-8", group="reading", metavar="NAME",
        help="character encoding of the files (default utf-8); auto: detect it file by file",
    )  # fmt: skip
    skip: str = option(
        default="", group="reading", values=("invalid",), choose=True,
        help="invalid: leave out files that cannot be scored, with a warning; what is missing "
        "counts as wrong (--missing)",
    )  # fmt: skip
    separator: str = option(
        needs=("label sets",), default="", group="reading", metavar="CHAR",
        help="instances may have several labels, separated by CHAR",
    )  # fmt: skip
    numbers: bool = option(
        needs=("tables",),
        default=False, group="reading",
        help="ids and labels of instances that are whole numbers are the same however they are "
        "written: 0007 and 7.0 are 7",
    )  # fmt: skip
    names: tuple[str, ...] = option(
        needs=("names",),
        default=(), group="reading", metavar="NAMES",
        help="names of integer tags from 0 on: O,B-PER,I-PER, or a file with a name per line; "
        "names of the systems of a matrix without a header",
        in_python="names of integer tags from 0 on, a list, a file or a ClassLabel; names of the "
        "systems of a matrix without a header",
    )  # fmt: skip
    offsets: str = option(
        needs=("offsets",),
        default="codepoints", group="reading", values=("codepoints", "utf16", "bytes"), choose=True,
        help="what offsets of spans count: codepoints (default), utf16 (units of JavaScript and "
        "Java) or bytes of UTF-8",
    )  # fmt: skip
    differing_text: str = option(
        needs=("spans",),
        default="error", group="reading", values=("error", "align"), choose=True,
        help="a system's text that is not gold's: error (default), or align: go by the characters "
        "that both have",
    )  # fmt: skip
    score: str = option(
        needs=("statuses",),
        default="", group="logs", metavar="NAMES",
        help="the scores of a log to read, the one that says what is right first (default: its "
        "first)",
    )  # fmt: skip
    threshold: float | None = option(
        needs=("statuses",),
        default=None, group="logs", metavar="X", number=float,
        help="an answer is right if its score is X or more (default: scores are 0 or 1)",
    )  # fmt: skip
    epochs: str = option(
        needs=("statuses",),
        default="", group="logs", metavar="POLICY",
        help="of several answers of a system to an instance: first, mean (of their scores), any "
        "(right if any is), all (right if all are)",
    )  # fmt: skip
    status: str = option(
        needs=("statuses",),
        default="", group="logs", metavar="COLUMN",
        help="column of statuses: ok, empty, unparsed, refused, failed, not run",
    )  # fmt: skip
    conflicting: str = option(
        needs=("statuses",),
        default="error", group="logs", metavar="POLICY",
        help="where logs differ in gold: error (default), first, or majority",
    )  # fmt: skip
    drop: str = option(
        needs=("words",),
        default="",
        group="reading",
        shell=False,
        help="leave out tokens that begin with this",
    )
    scheme: str = option(
        needs=("tags",), default="iob2", group="tags", metavar="NAME",
        help="tag scheme: iob2 (default), iob1, io, bioes, bilou, bmes, any",
    )  # fmt: skip
    repair: str = option(
        needs=("tags",), default="begin", group="tags", metavar="POLICY",
        help="how to read invalid tag sequences: begin (a new span, default), discard, extend, "
        "error",
    )  # fmt: skip
    outside: tuple[str, ...] | None = option(
        needs=("own labels",),
        default=None,
        group="tags",
        metavar="LABELS",
        help="labels treated as outside (default O and _)",
    )
    suffix: bool = option(
        needs=("tags",),
        default=False,
        group="tags",
        help="tags end with the position letter: PER-B",
    )
    fold: bool = option(
        needs=("own labels",), default=False, group="tags", help="ignore case when comparing labels"
    )
    within: str = option(
        needs=("tags",),
        default="sentence", group="tags", values=("sentence", "document", "corpus"), choose=True,
        help="boundary that spans may not cross (default sentence)",
    )  # fmt: skip
    forms: bool = option(
        needs=("tags",), default=False, group="tags", shell=False,
        help="spans are right only if their token strings are those of gold too",
    )  # fmt: skip
    multiset: bool = option(
        needs=("spans",),
        default=False,
        group="tags",
        help="count a span that is given twice as two",
    )
    place: str = option(
        needs=("lists",), default="all", group="lists of entities", values=PLACES, choose=True,
        help="where an entity without a place is in its text: at all occurrences of its string "
        "(default), at the first that is free, where it agrees best or worst with gold; interval: "
        "first, with F1 at worst and at best (`score`)",
    )  # fmt: skip
    place_fold: bool = option(
        needs=("lists",), default=False, group="lists of entities",
        help="ignore case where a string of a list is not in the text as it is written",
    )  # fmt: skip
    min_words: int = option(
        needs=("chains",), default=1, group="coreference: mentions", metavar="N", number=int,
        help="leave out mentions of fewer than N words",
    )  # fmt: skip
    min_mentions: int = option(
        needs=("chains",), default=1, group="coreference: mentions", metavar="N", number=int,
        help="leave out chains of fewer than N mentions before mentions are matched",
    )  # fmt: skip
    mention_match: str = option(
        needs=("word sets",),
        default="", group="coreference: mentions", values=("exact", "head", "partial"),
        choose=True,
        help="mentions of gold and a system are one if all their words are equal (exact), their "
        "heads (head, default for CorefUD), or if the system's is a part of gold's with its head "
        "(partial)",
    )  # fmt: skip
    zero_match: str = option(
        needs=("word sets",),
        default="", group="coreference: mentions", values=("dependent", "linear"), choose=True,
        help="empty nodes of gold and a system are one by the heads and relations in DEPS "
        "(dependent, default) or by their places (linear)",
    )  # fmt: skip
    duplicate_mentions: str = option(
        needs=("chains",),
        default="error", group="coreference: mentions", values=("error", "first"), choose=True,
        help="a mention in two chains: error (default), or keep it in the first chain",
    )  # fmt: skip
    nominal: tuple[str, ...] = option(
        needs=("chains",), default=NOMINAL, group="coreference: mentions", metavar="TAGS",
        help="tags of single words that are nominal; several words always are (default "
        "NN,NNS,NNP,NNPS)",
    )  # fmt: skip

    references: tuple[str, ...] = option(
        needs=("texts",), default=(), group="generated text", metavar="FILE", repeated=True,
        reads=several,
        help="a further reference, one text per line; repeat it for more",
        in_python="further references: files with one text per line",
    )  # fmt: skip
    source_text: str = option(
        needs=("texts",), default="", group="generated text", metavar="FILE",
        help="the sources of the texts, one per line",
    )  # fmt: skip
    documents: str = option(
        needs=("texts",), default="", group="generated text", metavar="FILE",
        help="the name of the document of each text, one per line",
    )  # fmt: skip
    tokenize: str = option(
        needs=("texts",), default="", group="generated text", metavar="NAME",
        help="tokens of BLEU: 13a (default), intl, zh, ja-mecab, ko-mecab, char, flores200, none",
    )  # fmt: skip
    statistics: tuple[str, ...] = option(
        needs=("texts",), default=("bleu", "chrf"), group="generated text", metavar="NAMES",
        help="what a store keeps the counts of (default bleu,chrf); of others the counts are made "
        "when they are asked for: chrf++, ter, rouge, meteor, wer, cer, answer (exact match, F1)",
    )  # fmt: skip

    @property
    def selection(self) -> Selection:
        """Return the chosen columns, with the names of integer codes and what offsets count."""
        return replace(self.columns, names=self.names, offsets=self.offsets)

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
        _known("placement", self.place, PLACES)
        _known("kind of file to skip", self.skip, ("", "invalid"))
        _known("policy for duplicate mentions", self.duplicate_mentions, ("error", "first"))
        _known("way to match mentions", self.mention_match, ("", "exact", "head", "partial"))
        _known("way to match empty nodes", self.zero_match, ("", "dependent", "linear"))
        _known("policy for epochs", self.epochs, get_args(Epochs))
        _known("policy for conflicting gold", self.conflicting, get_args(Conflicting))
        if self.threshold is not None and not isfinite(self.threshold):
            raise UsageError(
                f"{self.threshold} is not a score", where="--threshold", remedy="use a number"
            )
        for least, flag in ((self.min_words, "words"), (self.min_mentions, "mentions")):
            if least < 1:
                raise UsageError(
                    f"{least} is too small", where=f"--min-{flag}", remedy="use 1 or more"
                )
        return self


# What trees are ranked by where no metric is named; other tasks have a headline of their own.
USUAL_METRIC = "las"
# Metrics of trees and of chains, which tasks with others have no use for.
OF_STRUCTURES = frozenset((*METRICS, *CHAIN_METRICS))
FORMER_ENGINES = {"kernels": "polars", "sql": "duckdb"}


@dataclass(frozen=True, slots=True)
class Scoring:
    """Everything that decides how items are counted and averaged."""

    unit: str | None = None
    labels: tuple[str, ...] = ()
    average: str = "union"
    exclude: tuple[str, ...] = ()
    undefined: str = "null"
    where: str = ""
    metric: str = USUAL_METRIC
    punct: bool | None = None
    subtypes: bool | None = None
    functional: tuple[str, ...] = FUNCTIONAL
    bins_from: str = ""
    taxonomy: str = "fair"
    bucketing: str = "coleval"
    singletons: str = "keep"
    key: str = ""
    missing: str = "error"
    lower: bool = False
    above: float | None = None
    engine: str = "polars"
    master: str = ""

    def __post_init__(self) -> None:
        """Give engines their present names; the former ones are in scripts and stores."""
        object.__setattr__(self, "engine", FORMER_ENGINES.get(self.engine, self.engine))

    def checked(self) -> Scoring:
        """Return the options if every name in them is known."""
        _known("average", self.average, ("union", "gold", "all"))
        _known("value for undefined scores", self.undefined, ("null", "0", "1"))
        _known("taxonomy", self.taxonomy, ("fair", "nervaluate", "hipe"))
        _known("policy for singletons", self.singletons, ("keep", "drop"))
        _known("policy for missing answers", self.missing, get_args(Missing))
        _known("engine", self.engine, get_args(Engine), where="--engine")
        _known("bucketing", self.bucketing, ("coleval", "interpreteval"))
        return self

    @property
    def zero_division(self) -> float | None:
        """Return what stands for an undefined score."""
        return None if self.undefined == "null" else float(self.undefined)


def _known(kind: str, name: str, names: Any, where: str = "") -> None:
    if name not in names:
        raise unknown(kind, name, names, where=where)


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
    if chosen.get("bins_from") is not None:
        chosen["bins_from"] = ",".join(listed(chosen["bins_from"]))
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
