"""From bytes to plain columns, one module a format; the registry is ``formats.py``."""
