"""Errors that nobody caught: their tracebacks may hold values, and reach neither the page nor the terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

# the value is a word: a page of NiceGUI names times and random numbers, which may hold any few digits
SERVED = """
from fastapi import FastAPI
from fastapi.testclient import TestClient
from nicegui import ui
from kanon_sql.studio.server import in_one_line

class Failing(Exception):
    pass

@ui.page("/now")
def now():
    raise Failing("the value secretword")

@ui.page("/later")
async def later():
    raise Failing("the value secretword")

said = []
in_one_line(said.append)
app = FastAPI()
ui.run_with(app)
with TestClient(app) as client:
    for path in ("/now", "/later", "/nowhere-secretword"):
        answer = client.get(path)
        text = answer.text.replace("nowhere-secretword", "")
        print(path, answer.status_code, "secretword" in text, "This page has failed" in text)
print(len(said), *said)
"""


@pytest.mark.everything
def test_errors_are_one_line_without_a_value() -> None:
    done = subprocess.run([sys.executable, "-c", SERVED], capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    pages, said = done.stdout.splitlines()[:3], done.stdout.splitlines()[3:]
    assert pages == ["/now 500 False True", "/later 500 False True", "/nowhere-secretword 404 False False"]
    assert len(said) == 1
    assert said[0].count("error: ") >= 2
    assert "secretword" not in said[0]
    assert "Failing" in said[0]
