"""From bytes to plain columns, one module a format; the registry is ``formats.py``.

It leaves other files, and what a tag means, to ``align`` and ``tasks``.
"""
