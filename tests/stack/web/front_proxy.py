"""A proxy as operators have one in front: it adds the address of whoever calls it to X-Forwarded-For."""

import os
from pathlib import Path

from ..paths import system_program
from ..process import Process, free_port

CONFIG = """\
{user}daemon off;
pid {directory}/nginx.pid;
error_log {log} warn;
worker_rlimit_nofile 4096;
events {{
    worker_connections 2048;
}}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {target};
            {extra}
            proxy_bind {address};
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
"""


class FrontProxy:
    """Passes everything on to `target`, from `address`. `extra` are more directives."""

    def __init__(self, directory: Path, target: str, address: str, extra: str = "") -> None:
        self.directory = directory / "front"
        self.directory.mkdir(mode=0o700)
        self.port = free_port()
        config, log = self.directory / "nginx.conf", self.directory / "nginx.log"
        user = "user root;\n" if os.geteuid() == 0 else ""
        config.write_text(CONFIG.format(user=user, directory=self.directory, log=log, port=self.port, target=target,
                                        address=address, extra=extra))
        command = [system_program("nginx"), "-e", str(log), "-p", str(self.directory), "-c", str(config)]
        self.process = Process("front proxy", command, log, (self.directory / "nginx.pid").exists)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "FrontProxy":
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stop()
