"""One function gives the text of any form; captions and tints are for the forms that have them."""

from __future__ import annotations

import polars as pl
import pytest

from coleval.corpus.report import Report
from coleval.errors import UsageError
from coleval.render import FORMS, save, text

REPORT = Report(
    "score",
    {
        "overall": pl.DataFrame(
            {"system": ["a", "b"], "tp": [3, 2], "fp": [0, 1], "fn": [1, 2], "f1": [0.75, 0.5]}
        )
    },
    "coleval:x",
)


@pytest.mark.parametrize("form", ["table", "json", "csv", "tsv", "markdown", "latex", "html"])
def test_the_text_of_a_form_is_what_a_file_of_it_holds(form, tmp_path):
    path = tmp_path / "file"
    save(REPORT, path, form=form, table="overall")
    assert text(REPORT, form, table="overall") == path.read_text(encoding="utf-8")


def test_bytes_are_no_text():
    with pytest.raises(UsageError, match="parquet is not text"):
        text(REPORT, "parquet")


def test_a_misspelt_form_or_table_has_near_misses():
    with pytest.raises(UsageError, match="did you mean `latex`"):
        text(REPORT, "latx")
    with pytest.raises(UsageError, match="did you mean `overall`"):
        text(REPORT, "latex", table="overal")


@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if not form.printed])
def test_a_form_without_captions_refuses_one(form):
    with pytest.raises(UsageError, match="has no caption"):
        text(REPORT, form, caption="Results")


@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if not form.tinted])
def test_a_form_without_tints_refuses_them(form):
    with pytest.raises(UsageError, match="no tints"):
        text(REPORT, form, tint=True)
