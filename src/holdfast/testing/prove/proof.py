"""The proof as data: what was run, what was found, and whether every promise held."""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.testing.prove.controls import ControlResult
from holdfast.testing.prove.storm import StormResult
from holdfast.testing.prove.tampering import FlipResult, TamperResult

DELICATE_SHARE_MIN: Final = 0.2
TAMPER_KINDS_MIN: Final = 12


class Setting(msgspec.Struct, frozen=True):
    """Where and with what the proof was run; no names of machines, no paths."""

    holdfast: str
    sqlite: str
    apsw: str
    python: str
    platform: str
    cores: int


class CrashFigures(msgspec.Struct, frozen=True):
    """Power cuts."""

    states: int
    """Disks that differ in at least one byte."""
    states_wanted: int
    seal_states: int
    """Of these, cut off while entries moved into an archive."""
    seal_states_wanted: int
    checks: int
    """The same disk is checked again when more was acknowledged by then."""
    delicate_share: float
    """Of the states, inside vault writes, checkpoints, migrations and seals."""
    by_phase: dict[str, int]
    by_workload: dict[str, int]
    by_model: dict[str, int]
    breaches: dict[str, int]
    examples: list[str]
    seconds: float
    states_per_second: int


class ErrorFigures(msgspec.Struct, frozen=True):
    """Errors of the disk."""

    cases: int
    refused: int
    by_kind: dict[str, int]
    breaches: list[str]


class Proof(msgspec.Struct, frozen=True):
    """Everything that was found. A campaign that was not run is None."""

    ok: bool
    failures: list[str]
    seed: int
    seconds: float
    setting: Setting
    crashes: CrashFigures | None = None
    errors: ErrorFigures | None = None
    storm: StormResult | None = None
    kills_wanted: int = 0
    tampering: list[TamperResult] | None = None
    bit_flips: FlipResult | None = None
    controls: list[ControlResult] | None = None


def judge(proof: Proof) -> Proof:
    """Say whether every promise held and every control fired."""
    failures = [
        *_crash_failures(proof.crashes),
        *_error_failures(proof.errors),
        *_storm_failures(proof.storm, proof.kills_wanted),
        *_tamper_failures(proof.tampering, proof.bit_flips),
        *(f"control stayed silent: {c.name}" for c in proof.controls or () if not c.fired),
    ]
    return msgspec.structs.replace(proof, ok=not failures, failures=failures)


def _crash_failures(figures: CrashFigures | None) -> list[str]:
    if figures is None:
        return []
    failures = [f"{kind}: {count} states" for kind, count in figures.breaches.items() if count]
    if figures.states < figures.states_wanted:
        failures.append(
            f"only {figures.states} of {figures.states_wanted} states in the time given"
        )
    if figures.seal_states < figures.seal_states_wanted:
        failures.append(
            f"only {figures.seal_states} of {figures.seal_states_wanted} states inside seals"
        )
    if figures.delicate_share < DELICATE_SHARE_MIN:
        failures.append(f"only {figures.delicate_share:.0%} of the states are delicate ones")
    return failures


def _error_failures(figures: ErrorFigures | None) -> list[str]:
    if figures is None or not figures.breaches:
        return []
    return [f"errors of the disk: {len(figures.breaches)} promises broken"]


def _storm_failures(result: StormResult | None, wanted: int) -> list[str]:
    if result is None:
        return []
    failures = []
    if result.lost or result.duplicated or not result.verified:
        failures.append(f"storm: {result.lost} lost, {result.duplicated} duplicated")
    if result.kills < wanted:
        failures.append(f"storm: only {result.kills} kills of {wanted}")
    return failures


def _tamper_failures(results: list[TamperResult] | None, flips: FlipResult | None) -> list[str]:
    if results is None:
        return []
    failures = [f"tampering not named: {result.name}" for result in results if not result.found]
    if len(results) <= TAMPER_KINDS_MIN:
        failures.append(f"only {len(results) - 1} kinds of tampering")
    if flips is not None and flips.silent:
        failures.append(f"{flips.silent} flipped bits changed what was stored and were not named")
    return failures
