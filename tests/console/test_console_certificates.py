"""Users who are known by client certificates, through nginx and Apache, configured as doc/console.md says."""

import base64
import http.client
import os
import re
import ssl
from pathlib import Path

from tests.stack.authority import Authority, run_openssl
from tests.stack.paths import ROOT, system_program
from tests.stack.process import Process, free_port
from tests.stack.waiting import wait_until
from tests.stack.web.apache import LOADED, MODULES

from browsing import Browser

PAGE = (ROOT / "doc" / "console.md").read_text()
NAMES = {"nginx": "CN=carla,O=Example", "apache": "carla"}


def documented(server: str) -> str:
    """The block of the page's section that is for this server."""
    section = PAGE.split("### Client certificates")[1].split("### ")[0]
    return next(block for block in re.findall(r"```\n(.*?)```", section, re.S) if ("SSLVerifyClient" in block) == (server == "apache"))


def client_certificate(folder: Path, name: str, subject: str, signed: bool) -> None:
    run_openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
                "-out", f"{name}.csr", "-subj", subject)
    signing = ["-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial"] if signed else ["-signkey", f"{name}.key"]
    run_openssl(folder, "x509", "-req", "-in", f"{name}.csr", *signing, "-days", "2", "-out", f"{name}.pem")


def nginx(browser: Browser, folder: Path, port: int) -> Process:
    text = browser.stack.console.nginx_config().replace(f"listen 127.0.0.1:{browser.stack.console.port};",
        f"listen 127.0.0.1:{port} ssl;\nssl_certificate {folder}/server.pem;\nssl_certificate_key {folder}/server.key;")
    lines = documented("nginx").replace("/etc/nginx/staff-ca.pem", f"{folder}/authority.pem")
    text, count = re.subn(r"^ +(auth_basic .*|auth_basic_user_file .*|set \$console_user .*);\n", "", text, flags=re.M)
    assert count == 3
    text = text.replace("limit_req zone=", lines + "limit_req zone=", 1)
    folders = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    config, pid, log = folder / "nginx.conf", folder / "nginx.pid", folder / "web.log"
    config.write_text(f"{user}daemon off;\npid {pid};\nevents {{\n}}\nhttp {{\n{folders}{text}\n}}\n")
    return Process("nginx with certificates", [system_program("nginx"), "-e", str(log), "-c", str(config)], log, pid.exists)


def apache(browser: Browser, folder: Path, port: int) -> Process:
    text = browser.stack.console.apache_config().replace(f"127.0.0.1:{browser.stack.console.port}", f"127.0.0.1:{port}")
    lines = documented("apache").replace("/etc/apache2/staff-ca.pem", f"{folder}/authority.pem")
    text, count = re.subn(r"^ +(AuthType|AuthName|AuthBasicProvider|AuthUserFile|Require) .*\n", "", text, flags=re.M)
    assert count == 5
    text = text.replace("ServerSignature Off", f"ServerSignature Off\nSSLEngine on\nSSLCertificateFile {folder}/server.pem\n"
                        f"SSLCertificateKeyFile {folder}/server.key\n{lines}")
    modules = "".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so\n" for name in LOADED if name != "qos")
    config, pid, log = folder / "apache.conf", folder / "apache.pid", folder / "web.log"
    config.write_text(f"ServerRoot {folder}\nPidFile {pid}\nDefaultRuntimeDir {folder}\nErrorLog {log}\nServerName localhost\n"
                      f"{modules}{text}\n")
    return Process("apache with certificates", [system_program("apache2"), "-D", "FOREGROUND", "-f", str(config)], log, pid.exists)


def ask(port: int, folder: Path, certificate: str | None, **headers: str) -> tuple[int, str]:
    context = ssl.create_default_context(cafile=str(folder / "authority.pem"))
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if certificate is not None:
        context.load_cert_chain(folder / f"{certificate}.pem", folder / f"{certificate}.key")
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
    try:
        connection.request("GET", "/?lang=en", None, headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    except OSError:
        return 0, ""
    finally:
        connection.close()


def test_a_certificate_is_the_user(browser: Browser, tmp_path: Path) -> None:
    server_name = "apache" if "apache" in browser.stack.web.process.name else "nginx"
    tmp_path.chmod(0o755)
    authority = Authority(tmp_path)
    authority.server("server", "DNS:localhost,IP:127.0.0.1")
    client_certificate(tmp_path, "carla", "/O=Example/CN=carla", signed=True)
    client_certificate(tmp_path, "stranger", "/O=Example/CN=nobody-known", signed=True)
    client_certificate(tmp_path, "forger", "/O=Example/CN=carla", signed=False)
    browser.stack.ctl.done("user", "add", NAMES[server_name], "--role", "support")
    port = free_port()
    server = (apache if server_name == "apache" else nginx)(browser, tmp_path, port)
    server.start()
    try:
        wait_until(lambda: ask(port, tmp_path, "carla")[0] == 200, "the page of a user with a certificate", 60)
        claim = {"Authorization": "Basic " + base64.b64encode(b"operator:guessed").decode(), "Remote-User": "operator"}
        for headers in ({}, claim):
            status, text = ask(port, tmp_path, "carla", **headers)
            assert status == 200 and f"<strong>{NAMES[server_name]}</strong> (support" in text
            status, text = ask(port, tmp_path, "stranger", **headers)
            assert status == 403 and "may not use the console" in text
            for certificate in (None, "forger"):
                status, text = ask(port, tmp_path, certificate, **headers)
                assert status in (0, 400, 403) and "<strong>" not in text
    finally:
        server.stop()
