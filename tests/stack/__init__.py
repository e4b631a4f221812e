"""Starts real servers for tests, sandbox and benchmark: one private instance of everything."""

from .client import Client, Network, Reply, raw_request
from .mariadb import MariaDB
from .process import Process, children, free_port
from .programs import Ctl, CtlError, Dispatcher, Worker
from .stack import Stack
from .waiting import wait_until
from .web.nginx import Nginx

__all__ = ["Client", "Ctl", "CtlError", "Dispatcher", "MariaDB", "Network", "Nginx", "Process", "Reply", "Stack",
           "Worker", "children", "free_port", "raw_request", "wait_until"]
