"""From counts to numbers: measures, tests, intervals, random draws; pure functions of arrays.

It leaves to others where counts come from (``counts``) and how numbers look (``render``).
"""
