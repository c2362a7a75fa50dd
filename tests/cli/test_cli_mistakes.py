"""What the command says of first mistakes, and what to type instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from kanon_process import Kanon


@pytest.fixture
def people(folder: Path) -> Path:
    """Twelve rows of four zip codes and two ages."""
    path = folder / "people.csv"
    path.write_text("zip,age,native-country\n" + "".join(f"{n % 4},{20 + n % 2},here\n" for n in range(12)))
    return path


@pytest.mark.sweep
@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--qi", "native-cuntry", "--k", "3"),
            'unknown column "native-cuntry" in the policy; hint: did you mean "native-country"?',
        ),
        (("--quasi-identifiers", "zip", "--k", "3"), "No such option '--quasi-identifiers'"),
        (("--qi", "zip", "--k", "3", "--algorithm", "optmal"), "there is no algorithm 'optmal'; hint: did you mean 'optimal'?"),
        (("--qi", "zip", "--k", "3", "--recode", "zip=DIGTS"), "hint: did you mean DIGITS?"),
        (
            ("--qi", "zip", "--k", "3", "--recode", "zpi=DIGITS"),
            'error: "zpi" in a recoding is not a quasi-identifier; hint: did you mean "zip"? The quasi-identifiers are "zip"\n',
        ),
        (("--qi", "zip", "--sensitive", "age", "--t", "1", "--metric", "orderd"), "hint: did you mean ordered?"),
        (("--qi", "zip", "--sensitive", "age", "--l", "1", "--variant", "distnct"), "hint: did you mean 'distinct'?"),
    ],
)
def test_the_name_that_was_meant(kanon: Kanon, folder: Path, arguments: tuple[str, ...], told: str) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", *arguments)
    assert done.returncode != 0
    assert told in done.stderr
    assert not (folder / "out.csv").exists()


@pytest.mark.usefixtures("people")
def test_an_option_by_its_name_in_python(kanon: Kanon) -> None:
    assert "Did you mean '--qi'?" in kanon("anonymize", "people.csv", "-o", "out.csv", "--quasi-identifiers", "zip").stderr
    assert "Did you mean '--time-limit'?" in kanon("anonymize", "people.csv", "-o", "out.csv", "--timeout", "9").stderr
    assert "Did you mean" not in kanon("anonymize", "people.csv", "-o", "out.csv", "--zzz", "9").stderr


def test_the_ending_that_was_meant(kanon: Kanon) -> None:
    assert kanon("profile", "people.cvs").stderr == "error: people.cvs has no known extension; hint: did you mean .csv?\n"


def test_keys_of_a_file_of_policies(kanon: Kanon, people: Path, folder: Path) -> None:
    (folder / "policy.yaml").write_text("policies:\n  - name: research\n    tabel: people\n    quasi_identifiers: []\n")
    done = kanon("anonymize", "people.csv", "-o", "out.csv", "--policy", "policy.yaml")
    assert done.stderr == "error: policy.yaml, line 3: a policy has the unknown key 'tabel'; hint: did you mean 'table'?\n"


@pytest.mark.everything
def test_commands_of_the_shell(kanon: Kanon) -> None:
    done = kanon("shell", input=".tabels\n")
    assert done.stderr == "error: stdin, line 1: unknown command .tabels; hint: did you mean .tables?\n"
    assert "hint: did you mean markdown?" in kanon("shell", input=".mode markdwon\n").stderr


@pytest.mark.usefixtures("people")
def test_an_audit_counts_one_row_and_says_what_to_do(kanon: Kanon) -> None:
    done = kanon("audit", "people.csv", "--qi", "zip,age,native-country", "--k", "5")
    assert done.returncode == 1
    assert "error: the smallest class has 3 rows, fewer than k = 5; hint: anonymize the table first" in done.stderr
    done = kanon("audit", "-", "--qi", "zip", "--k", "5", "--max-risk", "0.5", input="zip\n1\n")
    told = "error: the smallest class has 1 row, fewer than k = 5; the highest risk of a row is 1, above 0.5; hint: anonymize"
    assert told in done.stderr


@pytest.mark.usefixtures("people")
def test_no_release_under_a_guarantee_that_nobody_asked_for(kanon: Kanon, folder: Path) -> None:
    for command in (
        ("anonymize", "people.csv", "-o", "out.csv"),
        ("append", "clinic.duckdb::people", "released", "--key", "id"),
    ):
        done = kanon(*command, "--qi", "zip")
        assert done.returncode == 2
        assert "no guarantee is set; hint: pass --k 5 for classes of at least 5 rows" in done.stderr
    assert not (folder / "out.csv").exists()
