"""The demo's story, step by step. Everything it says was measured in this run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from holdfast.cli.demo.desk import clear_the_desk
from holdfast.cli.demo.killing import kill
from holdfast.cli.demo.page import look
from holdfast.cli.demo.proxying import keep_the_code_true
from holdfast.cli.demo.recalling import find_an_old_decision, keep_a_secret_out
from holdfast.cli.demo.saving import save_and_boot
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.tampering import tamper


def tell(project: Path, *, fast: bool = False) -> Iterator[Step]:
    """Do it all in a new project, and yield each step when it is done."""
    yield from clear_the_desk(project)
    yield kill(project, fast=fast)
    yield find_an_old_decision(project)
    yield keep_a_secret_out(project)
    yield save_and_boot(project)
    yield tamper(project)
    yield keep_the_code_true(project)
    yield look(project)
