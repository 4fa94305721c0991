"""Ghosts in a real package: none of the features that it has is confirmed as missing.

A small part of what `bench/ghosts.py` measures, over one package of the standard library.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from holdfast.config import Search, Settings
from holdfast.evidence.ghosts import judge
from holdfast.kernel.types.evidence import GhostStatus
from holdfast.wiring.code_indexing import no_progress
from holdfast.wiring.ghost_searching import look
from tests.wiring.code_projects import Code

PRESENT = [
    ("read records of events from a file handler", "log messages with levels and formatters"),
    ("rotate log files by size or time", "start a new file when the old one grows too large"),
    ("send log records to syslog", "forward messages to the system logger facility"),
    ("configure logging from a dictionary", "set up handlers and formatters by a schema version"),
    ("buffer records in memory until a severe one comes", "flush a capacity of records at once"),
    ("mail an error by SMTP", "send an email for each logging event"),
    ("queue records for a listener thread", "pass log events through a queue to handlers"),
    ("filter records by logger name", "allow only events of a part of the hierarchy"),
]
ABSENT = [
    ("OAuth2 login with consent screen", "sign in by an authorization code"),
    ("Kubernetes deployment of replicas", "roll out pods of a cluster"),
    ("shopping cart with quantities and prices", "add products and compute the total price"),
    ("face recognition at the entrance door", "detect people in a photo"),
    ("GraphQL schema with resolvers", "mutations over nested fields of a graph"),
    ("loan amortization schedule", "monthly payments of a mortgage with interest"),
    ("chess engine with opening book", "search for the best move by alpha-beta"),
    ("weather forecast for the week", "temperature and rain of the next days"),
    ("genome alignment of short reads", "match DNA to a reference"),
    ("payroll with overtime", "salaries and deductions of employees"),
]


@pytest.fixture(scope="module")
def logging(tmp_path_factory: pytest.TempPathFactory) -> Code:
    code = Code(tmp_path_factory.mktemp("figure") / "project")
    package = Path(sysconfig.get_paths()["stdlib"]) / "logging"
    for path in sorted(package.glob("*.py")):
        code.write(f"logging/{path.name}", path.read_bytes())
    return code


def status(code: Code, queries: tuple[str, str]) -> GhostStatus:
    settings = Settings(search=Search(ck="never"))
    # The first question is the name as well.
    return judge(
        look(code.place, settings, queries[0], queries, progress=no_progress).looked
    ).status


@pytest.mark.req("L9")
@pytest.mark.parametrize("queries", PRESENT, ids=lambda pair: pair[0])
def test_what_it_has_is_present(logging: Code, queries: tuple[str, str]) -> None:
    assert status(logging, queries) == "present"


@pytest.mark.req("L9")
def test_nine_of_ten_that_it_does_not_have_are_confirmed(logging: Code) -> None:
    confirmed = [status(logging, queries) == "confirmed" for queries in ABSENT]
    assert sum(confirmed) >= 0.9 * len(ABSENT)
