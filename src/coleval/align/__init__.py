"""How the tokens of a system meet the tokens of gold; one module a way.

``position`` is for systems that kept gold's tokens. Systems with tokens of their own will align
by characters here, and hand on the same ``Alignment``.
"""
