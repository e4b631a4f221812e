-- Database accounts, to be created once by an administrator before `recaudoctl db migrate`, which gives them their grants.
-- Each logs in as the system user of the same name (unix_socket). Where the database is on another machine, create them
-- for that host with a password instead and name the password files in recaudo.conf.

CREATE USER IF NOT EXISTS 'recaudo_worker'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_dispatcher'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_operator'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_reader'@'localhost' IDENTIFIED VIA unix_socket;
