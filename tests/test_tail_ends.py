"""The lower end of the interval of a share is Clopper and Pearson's, and needs no scipy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.special import betaincinv

from coleval.statistics.tails import COUNTABLE, lower_end


@pytest.mark.parametrize("drawn", [1, 9, 40, 1000, 20_000, 200_000])
def test_the_lower_end_is_that_of_clopper_and_pearson(drawn):
    found = np.arange(min(COUNTABLE, drawn + 1))
    known = betaincinv(np.maximum(found, 1), drawn - found + 1, 0.025)
    expected = np.where(found > 0, known, 0.0)
    assert lower_end(found, np.full(len(found), drawn)) == pytest.approx(expected, rel=1e-8)


def test_a_report_of_many_sentences_does_not_import_scipy(tmp_path):
    lines = "".join(f"w{k}\tB-X\nv\tO\n\n" for k in range(150))
    (tmp_path / "gold").write_text(lines, encoding="utf-8")
    for k, name in enumerate(("a", "b", "c"), start=2):
        rows = lines.split("\n\n")
        rows[:: 7 * k] = [row.replace("B-X", "O") for row in rows[:: 7 * k]]
        (tmp_path / name).write_text("\n\n".join(rows), encoding="utf-8")
    code = (
        "import sys; from coleval.cli.main import main; "
        "main(['report', 'gold', 'a', 'b', 'c', '--quiet', '-o', 'r.json']); "
        "sys.exit('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 0
