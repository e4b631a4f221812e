"""MariaDB servers as a Galera cluster."""

from .cluster import Cluster, Node

__all__ = ["Cluster", "Node"]
