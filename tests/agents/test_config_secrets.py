"""Secrets in files of settings are kept nowhere, by tools and by looks; code comes back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.agents.looking import suspects_config
from holdfast.ledger.redaction import Redactor
from tests.agents.hooks import Project
from tests.agents.test_looking import NAMES, SIGNS, VALUES

RANDOM = "q7Rk2mV9xLp4Tz8WcY3nBf6H"
MIXED = "Tr0ub4dor-und-3"
REDACTOR = Redactor(b"k" * 32)

CONFIGS = {
    "config/app.yaml": f"api_key: {RANDOM}\n",
    "docker/config.json": f'{{"auths": {{"r": {{"auth": "{RANDOM}"}}}}}}\n',
    "src/application.properties": f"db.password={RANDOM}\n",
    "kubeconfig": f"users:\n- token-data: {RANDOM}\n",
    "prod.tfvars": f'x = "{RANDOM}"\n',
    ".npmrc": f"//r/:_authToken={RANDOM}\n",
    "secret.yaml": f"kind: Secret\nstringData:\n  door: {RANDOM}\n",
}
CODE = {
    "settings.py": f'SECRET_KEY = "{RANDOM}"\nPASSWORD = os.environ["PASSWORD"]\n',
    "tests/test_login.py": f'assert login(password="{MIXED}")\r\n',
    "auth/client_secrets.py": "class ClientSecrets: ...\n",
    "config.ts": f'export const apiKey = "{RANDOM}"\n',
    "app.yaml": "password: ${PASSWORD}\nmax_tokens: 4096\n",
}


def wrote(project: Project, path: str, content: str, call: str) -> dict[str, Any]:
    """Write a file, and make the payload of the tool that did."""
    file = project.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode())
    return project.told(
        "PostToolUse",
        tool_name="Write",
        tool_use_id=call,
        tool_input={"file_path": str(file), "content": "(left out here)"},
        tool_response={"success": True},
    )


def ran(project: Project) -> dict[str, Any]:
    given = {"command": "make"}
    return project.told("PostToolUse", tool_name="Bash", tool_use_id="b1", tool_input=given)


def held(project: Project, needle: str) -> list[str]:
    """Return the files of the ledger that hold some bytes."""
    found = project.holds(needle)
    return [str(path) for path in found if project.folder in path.parents]


@pytest.mark.lesson("N12")
@pytest.mark.parametrize("path", CONFIGS)
@pytest.mark.parametrize("by_tool", [True, False])
def test_settings_with_a_secret_are_kept_nowhere(
    project: Project, path: str, by_tool: bool
) -> None:
    project.start()
    told = wrote(project, path, CONFIGS[path], "w1")
    if by_tool:
        project.hook(told)
        assert held(project, RANDOM) == []
        project.hook(ran(project))
    else:
        project.hook(ran(project))
    ((_, data),) = project.entries("file_change")
    assert (data["path"], data["content"]["withheld"]) == (path, "secret")
    assert held(project, RANDOM) == []


@pytest.mark.parametrize("path", CODE)
@pytest.mark.parametrize("by_tool", [True, False])
def test_code_and_settings_without_one_come_back_byte_for_byte(
    project: Project, path: str, by_tool: bool
) -> None:
    project.start()
    told = wrote(project, path, CODE[path], "w1")
    project.hook(told if by_tool else ran(project))
    with project.open() as ledger:
        ((_, data),) = project.entries("file_change")
        assert data["seen_by"] == ("tool" if by_tool else "scan")
        assert ledger.artifact(data["hash_after"]) == CODE[path].encode()


WORDS = st.sampled_from([*NAMES, *SIGNS, *SIGNS, *VALUES, "\n", "kind: Secret\n", "data:\n  "])


@pytest.mark.lesson("N12")
@settings(max_examples=1500)
@given(st.lists(WORDS, min_size=2, max_size=14).map("".join))
def test_what_the_first_look_clears_of_settings_holds_no_secret(text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    if not suspects_config(content):
        assert REDACTOR.finds_assigned(content) is None
