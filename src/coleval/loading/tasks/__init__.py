"""From what readers found to items, one module a task.

It leaves bytes and lines to ``readers``, and whose token is whose to ``align``.
"""
