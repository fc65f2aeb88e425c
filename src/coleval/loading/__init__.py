"""From files to items: sources, a reader a format, alignment, a task object each.

It leaves counting to ``counts``; what it makes is the item table and no more.
"""
