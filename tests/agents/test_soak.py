"""The soak, in its short form: `python -m holdfast.testing.soak` is the long one."""

from pathlib import Path

import pytest

from holdfast.testing.soak import _count, _Ran, soak


@pytest.mark.req("X4")
@pytest.mark.lesson("N11")
def test_killed_hook_processes_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    done = soak(tmp_path, 64, agents=4, seed=3)
    assert (done.lost, done.twice, done.refused, done.faults) == ((), (), (), 0)
    assert done.killed > 0
    assert done.acknowledged + done.killed == 64


def test_the_soak_notices_what_is_lost(tmp_path: Path) -> None:
    soak(tmp_path, 2, agents=1)
    done = _count(tmp_path, [_Ran("never-recorded", killed=False)])
    assert done.lost == ("never-recorded",)
    assert not done.ok
