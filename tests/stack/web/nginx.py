"""nginx of a private instance: nginx/nginx.conf and recaudo.conf with other addresses, nothing else changed."""

import os
from pathlib import Path

from ..paths import ROOT, system_program
from ..process import Process, free_port
from .common import LOOPBACK, answers_as_ours, replace_once

SOURCE = ROOT / "nginx" / "recaudo.conf"
UNLIMITED = "1000000r/s"
MAIN_SOURCE = ROOT / "nginx" / "nginx.conf"
FOLDERS = """\
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    access_log off;  # for servers without their own: an ordinary user may not write to the compiled-in one
    include {directory}/recaudo.conf;
{extra}"""


class Nginx:
    """`rate` and `burst` limit each address (None: as in the file). `extra` is text for the http context, for example
    another server. It listens at `address`.
    """

    def __init__(self, directory: Path, worker_socket: str, port: int | None = None,
                 rate: str | None = UNLIMITED, burst: int | None = None, workers: int = 1, extra: str = "",
                 trusted_proxy: str | None = None, v6: bool = False, address: str = LOOPBACK) -> None:
        self.directory = directory / "nginx"
        self.addresses = self.directory / "recaudo.d"  # more addresses of the same service
        self.access_log = directory / "log" / "access.log"
        self.log = directory / "log" / "nginx.log"
        self.worker_socket = worker_socket
        self.fixed_port = port
        self.port = port or free_port()
        self.rate = rate
        self.burst = burst
        self.workers = workers
        self.extra = extra
        self.trusted_proxy = trusted_proxy
        self.v6 = v6
        self.address = address
        for folder in (self.directory, self.log.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [system_program("nginx"), "-e", str(self.log), "-p", str(self.directory), "-c",
                   str(self.directory / "nginx.conf")]
        self.process = Process("nginx", command, self.log, self._answers)

    @property
    def base_url(self) -> str:
        return f"http://{self.address}:{self.port}"

    def write_config(self) -> None:
        text = SOURCE.read_text()
        also = f"; listen [::1]:{self.port}" if self.v6 else ""
        text = replace_once(SOURCE, text, r"^ +listen (\S+);", f"{self.address}:{self.port}{also}")
        if self.trusted_proxy is not None:
            trusted = f"X-Forwarded-For; set_real_ip_from {self.trusted_proxy}"
            text = replace_once(SOURCE, text, r"^ +real_ip_header (\S+);", trusted)
        text = replace_once(SOURCE, text, r"^ +server unix:(\S+);", self.worker_socket)
        text = replace_once(SOURCE, text, r"^ +include (\S+);", str(self.addresses / "*.conf"))
        if self.rate is not None:
            text = replace_once(SOURCE, text, r"^limit_req_zone .* rate=(\S+);", self.rate, 2)
        if self.burst is not None:
            text = replace_once(SOURCE, text, r"^ +limit_req zone=recaudo_callers burst=(\d+) nodelay;", str(self.burst), 3)
        text = replace_once(SOURCE, text, r"^ +access_log (\S+) recaudo buffer", str(self.access_log))
        text = replace_once(SOURCE, text, r"^ +error_log (\S+) ", str(self.log))
        (self.directory / "recaudo.conf").write_text(text)
        (self.directory / "nginx.conf").write_text(self._main_config())

    def _main_config(self) -> str:
        text = MAIN_SOURCE.read_text()
        user = "user root;" if os.geteuid() == 0 else ""
        text = replace_once(MAIN_SOURCE, text, r"^(user www-data;)$", f"{user} daemon off;")
        text = replace_once(MAIN_SOURCE, text, r"^pid (\S+);", str(self.directory / "nginx.pid"))
        text = replace_once(MAIN_SOURCE, text, r"^worker_processes (auto);", str(self.workers))
        text = replace_once(MAIN_SOURCE, text, r"^error_log (\S+) ", str(self.log))
        folders = FOLDERS.format(directory=self.directory, extra=self.extra)
        return replace_once(MAIN_SOURCE, text, r"^( +include \S+;\n)", folders)

    def start(self) -> None:
        """Starts it; where the port was not given and somebody took it meanwhile, tries others."""
        for attempt in range(5):
            self.write_config()
            try:
                self.process.start()
                return
            except RuntimeError:
                if self.fixed_port or attempt == 4:
                    raise
                self.port = free_port()

    def stop(self) -> None:
        self.process.stop()

    def _answers(self) -> bool:
        return answers_as_ours(self.directory / "nginx.pid", self.process.pid, self.port, self.address)
