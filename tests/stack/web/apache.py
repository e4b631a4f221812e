"""Apache of a private instance: apache/recaudo.conf with other addresses, nothing else changed."""

import os
from pathlib import Path

from ..paths import ROOT, system_program
from ..process import Process, free_port
from .common import answers_as_ours, replace_once

SOURCE = ROOT / "apache" / "recaudo.conf"
MODULES = Path("/usr/lib/apache2/modules")
# mod_qos of Debian 12 needs it and does not say so; that of Debian 13, which has no such library, does without.
PCRE = "libpcre.so.3"
LOADED = ("mpm_event", "alias", "authz_core", "brotli", "buffer", "deflate", "filter", "headers", "macro", "proxy", "proxy_fcgi", "qos",
          "remoteip", "reqtimeout", "rewrite", "setenvif", "socache_shmcb", "ssl", "status", "unique_id")
MAIN = """\
ServerRoot {directory}
PidFile {directory}/apache.pid
DefaultRuntimeDir {directory}
ErrorLog {log}
StartServers 2
ServerLimit 32
ThreadsPerChild 64
ThreadLimit 64
MaxRequestWorkers 2048
{user}{library}{modules}
<Location /server-status>
    SetHandler server-status
</Location>
AddOutputFilterByType BROTLI_COMPRESS;DEFLATE text/html text/plain application/json
{extra}Include {directory}/recaudo.conf
{also}"""


def _load_library(name: str) -> str:
    """The line that loads a shared library; empty where the system has none of that name."""
    path = next(Path("/usr/lib").glob(f"*/{name}"), None)
    return "" if path is None else f"LoadFile {path}\n"


class Apache:
    """The same interface as Nginx, where the tests of the protocol use it."""

    def __init__(self, directory: Path, worker_socket: str, port: int | None = None,
                 trusted_proxy: str | None = None, v6: bool = False) -> None:
        self.directory = directory / "apache"
        self.access_log = directory / "log" / "access.log"
        self.log = directory / "log" / "apache.log"
        self.worker_socket = worker_socket
        self.fixed_port = port
        self.port = port or free_port()
        self.trusted_proxy = trusted_proxy
        self.v6 = v6
        self.modules = LOADED
        self.also = ""  # read after recaudo.conf: more addresses of the same service
        for folder in (self.directory, self.log.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self._let_group_through(directory)
        command = [system_program("apache2"), "-D", "FOREGROUND", "-f", str(self.directory / "apache.conf")]
        self.process = Process("apache", command, self.log, self._answers)

    def _let_group_through(self, directory: Path) -> None:
        """Apache serves as another user than root, of root's group."""
        for folder in (directory, Path(self.worker_socket).parent):
            folder.chmod(0o710)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def write_config(self) -> None:
        text = SOURCE.read_text()
        also = f" [::1]:{self.port}" if self.v6 else ""
        extra = f"Listen [::1]:{self.port}\n" if self.v6 else ""
        extra += f"Define RECAUDO_PROXY {self.trusted_proxy}\n" if self.trusted_proxy is not None else ""
        text = replace_once(SOURCE, text, r"^Listen (\S+)", f"127.0.0.1:{self.port}")
        text = replace_once(SOURCE, text, r"^<VirtualHost ([^>]+)>", f"127.0.0.1:{self.port}{also}")
        text = replace_once(SOURCE, text, r"unix:(/\S+?)\|", self.worker_socket, 2)
        text = replace_once(SOURCE, text, r"^ +CustomLog (\S+) recaudo", str(self.access_log))
        text = replace_once(SOURCE, text, r"^ +ErrorLog (\S+)", str(self.log))
        (self.directory / "recaudo.conf").write_text(text)
        modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in self.modules)
        user = "User www-data\nGroup root\n" if os.geteuid() == 0 else ""
        (self.directory / "apache.conf").write_text(
            MAIN.format(directory=self.directory, log=self.log, modules=modules, user=user, library=_load_library(PCRE),
                        extra=extra, also=self.also))

    def start(self) -> None:
        self.write_config()
        self.process.start()

    def stop(self) -> None:
        self.process.stop()

    def _answers(self) -> bool:
        return answers_as_ours(self.directory / "apache.pid", self.process.pid, self.port)
