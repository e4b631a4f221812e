-- Database accounts, to be created once by an administrator before `recaudoctl db migrate`, which gives them their grants.
-- Each logs in as the system user of the same name (unix_socket). Where the database is on other machines, create them for
-- the programs' hosts with a password instead, 'recaudo_worker'@'10.1.2.%' IDENTIFIED BY '...', and give recaudo.conf the
-- password files and the host: account_host = 10.1.2.%

CREATE USER IF NOT EXISTS 'recaudo_worker'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_dispatcher'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_deliverer'@'localhost' IDENTIFIED VIA unix_socket;
CREATE USER IF NOT EXISTS 'recaudo_operator'@'localhost' IDENTIFIED VIA unix_socket;
-- Two connections for each of at most 64 threads: the console cannot take those of the programs that carry payments.
CREATE USER IF NOT EXISTS 'recaudo_console'@'localhost' IDENTIFIED VIA unix_socket WITH MAX_USER_CONNECTIONS 128;
CREATE USER IF NOT EXISTS 'recaudo_reader'@'localhost' IDENTIFIED VIA unix_socket;
