"""What an analysis says of itself, once: its options, its tables, its chapter in the report.

The command line, Python signatures and help, the signature line and every renderer follow from
these declarations. It leaves counting, scoring and drawing to others.

Nothing here is changed once it is declared. The classes are not frozen, for that would double the
time that ``coleval --help`` takes to make them.
"""
