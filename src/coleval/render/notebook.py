"""Whether there is a notebook to show a report in, found without loading what a notebook needs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def shown(report: Report) -> bool:
    """Show the report as HTML if this is a notebook's kernel; return whether it was shown."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or getattr(shell, "kernel", None) is None:
        return False
    import_module("IPython.display").display(report)
    return True
