"""How fast coleval is on this machine, step by step, and what peers take for their part of it.

Answers are compared before a time is reported. This room leaves files and looks to others: what
reads and opens the corpus is given, and what comes back is a report like any other. ``timing`` and
``machine`` need the standard library alone.
"""
