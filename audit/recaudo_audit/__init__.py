"""An auditor's own reading of the tables, by doc/audit.md alone: it shares nothing with the service."""

VERSION = "0.1.0"
