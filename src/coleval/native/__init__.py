"""Loops in C for what numpy and Polars take many passes for; without it all works, slower.

``library`` is compiled where the package is built, if there is a compiler. Nothing is known here
that is not known in Python as well: what a function does not expect it leaves to the readers
in Python, which say what is wrong.
"""
