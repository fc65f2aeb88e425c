"""Scores: what each is called, which tasks have it, and how it is made of sums over units.

A metric is one declaration (``model.Metric``) in the module of its family, where the ``registry``
finds it. This room leaves counting by unit to ``counts``, tests and intervals to
``statistics``.
"""
