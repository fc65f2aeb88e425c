"""What ``oracle`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.options import declared


@declared
class Options(TreeCounting):
    """The options of ``oracle``."""


ORACLE = Analysis(
    "oracle",
    "what a combination could reach: upper bounds, votes, contributions",
    Options,
    does="Return what systems reach together: ``overall``, ``labels``, ``votes`` and more.",
    chapter=Chapter("What could a combination reach?", ("overall", "ladder"), place=9, systems=2),
)
