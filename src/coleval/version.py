"""The version, written by hand: asking the installed metadata for it costs every start 30 ms."""

__version__ = "0.2.0"
