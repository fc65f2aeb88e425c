"""The session of docs/python.md is a real one: run again, it prints what the page shows.

``COLEVAL_UPDATE_GOLDEN=1`` writes the page anew.
"""

from __future__ import annotations

import os
import re
from code import InteractiveInterpreter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
SESSION = re.compile(r"```pycon\n(.*?)```", re.DOTALL)


def answers(calls, monkeypatch):
    """Return a session with what each call prints."""
    monkeypatch.setenv("COLUMNS", "96")
    shell, lines = InteractiveInterpreter(), []
    for call in calls:
        printed, raised = StringIO(), StringIO()
        with redirect_stdout(printed), redirect_stderr(raised):
            shell.runsource(call)
        trace = re.sub(
            r"(?s)\A(Traceback.*?\n).*?(?=^\w)", r"\1  …\n", raised.getvalue(), flags=re.MULTILINE
        )
        lines += [f">>> {call}", (printed.getvalue() + trace).rstrip("\n")]
    return "".join(f"{line}\n" for line in lines if line)


def calls_of(session):
    return re.findall(r"^>>> (.*)$", session, re.MULTILINE)


def test_the_session_of_the_page_is_real(data, monkeypatch, tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    sessions = SESSION.findall(text)
    data("wnut17")
    monkeypatch.chdir(data())
    again = answers([call for part in sessions for call in calls_of(part)], monkeypatch)
    if os.environ.get("COLEVAL_UPDATE_GOLDEN") == "1":
        assert len(sessions) == 1
        PAGE.write_text(text.replace(sessions[0], again), encoding="utf-8")
        return
    assert "".join(sessions) == again
