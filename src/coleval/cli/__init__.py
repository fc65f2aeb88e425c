"""The command line: arguments in, one call of the library, its report to one form."""
