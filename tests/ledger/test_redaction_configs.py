"""In files of settings a name and the look of its value tell a secret; filled-in words do not."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from holdfast.agents.attaching import is_config, is_for_secrets
from holdfast.ledger.redaction import Redactor

REDACTOR = Redactor(b"k" * 32)
RANDOM = "q7Rk2mV9xLp4Tz8WcY3nBf6H"
MIXED = "Tr0ub4dor-und-3"
BASE64 = "YWRtaW46VHIwdWI0ZG9yLXVuZC0z"

SECRET = {
    "yaml": f"server:\n  api_key: {RANDOM}\n",
    "quoted yaml": f'api_key: "{RANDOM}"\n',
    "json": f'{{"clientSecret": "{MIXED}"}}',
    "docker": f'{{"auths": {{"registry.example.org": {{"auth": "{BASE64}"}}}}}}',
    "properties": f"spring.datasource.password={MIXED}\n",
    "connection string": f'{{"Db": "Server=db;User Id=app;Password={MIXED};"}}',
    "address": f"url: postgres://app:{MIXED}@db/app\n",
    "ini": f"[remote]\ntoken = {RANDOM}\n",
    "toml": f'secret_key = "{MIXED}"\n',
    "npmrc": f"//registry.example.org/:_authToken={RANDOM}\n",
    "header": f"headers:\n  Authorization: Bearer {RANDOM}\n",
    "manifest": "apiVersion: v1\nkind: Secret\ndata:\n  door: aHVudGVyMg==\n",
    "manifest in words": "kind: Secret\nmetadata:\n  name: x\nstringData:\n  door: open-sesame\n",
    "attribute": f'<server user="x" password="{MIXED}"/>',
    "utf-16": "",
}
PLAIN = {
    "reference": "password: ${DB_PASSWORD}\ntoken: ${{ secrets.TOKEN }}\n",
    "helm": "kind: Secret\ndata:\n  password: {{ .Values.password | b64enc }}\n",
    "sealed": f"kind: SealedSecret\nspec:\n  encryptedData:\n    x: {RANDOM}\n",
    "kind alone": "kind: Secret\nmetadata:\n  name: door\n  namespace: house\n",
    "other kind": "kind: ConfigMap\ndata:\n  door: open-sesame\n",
    "word": "POSTGRES_PASSWORD: postgres\n",
    "words": "password: change-me-please\n",
    "local address": "url: postgres://postgres:postgres@localhost/app\n",
    "name of one": "secretName: web-tls-certificate-2\ntokenUrl: https://id.example.org/token\n",
    "count": "max_tokens: 4096\ntoken_limit: 128000\n",
    "translation": '{"password": "Passwort vergessen?", "token": "Ihr Zugangscode"}',
    "type": '{"password": {"type": "string", "minLength": 8}}',
    "short": "password: a1b2\n",
    "placeholder": "api_key: your-api-key-here\nsecret: xxxxxxxxxxxx\n",
    "permission": "permissions:\n  id-token: write\n",
    "path": "private_key: /etc/ssl/private/server.key\n",
}


@pytest.mark.lesson("N12")
@pytest.mark.parametrize("what", SECRET)
def test_a_secret_in_settings_is_told(what: str) -> None:
    content = SECRET[what].encode() or f"password={MIXED}".encode("utf-16")
    assert REDACTOR.finds_assigned(content) is not None


@pytest.mark.parametrize("what", PLAIN)
def test_what_stands_in_for_a_secret_is_none(what: str) -> None:
    assert REDACTOR.finds_assigned(PLAIN[what].encode()) is None


def test_own_names_are_secret_whatever_they_hold_and_names_can_be_switched_off() -> None:
    door = b"door: open\xe2\x80\xa6sesame\n"
    assert REDACTOR.finds_assigned(door) is None
    assert Redactor(b"k" * 32, secret_names=("door",)).finds_assigned(door) == "secret"
    off = Redactor(b"k" * 32, entropy=False)
    assert off.finds_assigned(SECRET["yaml"].encode()) is None
    assert off.finds_assigned(SECRET["address"].encode()) == "url-password"


@pytest.mark.parametrize(
    "path",
    [
        *(".env", "api/.env.production", ".npmrc", ".pypirc", "infra/prod.tfvars", "a.auto.tfvars"),
        *("x.tfvars.json", "kubeconfig", "dev.kubeconfig", ".kube/config", "home/.kube/config"),
        *(".docker/config.json", "terraform.tfstate", ".cargo/credentials.toml", "auth.json"),
        *("client_secret_42.json", "certs/server.key", "deploy/id_ed25519", "wp-config.php"),
        *(".dev.vars", "vpn.ovpn", ".m2/settings.xml", "SECRETS.YAML"),
    ],
)
def test_files_that_are_there_for_secrets_are_told_by_name(path: str) -> None:
    assert is_for_secrets(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "docker/config.json",
            "application.properties",
            "application-prod.yml",
            "appsettings.json",
        ),
        *("docker-compose.yaml", "app.toml", "setup.cfg", "nginx.conf", "Web.config", ".envrc"),
        *(".yarnrc.yml", ".condarc", ".gitconfig", "config", "Dockerfile", ".env.example"),
        *("config.yaml.template", "x.plist"),
    ],
)
def test_files_of_settings_are_looked_at_by_name_and_value(path: str) -> None:
    assert is_config(path)
    assert not is_for_secrets(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "settings.py",
            "config.js",
            "config.ts",
            "main.go",
            "Config.java",
            "lib.rs",
            "a.rb",
            "a.php",
        ),
        *("a.sh", "main.tf", "a.sql", "README.md", "a.ipynb", "a.jsonl", "package-lock.json"),
        *("yarn.lock", "kubeconfig.go", "credentials.py", "environment.ts", "config.py", "x.keys"),
    ],
)
def test_code_and_data_are_told_by_formats_alone(path: str) -> None:
    assert not is_config(path)
    assert not is_for_secrets(path)


def test_settings_that_people_work_with_are_kept() -> None:
    """This project's own, and those of the libraries that are installed here."""
    root = Path(__file__).parents[2]
    packages = Path(sysconfig.get_paths()["purelib"])
    files = [root / "pyproject.toml", root / "mkdocs.yml", root / "bench" / "results.json"]
    files += [
        path for path in sorted(packages.rglob("*")) if path.is_file() and is_config(path.name)
    ]
    looked = [path for path in files if path.stat().st_size < 1_000_000][:400]
    found = [path.name for path in looked if REDACTOR.finds_assigned(path.read_bytes())]
    assert len(looked) > 20
    assert found == []
