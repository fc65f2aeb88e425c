"""One thing of each kind that a package may add to coleval (docs/plugins.md)."""
