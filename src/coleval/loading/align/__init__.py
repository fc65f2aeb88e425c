"""How the tokens of a system meet the tokens of gold; one module a way.

``position`` is for systems that kept gold's tokens, ``characters`` and ``words`` for those with
tokens of their own, which it finds out. All hand on the same ``Alignment``,
and leave formats to ``readers``, labels to ``tasks``.
"""
