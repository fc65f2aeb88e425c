"""The tutorial is a notebook that was run: every cell, in a kernel, with the output it shows.

``.ci/docs`` writes the output anew. Only plain text is kept, which is small.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from doc_pages import ROOT

NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
for cell in notebook.cells:
    cell.metadata = {}
    for output in cell.get("outputs", ()):
        output.pop("metadata", None)
        data = output.get("data", {})
        if output.get("name") == "stderr":
            # A warning names a file of this kernel.
            output["text"] = ""
        if "text/plain" in data:
            output["metadata"], output["data"] = {}, {"text/plain": data["text/plain"]}
print(json.dumps(notebook, indent=1, ensure_ascii=False))
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    pytest.importorskip("ipykernel")
    environment = {**os.environ, "COLUMNS": "100", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN, str(NOTEBOOK)], env=environment, text=True,
        cwd=tmp_path_factory.mktemp("notebook"), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def outputs(text):
    """Return what each cell of code shows."""
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return ["".join("".join(o.get("text") or o.get("data", {}).get("text/plain", ""))
                    for o in cell["outputs"]) for cell in cells]  # fmt: skip


def test_the_notebook_shows_what_its_cells_give(executed):
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        NOTEBOOK.write_text(executed, encoding="utf-8")
    assert outputs(NOTEBOOK.read_text(encoding="utf-8")) == outputs(executed), "run .ci/docs"


def test_no_cell_failed_and_all_of_it_is_small(executed):
    assert '"output_type": "error"' not in executed
    assert len(NOTEBOOK.read_bytes()) < 40_000
    assert sum(map(bool, outputs(executed))) >= 8
