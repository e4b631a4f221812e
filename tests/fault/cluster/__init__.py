"""Faults in a cluster of hosts with a network between them that loses, delays and parts; see tests/fault/README.md."""
