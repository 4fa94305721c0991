"""Every way in which a file or a citation goes wrong has its own right answer, and no other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from holdfast.code import read_symbols
from holdfast.evidence.checking import Checked, Checker
from holdfast.evidence.citations import Cited, parse, spell
from holdfast.evidence.grounding import prove
from holdfast.evidence.project_files import ProjectFiles
from holdfast.ledger.redaction import Redactor
from tests.evidence.mutations import KINDS, Outcome
from tests.evidence.quoted import SAMPLES, Sample, samples

_redactor = Redactor(b"k" * 32)


def redact(text: str) -> str:
    return _redactor.clean_text(text)[0]


def written(sample: Sample, path: str, outcome: Outcome) -> str:
    """Write the citation as somebody would, right or wrong as the mutation says."""
    last = sample.line + sample.more if sample.more and outcome.cited is None else None
    right = spell(sample.quote, path, sample.line, last)
    match outcome.cited:
        case None:
            return right
        case "":
            return f"{sample.quote.split()[0]} [${{PROJECT_ROOT}}/{path}:{sample.line}]"
        case "]":
            return right.replace(f":{sample.line}]", "]")
        case str(place) if place.startswith(":"):
            return right.replace(f":{sample.line}]", f"{place}]")
        case str(place) if place.startswith("["):
            return right.replace(f"[${{PROJECT_ROOT}}/{path}", place)
        case quote:
            return f"{quote} [${{PROJECT_ROOT}}/{path}:{sample.line}]"


def mutated(folder: Path, kind: str) -> tuple[ProjectFiles, list[str], list[Outcome]]:
    """Make a project in which every sample was changed in one way."""
    project = folder / "project"
    chance = random.Random(kind)
    texts, outcomes = [], []
    for number, sample in enumerate(samples()):
        path = f"part{number}/module.py"
        (project / path).parent.mkdir(parents=True)
        outcome = KINDS[kind](sample, project / path, chance)
        outcomes.append(outcome)
        texts.append(written(sample, path, outcome))
    return ProjectFiles(project, project), texts, outcomes


def found_in(checked: Checked, outcome: Outcome) -> Outcome:
    """Put what was found beside what must be; what an outcome does not say is not compared."""
    return Outcome(
        checked.state,
        checked.found if outcome.found is not None else None,
        checked.how if outcome.how is not None else None,
        checked.fault,
        outcome.cited,
    )


@pytest.mark.req("L7", "L18")
@pytest.mark.lesson("L1")
@pytest.mark.parametrize("kind", KINDS)
def test_each_mutation_has_its_own_right_state(tmp_path: Path, kind: str) -> None:
    files, texts, outcomes = mutated(tmp_path, kind)
    cited = [one for text in texts for one in parse(text)]
    assert len(cited) == SAMPLES
    checked = Checker(files, redact, read_symbols).check(cited)
    assert outcomes == [found_in(*pair) for pair in zip(checked, outcomes, strict=True)]
    assert [one.remedy != "" for one in checked] == [one.state != "exact" for one in checked]


@pytest.mark.req("L7")
@pytest.mark.lesson("L1")
@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_is_grounded_if_and_only_if_its_quotes_stand(tmp_path: Path, kind: str) -> None:
    """False blocks 0, false passes 0: alone, and beside a quote that stands."""
    files, texts, outcomes = mutated(tmp_path, kind)
    (files.root / "sound.py").write_text("import sound\n")
    sound = "`import sound` [${PROJECT_ROOT}/sound.py:1]"
    for text, outcome in zip(texts, outcomes, strict=True):
        right = outcome.state == "exact"
        for given in ([text], [sound, text]):
            assert prove(files, redact, given, read_symbols=read_symbols).ok == right


def test_there_are_as_many_ways_as_were_promised(tmp_path: Path) -> None:
    states = set()
    for kind, mutate in KINDS.items():
        file = tmp_path / kind / "part" / "module.py"
        file.parent.mkdir(parents=True)
        states.add(mutate(samples()[0], file, random.Random(kind)).state)
    assert len(KINDS) >= 20
    assert states == {"exact", "moved", "changed", "gone", "unreadable", "refused"}


def test_the_samples_are_what_they_are_said_to_be() -> None:
    """A quote stands once in its module, where it is said to; half of them have three lines."""
    made = samples()
    assert len(made) == SAMPLES == len({sample.text for sample in made})
    assert sum(sample.more == 2 for sample in made) == SAMPLES // 2
    for sample in made:
        assert sample.text.count(sample.quote) == 1
        before = sample.text[: sample.text.index(sample.quote)]
        assert before.count("\n") + 1 == sample.line


def test_the_table_would_notice_a_checker_that_looks_at_nothing(tmp_path: Path) -> None:
    """The negative twin: whoever calls every quote exact, or none, is caught."""
    _, _, outcomes = mutated(tmp_path, "a_word_edited")
    cited = Cited("part0/module.py", 1, None, "x")
    for state in ("exact", "gone"):
        checked = Checked(cited, state)
        assert found_in(checked, outcomes[0]) != outcomes[0]
