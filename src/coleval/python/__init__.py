"""The face that Python users see: methods with typed options, their help, their words in errors.

What an option means is said once, where the command line declares it (``arguments``); here are its
type, its default and the methods that have it. It leaves the work to ``analyses``.
"""
