"""The command line: arguments in, one call of the library, its report to one form.

It leaves computing to the library and looks to ``render``: a table is made elsewhere.
"""
