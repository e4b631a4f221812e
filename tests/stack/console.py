"""recaudo-console, and what puts it behind nginx or Apache: passwords of its users and its part of the configuration."""

import subprocess
from pathlib import Path

from .paths import ROOT, program
from .private_files import write_private
from .process import Process, free_port, listens_on
from .web.common import replace_once

NGINX, APACHE = ROOT / "nginx" / "recaudo-console.conf", ROOT / "apache" / "recaudo-console.conf"
APACHE_MODULES = ("auth_basic", "authn_core", "authn_file", "authz_user")


class Console(Process):
    """The program. `users` are the names and passwords that the web server knows."""

    def __init__(self, directory: Path, config: Path, socket: str, port: int | None = None) -> None:
        super().__init__("console", [program("recaudo-console")], directory / "log" / "console.log",
                         lambda: listens_on(socket), {"RECAUDO_CONFIG": str(config)})
        self.socket = socket
        self.port = port or free_port()
        self.log_directory = directory / "log"
        self.users_file = directory / "console.users"
        self.users: dict[str, str] = {}

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def write_users(self, users: dict[str, str]) -> None:
        """Gives the web server these names and passwords; it reads the file at each request."""
        self.users = users
        lines = [f"{name}:{_hashed(password)}" for name, password in users.items()]
        write_private(self.users_file, "".join(line + "\n" for line in lines))
        self.users_file.chmod(0o644)

    def nginx_config(self) -> str:
        text = NGINX.read_text()
        text = replace_once(NGINX, text, r"^ +listen (\S+);", f"127.0.0.1:{self.port}")
        text = replace_once(NGINX, text, r"^ +server unix:(\S+);", self.socket)
        text = replace_once(NGINX, text, r"^( +include \S+;\n)", "")
        text = replace_once(NGINX, text, r"^limit_req_zone .* rate=(\S+);", "1000000r/s")
        text = replace_once(NGINX, text, r"^ +access_log (\S+) ", str(self.log_directory / "console-access.log"))
        text = replace_once(NGINX, text, r"^ +error_log (\S+) ", str(self.log_directory / "console-web.log"))
        return replace_once(NGINX, text, r"^ +auth_basic_user_file (\S+);", str(self.users_file))

    def apache_config(self) -> str:
        text = APACHE.read_text()
        text = replace_once(APACHE, text, r"^Listen (\S+)", f"127.0.0.1:{self.port}")
        text = replace_once(APACHE, text, r"^<VirtualHost ([^>]+)>", f"127.0.0.1:{self.port}")
        text = replace_once(APACHE, text, r"unix:(/\S+?)\|", self.socket, 2)
        text = replace_once(APACHE, text, r"^ +CustomLog (\S+) ", str(self.log_directory / "console-access.log"))
        text = replace_once(APACHE, text, r"^ +ErrorLog (\S+)", str(self.log_directory / "console-web.log"))
        return replace_once(APACHE, text, r"^ +AuthUserFile (\S+)", str(self.users_file))


def _hashed(password: str) -> str:
    """A hash that nginx and Apache know. The password goes in by a pipe, not in a command line that others see."""
    return subprocess.run(["openssl", "passwd", "-6", "-stdin"], input=password, capture_output=True, text=True,
                          check=True).stdout.strip()
