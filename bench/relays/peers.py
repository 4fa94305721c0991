"""Other proxies, as long as they are measured: each in an environment of its own under .scratch.

LiteLLM's proxy and mitmproxy are installed by pip, nginx is unpacked from Debian's package. What
cannot be had here is said, and not measured.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bench.harness import SCRATCH, CannotMeasureError
from bench.relays.processes import free_port, running, wait_for

HOME: Final = SCRATCH / "peers"
KEY: Final = f"sk-{secrets.token_hex(16)}"
"""LiteLLM does not start without a key of its own; made for each run, and sent to all."""

_STREAMED: Final = """\
def requestheaders(flow):
    flow.request.stream = True


def responseheaders(flow):
    flow.response.stream = True
"""
_NGINX: Final = """\
daemon off;
worker_processes 1;
error_log stderr;
pid {folder}/nginx.pid;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_body_buffer_size 1m;
    upstream model {{ server 127.0.0.1:{upstream}; keepalive 64; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://model;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }}
    }}
}}
"""
_LITELLM: Final = """\
model_list:
  - model_name: now
    litellm_params: {{model: openai/now, api_base: "{base}", api_key: none}}
  - model_name: paced
    litellm_params: {{model: openai/paced, api_base: "{base}", api_key: none}}
litellm_settings: {{telemetry: false}}
general_settings: {{master_key: {key}}}
"""


@contextmanager
def litellm(upstream: int, folder: Path) -> Iterator[int]:
    """Run LiteLLM's proxy with one worker."""
    program = _installed("litellm", "litellm[proxy]")
    settings = folder / "litellm.yaml"
    base = f"http://127.0.0.1:{upstream}/v1"
    settings.write_text(_LITELLM.format(base=base, key=KEY), encoding="ascii")
    port = free_port()
    command = [program, "--config", str(settings), "--host", "127.0.0.1", "--port", str(port),
               "--num_workers", "1"]  # fmt: skip
    env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONPATH": "", "NO_PROXY": "127.0.0.1",
           "no_proxy": "127.0.0.1"}  # fmt: skip
    with running(command, log=folder / "litellm.log", env=env) as process:
        wait_for(port, process, "LiteLLM")
        yield port


@contextmanager
def mitmproxy(upstream: int, folder: Path) -> Iterator[int]:
    """Run mitmproxy as a reverse proxy that streams."""
    program = Path(_installed("mitmproxy", "mitmproxy")).with_name("mitmdump")
    script = folder / "streamed.py"
    script.write_text(_STREAMED, encoding="ascii")
    port = free_port()
    command = [str(program), "-q", "--mode", f"reverse:http://127.0.0.1:{upstream}",
               "--listen-host", "127.0.0.1", "--listen-port", str(port), "-s", str(script),
               "--set", f"confdir={folder / 'mitm'}"]  # fmt: skip
    with running(command, log=folder / "mitm.log", env={"PYTHONPATH": ""}) as process:
        wait_for(port, process, "mitmproxy")
        yield port


@contextmanager
def nginx(upstream: int, folder: Path) -> Iterator[int]:
    """Run nginx with one worker, without buffering answers."""
    program = shutil.which("nginx") or _unpacked()
    port = free_port()
    settings = folder / "nginx.conf"
    settings.write_text(
        _NGINX.format(folder=folder.resolve(), upstream=upstream, port=port), encoding="ascii"
    )
    command = [program, "-c", str(settings.resolve()), "-e", "stderr"]
    with running(command, log=folder / "nginx.log") as process:
        wait_for(port, process, "nginx")
        yield port


STARTS: Final = {"LiteLLM": litellm, "mitmproxy": mitmproxy, "nginx": nginx}


@contextmanager
def all_that_start(upstream: int, folder: Path) -> Iterator[tuple[dict[str, int], list[str]]]:
    """Start the peers; return their ports, and why some are not there."""
    ports: dict[str, int] = {}
    missing: list[str] = []
    with ExitStack() as stack:
        for name, start in STARTS.items():
            try:
                ports[name] = stack.enter_context(start(upstream, folder))
            except (CannotMeasureError, OSError, subprocess.SubprocessError) as problem:
                missing.append(f"{name} was not measured: {problem}")
        yield ports, missing


def _installed(name: str, package: str) -> str:
    """Return a program of a package, which is installed once."""
    home = HOME / name
    program = home / "bin" / ("mitmdump" if name == "mitmproxy" else name)
    if not program.exists():
        venv.create(home, with_pip=True, clear=True)
        pip = [str(home / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", package]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode or not program.exists():
            raise CannotMeasureError(f"{package} cannot be installed with {sys.executable}")
    return str(program)


def _unpacked() -> str:
    """Return nginx out of Debian's package; nothing is installed."""
    home = HOME / "nginx"
    program = home / "usr/sbin/nginx"
    if not program.exists():
        home.mkdir(parents=True, exist_ok=True)
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise CannotMeasureError("there is no nginx, and no apt to get it with")
        subprocess.run(["apt-get", "download", "nginx"], cwd=home, capture_output=True, check=False)
        for package in home.glob("nginx_*.deb"):
            unpack = ["dpkg-deb", "-x", str(package), str(home)]
            subprocess.run(unpack, capture_output=True, check=False)
    if not program.exists():
        raise CannotMeasureError("there is no nginx, and its package cannot be had")
    return str(program)
