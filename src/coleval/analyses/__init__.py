"""The analyses, a folder each: what is declared, numbers, pictures, sentences.

``spec.py`` declares, ``tables.py`` makes the tables, ``views.py`` has pictures and shapes,
``findings.py`` the sentences of the report. ``registry`` lists them; what several of them begin
with is beside it. An analysis leaves counting to ``counts``, numbers to ``statistics``, and how a
form draws to ``render``.
"""
