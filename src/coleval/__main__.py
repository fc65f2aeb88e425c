"""``python -m coleval``."""

import sys

from coleval.cli import main

sys.exit(main())
