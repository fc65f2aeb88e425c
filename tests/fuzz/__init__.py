"""Fuzzing that stays: seconds of it in CI, hours when asked (``python -m tests.fuzz``).

A harness is a function of a random generator and an empty folder that makes one case and raises if
something is wrong with it. Everything random comes from the generator, so a case can be had again
by its harness, seed and number. ``registry`` lists the harnesses, ``running`` runs them.
"""

import os

# Traces of native panics fill the screen, and say nothing of ours.
os.environ["RUST_BACKTRACE"] = "0"
