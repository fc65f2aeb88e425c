"""A believable shared task, made up from a seed: a text, its gold labels, and what systems said.

Good for showing what coleval does and for measuring how fast. Only ``write`` touches files.
The same seed gives the same bytes; gold does not depend on how many systems are asked for, and
the first systems do not depend on the later ones. It leaves scoring what it made to the library.
"""

from __future__ import annotations

from coleval.demo.corpus import DemoCorpus, generate
from coleval.demo.files import write

__all__ = ["DemoCorpus", "generate", "write"]
