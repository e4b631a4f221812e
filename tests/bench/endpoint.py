"""A merchant's endpoint that answers OK as fast as a web server can."""

import os
from pathlib import Path

from tests.stack import Process, free_port
from tests.stack.client import Client
from tests.stack.paths import system_program

CONFIG = """\
{user}daemon off;
pid {directory}/nginx.pid;
worker_processes 1;
worker_rlimit_nofile 8192;
error_log {log} warn;
events {{
    worker_connections 4096;
}}
http {{
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    access_log off;
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        default_type text/plain;
        return 200 OK;
    }}
}}
"""


class Endpoint:
    """A context manager; `base_url` answers every request."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        log = directory / "nginx.log"
        config = directory / "nginx.conf"
        user = "user root;\n" if os.geteuid() == 0 else ""
        config.write_text(CONFIG.format(user=user, directory=directory, log=log, port=self.port))
        command = [system_program("nginx"), "-e", str(log), "-p", str(directory), "-c", str(config)]
        self.process = Process("endpoint", command, log, self._answers)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "Endpoint":
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stop()

    def _answers(self) -> bool:
        try:
            with Client(self.base_url, 5) as client:
                return client.request("GET", "/").text == "OK"
        except OSError:
            return False
