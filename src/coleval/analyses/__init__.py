"""The analyses, a folder each: ``spec.py`` declares, ``tables.py`` makes the tables.

``registry`` lists them; what several of them begin with is beside it. An analysis leaves counting
to ``kernels`` and ``engines``, numbers to ``statistics``, and how a form draws to ``render``.
"""
