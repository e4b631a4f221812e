-- A database of schema 11 (release 0.1.0) with rows of every table, as mariadb-dump saved it. The key of its secrets is 5a, 32 times.

--
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `account_ledger`
--

DROP TABLE IF EXISTS `account_ledger`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `account_ledger` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `account_id` bigint(20) unsigned NOT NULL COMMENT 'Account that was credited',
  `transaction_id` bigint(20) unsigned NOT NULL COMMENT 'Top-up that was finalised; each at most once',
  `amount` decimal(19,4) NOT NULL COMMENT 'Amount credited',
  `balance` decimal(19,4) NOT NULL COMMENT 'Balance of the account after this movement',
  `at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  PRIMARY KEY (`id`),
  UNIQUE KEY `transaction_id` (`transaction_id`),
  KEY `account_id` (`account_id`,`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Movements of the accounts; append only';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `account_ledger`
--

LOCK TABLES `account_ledger` WRITE;
/*!40000 ALTER TABLE `account_ledger` DISABLE KEYS */;
INSERT INTO `account_ledger` VALUES
(1,1,7,20000.0000,20000.0000,'2026-10-01 09:01:31.000000');
/*!40000 ALTER TABLE `account_ledger` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER account_ledger_keep BEFORE UPDATE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER account_ledger_stay BEFORE DELETE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `accounts`
--

DROP TABLE IF EXISTS `accounts`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `accounts` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `document` varchar(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Document number of the customer; the reference of a top-up',
  `document_type` varchar(40) NOT NULL COMMENT 'Type of the document, e.g. CC',
  `name` varchar(150) NOT NULL COMMENT 'Given names',
  `lastname1` varchar(100) NOT NULL DEFAULT '' COMMENT 'First surname',
  `lastname2` varchar(100) NOT NULL DEFAULT '' COMMENT 'Second surname',
  `currency` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the balance',
  `balance` decimal(19,4) NOT NULL DEFAULT 0.0000 COMMENT 'Sum of the ledger; changed only together with it',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  PRIMARY KEY (`id`),
  UNIQUE KEY `document` (`document`),
  KEY `account_currency` (`currency`),
  CONSTRAINT `account_currency` FOREIGN KEY (`currency`) REFERENCES `currencies` (`code`),
  CONSTRAINT `account_document_form` CHECK (`document` regexp '^[0-9A-Za-z-]+\\z'),
  CONSTRAINT `account_balance_sign` CHECK (`balance` >= 0)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Customer accounts that can be topped up';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `accounts`
--

LOCK TABLES `accounts` WRITE;
/*!40000 ALTER TABLE `accounts` DISABLE KEYS */;
INSERT INTO `accounts` VALUES
(1,'D-1','CC','Ana','Prada','','COP',20000.0000,'dispatcher','2026-10-01 00:00:00.000000'),
(2,'79000111','CC','Luz','Gil','','COP',0.0000,'operator:ana','2026-10-01 00:00:00.000000');
/*!40000 ALTER TABLE `accounts` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER accounts_created AFTER INSERT ON accounts FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, actor, db_account)
  VALUES ('account', NEW.id, 'created', NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `always`
--

DROP TABLE IF EXISTS `always`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `always` (
  `id` tinyint(3) unsigned NOT NULL COMMENT 'Always 1',
  PRIMARY KEY (`id`),
  CONSTRAINT `always_single` CHECK (`id` = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='One row for ever: what a lookup starts from, so that finding nothing is an answer too, with the time in it';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `always`
--

LOCK TABLES `always` WRITE;
/*!40000 ALTER TABLE `always` DISABLE KEYS */;
INSERT INTO `always` VALUES
(1);
/*!40000 ALTER TABLE `always` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `attempts`
--

DROP TABLE IF EXISTS `attempts`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `attempts` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `notification_id` bigint(20) unsigned NOT NULL COMMENT 'Notification that was sent',
  `number` smallint(5) unsigned NOT NULL COMMENT 'Number of the attempt since the notification became pending, from 1',
  `dispatcher_id` bigint(20) unsigned NOT NULL COMMENT 'Dispatcher that sent it',
  `started_at` datetime(6) NOT NULL COMMENT 'UTC',
  `duration_us` bigint(20) unsigned NOT NULL COMMENT 'Microseconds from the start to the end of the reply, or to the failure',
  `address` varchar(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Address that was connected to; empty: none was',
  `http_status` smallint(5) unsigned DEFAULT NULL COMMENT 'Status of the reply; NULL: there was none',
  `reason` enum('acknowledged','status','reply','secret','url','dns','address','connect','tls','timeout','protocol','too_large') NOT NULL COMMENT 'The verdict and why: acknowledged; a status other than 2xx; a reply that is not OK; our secret for it does not open; else what failed below HTTP (address: not one that may be connected to)',
  `late` tinyint(1) NOT NULL COMMENT 'The lease had ended when the outcome came: the outcome was noted here and changed nothing',
  `reply` blob NOT NULL COMMENT 'Body of the reply as received, its first 16 KiB',
  `lease` binary(16) NOT NULL COMMENT 'Lease under which it was sent: one attempt each',
  PRIMARY KEY (`id`),
  UNIQUE KEY `one_per_lease` (`notification_id`,`lease`),
  KEY `started_at` (`started_at`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Every attempt to deliver a notification';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `attempts`
--

LOCK TABLES `attempts` WRITE;
/*!40000 ALTER TABLE `attempts` DISABLE KEYS */;
INSERT INTO `attempts` VALUES
(1,1,1,1,'2026-10-01 09:01:32.000000',1200,'192.0.2.7',500,'status',0,0x6E6F,0x61616161616161616161616161616161),
(2,1,2,1,'2026-10-01 09:02:05.000000',1300,'192.0.2.7',200,'acknowledged',0,0x4F4B,0x62626262626262626262626262626262),
(3,2,8,1,'2026-10-02 09:02:05.000000',0,'',NULL,'connect',0,'',0x63636363636363636363636363636363),
(4,3,1,1,'2026-10-01 09:01:32.000000',1200,'192.0.2.7',200,'reply',1,0x6D61796265,0x64646464646464646464646464646464);
/*!40000 ALTER TABLE `attempts` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `countries`
--

DROP TABLE IF EXISTS `countries`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `countries` (
  `code` smallint(5) unsigned NOT NULL COMMENT 'Country code of the merchant order API, e.g. 343 Colombia',
  `name` varchar(60) NOT NULL COMMENT 'Name, for people',
  `currency` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of orders registered in this country',
  `time_zone` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'IANA time zone in which a due date ends',
  PRIMARY KEY (`code`),
  KEY `country_currency` (`currency`),
  CONSTRAINT `country_currency` FOREIGN KEY (`currency`) REFERENCES `currencies` (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Countries in which merchants register orders';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `countries`
--

LOCK TABLES `countries` WRITE;
/*!40000 ALTER TABLE `countries` DISABLE KEYS */;
INSERT INTO `countries` VALUES
(314,'Costa Rica','CRC','America/Costa_Rica'),
(343,'Colombia','COP','America/Bogota'),
(345,'Ecuador','USD','America/Guayaquil'),
(348,'Peru','PEN','America/Lima');
/*!40000 ALTER TABLE `countries` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `currencies`
--

DROP TABLE IF EXISTS `currencies`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `currencies` (
  `code` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ISO 4217 alphabetic code',
  `name` varchar(60) NOT NULL COMMENT 'Name, for people',
  `query_code` tinyint(3) unsigned DEFAULT NULL COMMENT 'One-digit code of this currency in the external query; NULL: cannot be used there',
  `changed_by` varchar(80) DEFAULT NULL COMMENT 'Who set query_code last; NULL: it is as it was installed',
  PRIMARY KEY (`code`),
  UNIQUE KEY `query_code` (`query_code`),
  CONSTRAINT `currency_code_form` CHECK (`code` regexp '^[A-Z]{3}\\z'),
  CONSTRAINT `currency_query_code_digit` CHECK (`query_code` between 0 and 9)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Currencies that orders and accounts may have';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `currencies`
--

LOCK TABLES `currencies` WRITE;
/*!40000 ALTER TABLE `currencies` DISABLE KEYS */;
INSERT INTO `currencies` VALUES
('COP','Colombian peso',1,NULL),
('CRC','Costa Rican colon',NULL,NULL),
('PEN','Peruvian sol',NULL,NULL),
('USD','US dollar',2,'operator:ana');
/*!40000 ALTER TABLE `currencies` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `dispatcher_totals`
--

DROP TABLE IF EXISTS `dispatcher_totals`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `dispatcher_totals` (
  `host` varchar(64) NOT NULL COMMENT 'Host name',
  `finalised` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'Payments written as final',
  `expired` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'Orders written as expired',
  `delivered` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'Attempts to deliver a notification that were acknowledged',
  `to_be_tried_again` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'Attempts that failed and were not the last',
  `exhausted` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'Attempts that failed and were the last',
  PRIMARY KEY (`host`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='What the dispatchers of each host have done since this table was made; they only ever add. A killed one''s last seconds may be missing: to count exactly, count events';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `dispatcher_totals`
--

LOCK TABLES `dispatcher_totals` WRITE;
/*!40000 ALTER TABLE `dispatcher_totals` DISABLE KEYS */;
INSERT INTO `dispatcher_totals` VALUES
('uno',3,1,1,2,1);
/*!40000 ALTER TABLE `dispatcher_totals` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `dispatchers`
--

DROP TABLE IF EXISTS `dispatchers`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `dispatchers` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `host` varchar(64) NOT NULL COMMENT 'Host name',
  `pid` int(10) unsigned NOT NULL COMMENT 'Process id there',
  `started_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `seen_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC; it was alive',
  `ended_at` datetime(6) DEFAULT NULL COMMENT 'UTC; it left by itself',
  `in_flight` int(10) unsigned NOT NULL DEFAULT 0 COMMENT 'Notifications it had in hand when last seen',
  PRIMARY KEY (`id`),
  KEY `seen_at` (`seen_at`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Runs of the dispatcher and their heartbeat; those older than a week are removed';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `dispatchers`
--

LOCK TABLES `dispatchers` WRITE;
/*!40000 ALTER TABLE `dispatchers` DISABLE KEYS */;
INSERT INTO `dispatchers` VALUES
(1,'uno',17,'2026-10-01 00:00:00.000000','2026-10-02 00:00:00.000000','2026-10-02 00:00:00.000000',0),
(2,'dos',18,'2026-10-01 00:00:00.000000','2026-10-02 00:00:00.000000',NULL,0);
/*!40000 ALTER TABLE `dispatchers` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Temporary table structure for view `due_now`
--

DROP TABLE IF EXISTS `due_now`;
/*!50001 DROP VIEW IF EXISTS `due_now`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `due_now` AS SELECT
 NULL AS `work`,
 NULL AS `id`,
 NULL AS `since` */;
SET character_set_client = @saved_cs_client;

--
-- Table structure for table `endpoints`
--

DROP TABLE IF EXISTS `endpoints`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `endpoints` (
  `merchant_id` int(10) unsigned NOT NULL COMMENT 'Merchant whose notify_url it is',
  `failures` int(10) unsigned NOT NULL COMMENT 'Failed rounds in a row; a round is what a dispatcher recorded at once',
  `resting_until` datetime(6) DEFAULT NULL COMMENT 'UTC; until then nothing is sent, then single notifications until one is acknowledged; NULL: it is well',
  PRIMARY KEY (`merchant_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='How the merchants'' notification endpoints are doing; no row: well';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `endpoints`
--

LOCK TABLES `endpoints` WRITE;
/*!40000 ALTER TABLE `endpoints` DISABLE KEYS */;
INSERT INTO `endpoints` VALUES
(1,3,'2026-10-01 09:05:00.000000');
/*!40000 ALTER TABLE `endpoints` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Temporary table structure for view `endpoints_now`
--

DROP TABLE IF EXISTS `endpoints_now`;
/*!50001 DROP VIEW IF EXISTS `endpoints_now`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `endpoints_now` AS SELECT
 NULL AS `merchant_id`,
 NULL AS `merchant`,
 NULL AS `resting`,
 NULL AS `reachable` */;
SET character_set_client = @saved_cs_client;

--
-- Table structure for table `events`
--

DROP TABLE IF EXISTS `events`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `events` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number, in the order of writing',
  `at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `subject` enum('order','transaction','account','network','merchant','notification','integration') NOT NULL COMMENT 'Kind of thing that changed',
  `subject_id` bigint(20) unsigned NOT NULL COMMENT 'Its id',
  `version` int(10) unsigned DEFAULT NULL COMMENT 'Version of an order or transaction after the change',
  `what` varchar(40) NOT NULL COMMENT 'What happened: created, state, held, released, changed, enabled, disabled, ...',
  `from_state` varchar(20) DEFAULT NULL COMMENT 'State before',
  `to_state` varchar(20) DEFAULT NULL COMMENT 'State after',
  `actor` varchar(80) NOT NULL COMMENT 'Who did it: network:NAME, merchant:NAME, dispatcher, operator:NAME',
  `db_account` varchar(160) NOT NULL COMMENT 'Database account that wrote it',
  `reason` varchar(250) DEFAULT NULL COMMENT 'Why, where a person gave a reason',
  PRIMARY KEY (`id`),
  KEY `subject` (`subject`,`subject_id`,`id`),
  KEY `at` (`at`)
) ENGINE=InnoDB AUTO_INCREMENT=57 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Every change of state, who made it and when; append only';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `events`
--

LOCK TABLES `events` WRITE;
/*!40000 ALTER TABLE `events` DISABLE KEYS */;
INSERT INTO `events` VALUES
(1,'2026-11-22 08:24:38.134322','network',1,NULL,'created',NULL,'enabled','operator:ana','root@localhost',NULL),
(2,'2026-11-22 08:24:38.134322','network',2,NULL,'created',NULL,'enabled','operator:ana','root@localhost',NULL),
(3,'2026-11-22 08:24:38.134322','network',2,NULL,'limits',NULL,NULL,'operator:ana','root@localhost','rate 50, burst 200, from 192.0.2.0/24'),
(4,'2026-11-22 08:24:38.136619','network',2,NULL,'state','enabled','disabled','operator:ana','root@localhost',NULL),
(5,'2026-11-22 08:24:38.138229','merchant',1,NULL,'created',NULL,'enabled','operator:ana','root@localhost',NULL),
(6,'2026-11-22 08:24:38.138229','merchant',2,NULL,'created',NULL,'enabled','operator:ana','root@localhost',NULL),
(7,'2026-11-22 08:24:38.140162','account',1,NULL,'created',NULL,NULL,'operator:ana','root@localhost',NULL),
(8,'2026-11-22 08:24:38.140162','account',2,NULL,'created',NULL,NULL,'operator:ana','root@localhost',NULL),
(9,'2026-11-22 08:24:38.142253','integration',1,NULL,'created',NULL,'in force','operator:ana','root@localhost',NULL),
(10,'2026-11-22 08:24:38.142253','integration',2,NULL,'created',NULL,'in force','operator:ana','root@localhost',NULL),
(11,'2026-11-22 08:24:38.143801','integration',2,NULL,'state','in force','removed','operator:ana','root@localhost',NULL),
(12,'2026-11-22 08:24:38.146421','order',1,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(13,'2026-11-22 08:24:38.146421','order',2,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(14,'2026-11-22 08:24:38.146421','order',3,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(15,'2026-11-22 08:24:38.146421','order',4,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(16,'2026-11-22 08:24:38.146421','order',5,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(17,'2026-11-22 08:24:38.146421','order',6,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(18,'2026-11-22 08:24:38.146421','order',7,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(19,'2026-11-22 08:24:38.146421','order',8,1,'created',NULL,'PENDIENTE','merchant:tienda','root@localhost',NULL),
(20,'2026-11-22 08:24:38.155307','order',16,1,'created',NULL,'PENDIENTE','network:red','root@localhost',NULL),
(21,'2026-11-22 08:24:38.156023','transaction',1,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(22,'2026-11-22 08:24:38.156023','transaction',2,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(23,'2026-11-22 08:24:38.156023','transaction',3,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(24,'2026-11-22 08:24:38.156023','transaction',4,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(25,'2026-11-22 08:24:38.156023','transaction',5,1,'created',NULL,'REGISTRADA','network:verde','root@localhost',NULL),
(26,'2026-11-22 08:24:38.156023','transaction',6,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(27,'2026-11-22 08:24:38.156023','transaction',7,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(28,'2026-11-22 08:24:38.156023','transaction',8,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(29,'2026-11-22 08:24:38.156023','transaction',9,1,'created',NULL,'REGISTRADA','network:red','root@localhost',NULL),
(30,'2026-11-22 08:24:38.158984','transaction',2,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(31,'2026-11-22 08:24:38.158984','transaction',3,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(32,'2026-11-22 08:24:38.158984','transaction',4,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(33,'2026-11-22 08:24:38.158984','transaction',5,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(34,'2026-11-22 08:24:38.158984','transaction',7,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(35,'2026-11-22 08:24:38.158984','transaction',8,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(36,'2026-11-22 08:24:38.158984','transaction',9,2,'state','REGISTRADA','CONFIRMADA','network:red','root@localhost',NULL),
(37,'2026-11-22 08:24:38.160436','order',3,2,'held','PENDIENTE','PENDIENTE','network:red','root@localhost',NULL),
(38,'2026-11-22 08:24:38.160436','order',4,2,'held','PENDIENTE','PENDIENTE','network:red','root@localhost',NULL),
(39,'2026-11-22 08:24:38.160436','order',7,2,'held','PENDIENTE','PENDIENTE','network:red','root@localhost',NULL),
(40,'2026-11-22 08:24:38.160436','order',8,2,'held','PENDIENTE','PENDIENTE','network:red','root@localhost',NULL),
(41,'2026-11-22 08:24:38.166262','transaction',6,2,'state','REGISTRADA','CANCELADA','network:red','root@localhost',NULL),
(42,'2026-11-22 08:24:38.166262','transaction',9,3,'state','CONFIRMADA','CANCELADA','network:red','root@localhost',NULL),
(43,'2026-11-22 08:24:38.168594','transaction',3,3,'state','CONFIRMADA','FINALIZADA','dispatcher','root@localhost',NULL),
(44,'2026-11-22 08:24:38.168594','transaction',4,3,'state','CONFIRMADA','FINALIZADA','dispatcher','root@localhost',NULL),
(45,'2026-11-22 08:24:38.168594','transaction',7,3,'state','CONFIRMADA','FINALIZADA','dispatcher','root@localhost',NULL),
(46,'2026-11-22 08:24:38.171733','order',4,3,'state','PENDIENTE','APROBADA','dispatcher','root@localhost',NULL),
(47,'2026-11-22 08:24:38.171733','order',7,3,'state','PENDIENTE','APROBADA','dispatcher','root@localhost',NULL),
(48,'2026-11-22 08:24:38.172870','order',5,2,'changed','PENDIENTE','PENDIENTE','merchant:tienda','root@localhost',NULL),
(49,'2026-11-22 08:24:38.173446','order',5,3,'state','PENDIENTE','VENCIDA','dispatcher','root@localhost',NULL),
(50,'2026-11-22 08:24:38.174679','order',6,2,'state','PENDIENTE','CANCELADA','merchant:tienda','root@localhost',NULL),
(51,'2026-11-22 08:24:38.175214','order',7,4,'state','APROBADA','ANULADA','operator:ana','root@localhost','reclamo 17'),
(52,'2026-11-22 08:24:38.178472','notification',1,NULL,'created',NULL,'delivered','dispatcher','root@localhost',NULL),
(53,'2026-11-22 08:24:38.178472','notification',2,NULL,'created',NULL,'exhausted','dispatcher','root@localhost',NULL),
(54,'2026-11-22 08:24:38.178472','notification',3,NULL,'created',NULL,'pending','dispatcher','root@localhost',NULL),
(55,'2026-11-22 08:24:38.178472','notification',4,NULL,'created',NULL,'waiting','dispatcher','root@localhost',NULL),
(56,'2026-11-22 08:24:38.178472','notification',5,NULL,'created',NULL,'unaddressed','dispatcher','root@localhost',NULL);
/*!40000 ALTER TABLE `events` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER events_keep BEFORE UPDATE ON events FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'events: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER events_stay BEFORE DELETE ON events FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'events: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `external_queries`
--

DROP TABLE IF EXISTS `external_queries`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `external_queries` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `asked_at` datetime(6) NOT NULL COMMENT 'UTC; the query began',
  `merchant_id` int(10) unsigned NOT NULL COMMENT 'Merchant that was asked',
  `integration_id` int(10) unsigned NOT NULL COMMENT 'Its integration, which may be gone',
  `network_id` int(10) unsigned NOT NULL COMMENT 'Network that looked up the reference',
  `reference` varchar(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference that was looked up',
  `duration_us` int(10) unsigned NOT NULL COMMENT 'Microseconds from the look-up of the name to the last byte of the answer',
  `outcome` enum('answered','refused','expired','invalid','silent') NOT NULL COMMENT 'answered: a valid answer; refused: the merchant said no; expired: its timestamp_end is past; invalid: the answer broke a rule; silent: no whole answer in time',
  `http_status` smallint(5) unsigned DEFAULT NULL COMMENT 'HTTP status of the answer; NULL: none came',
  `address` varchar(45) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL COMMENT 'Address that was connected to; NULL: none was',
  `field` varchar(40) DEFAULT NULL COMMENT 'Invalid: which field. Silent: what failed: dns, connect, timeout, ...',
  `problem` varchar(80) DEFAULT NULL COMMENT 'Invalid: what is wrong with it. Refused: the merchant''s CODE',
  `said` varchar(100) DEFAULT NULL COMMENT 'Refused: the merchant''s TEXT, its first 100 characters',
  `order_id` bigint(20) unsigned DEFAULT NULL COMMENT 'Answered: the order that the answer stands for; NULL: none',
  PRIMARY KEY (`id`),
  KEY `asked_at` (`asked_at`),
  KEY `merchant` (`merchant_id`,`asked_at`),
  KEY `reference` (`reference`,`asked_at`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Every external query and what came of it, for a time that the configuration sets';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `external_queries`
--

LOCK TABLES `external_queries` WRITE;
/*!40000 ALTER TABLE `external_queries` DISABLE KEYS */;
INSERT INTO `external_queries` VALUES
(1,'2026-10-01 08:00:00.000000',2,2,1,'79000111',1500,'answered',200,'192.0.2.8',NULL,NULL,NULL,9),
(2,'2026-10-01 08:01:00.000000',1,1,1,'7712',1500,'refused',200,'192.0.2.8',NULL,'0003','no existe',NULL);
/*!40000 ALTER TABLE `external_queries` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `integrations`
--

DROP TABLE IF EXISTS `integrations`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `integrations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `merchant_id` int(10) unsigned NOT NULL COMMENT 'Merchant that is asked',
  `kind` tinyint(3) unsigned NOT NULL COMMENT '1: agreement code, for one network; 2: digit prefix of references with 9 to 16 digits',
  `code` varchar(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'What the reference begins with',
  `live_code` varchar(16) CHARACTER SET ascii COLLATE ascii_nopad_bin GENERATED ALWAYS AS (if(`removed_at` is null,`code`,NULL)) VIRTUAL COMMENT 'The code while it is in force: each kind has a code once',
  `network_id` int(10) unsigned DEFAULT NULL COMMENT 'Kind 1: the only network that may use it',
  `endpoint` varchar(2048) NOT NULL COMMENT 'URL that is asked',
  `currency` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the orders',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `removed_at` datetime(6) DEFAULT NULL COMMENT 'UTC; from here on no reference fits it; NULL: it is in force',
  PRIMARY KEY (`id`),
  UNIQUE KEY `live_code` (`kind`,`live_code`),
  KEY `integration_merchant` (`merchant_id`),
  KEY `integration_network` (`network_id`),
  KEY `integration_currency` (`currency`),
  CONSTRAINT `integration_currency` FOREIGN KEY (`currency`) REFERENCES `currencies` (`code`),
  CONSTRAINT `integration_merchant` FOREIGN KEY (`merchant_id`) REFERENCES `merchants` (`id`),
  CONSTRAINT `integration_network` FOREIGN KEY (`network_id`) REFERENCES `networks` (`id`),
  CONSTRAINT `integration_kind` CHECK (`kind` in (1,2) and `kind` = 1 = (`network_id` is not null)),
  CONSTRAINT `integration_code_form` CHECK (`code` regexp '^[0-9]{1,16}\\z')
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Which references merchants answer themselves, and where they are asked';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `integrations`
--

LOCK TABLES `integrations` WRITE;
/*!40000 ALTER TABLE `integrations` DISABLE KEYS */;
INSERT INTO `integrations` VALUES
(1,1,1,'77','77',1,'https://tienda.example/consulta','COP','operator:ana','2026-10-01 00:00:00.000000',NULL),
(2,2,2,'123456789',NULL,NULL,'https://muda.example/consulta','CRC','operator:ana','2026-10-01 00:00:00.000000','2026-10-02 00:00:00.000000');
/*!40000 ALTER TABLE `integrations` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER integrations_created AFTER INSERT ON integrations FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('integration', NEW.id, 'created', 'in force', NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER integrations_guard BEFORE UPDATE ON integrations FOR EACH ROW
BEGIN
  IF OLD.removed_at IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'integrations: what was removed stays as it was';
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER integrations_changed AFTER UPDATE ON integrations FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('integration', NEW.id, IF(NEW.removed_at IS NULL, 'changed', 'state'), 'in force',
          IF(NEW.removed_at IS NULL, 'in force', 'removed'), NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `merchants`
--

DROP TABLE IF EXISTS `merchants`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `merchants` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `name` varchar(50) NOT NULL COMMENT 'Field `merchant` of the merchant''s requests. Never changes',
  `commerce` varchar(100) NOT NULL COMMENT 'Name that networks see and send back as COMMERCE',
  `country` smallint(5) unsigned NOT NULL COMMENT 'Country of the merchant',
  `enabled` tinyint(1) NOT NULL DEFAULT 1 COMMENT 'FALSE: its orders cannot be looked up or registered for',
  `notify_url` varchar(2048) DEFAULT NULL COMMENT 'Where notifications go; NULL: the merchant gets none',
  `notify_digest` enum('sha256','sha512') NOT NULL DEFAULT 'sha256' COMMENT 'Digest of pv_checksum',
  `acknowledgement` enum('strict','http2xx') NOT NULL DEFAULT 'strict' COMMENT 'What counts as acknowledged: 2xx and OK in the body, or any 2xx',
  `fixed_hash` varbinary(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  `notification_hash` varbinary(600) NOT NULL COMMENT 'NOTIFICATION_HASH, encrypted (AES-256-GCM, bound to this name)',
  `old_hash` varbinary(600) DEFAULT NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: none is good beside it',
  `old_hash_until` datetime(6) DEFAULT NULL COMMENT 'UTC; from here on old_hash is worth nothing',
  `old_notification_hash` varbinary(600) DEFAULT NULL COMMENT 'NOTIFICATION_HASH before the last rotation, encrypted like notification_hash; NULL: nothing is signed with it',
  `old_notification_hash_until` datetime(6) DEFAULT NULL COMMENT 'UTC; from here on nothing is signed with old_notification_hash',
  `reencrypted` int(10) unsigned NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `changed_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`),
  KEY `merchant_country` (`country`),
  CONSTRAINT `merchant_country` FOREIGN KEY (`country`) REFERENCES `countries` (`code`),
  CONSTRAINT `merchant_old_hash` CHECK (`old_hash` is null = (`old_hash_until` is null)),
  CONSTRAINT `merchant_old_notification_hash` CHECK (`old_notification_hash` is null = (`old_notification_hash_until` is null))
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Merchants whose orders are paid here';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `merchants`
--

LOCK TABLES `merchants` WRITE;
/*!40000 ALTER TABLE `merchants` DISABLE KEYS */;
INSERT INTO `merchants` VALUES
(1,'tienda','Tienda',343,1,'https://tienda.example/pagos','sha256','strict',0x02EEAC34CFAFD9456E19CBB37F78A3163A60DB395EC0586F35C74B1F9DEDD4CE091937DBDF52A08B5AE1C769CA0E994C4AC9B7761136E8D8035187C30B4CFA03BB731AE9,0x02EEAC34CF8CE558871CD8ACE8BFD97F5E7FE1431819AF84493C43FD06C02D43DD2050A66E42358705ED2601ED2636CB58C9DBE0046486EE0BDAFFBADBBC41AD12481DA146,NULL,NULL,NULL,NULL,0,'operator:ana','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(2,'muda','Muda',314,1,NULL,'sha256','strict',0x00,0x00,NULL,NULL,NULL,NULL,0,'operator:ana','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000');
/*!40000 ALTER TABLE `merchants` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER merchants_created AFTER INSERT ON merchants FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('merchant', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER merchants_stamp BEFORE UPDATE ON merchants FOR EACH ROW SET NEW.changed_at = UTC_TIMESTAMP(6) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER merchants_addressed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  IF OLD.notify_url IS NULL AND NEW.notify_url IS NOT NULL THEN
    UPDATE notifications n
      LEFT JOIN notifications earlier ON earlier.order_id = n.order_id AND earlier.sequence < n.sequence
                                     AND earlier.state NOT IN ('delivered', 'exhausted')
       SET n.state = IF(earlier.id IS NULL, 'pending', 'waiting'), n.due_at = UTC_TIMESTAMP(6), n.changed_by = NEW.changed_by
     WHERE n.state = 'unaddressed' AND n.merchant_id = NEW.id;
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER merchants_changed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('merchant', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash OR NEW.notification_hash <> OLD.notification_hash THEN 'rotated'
               WHEN NOT (NEW.old_hash_until <=> OLD.old_hash_until AND NEW.old_notification_hash_until <=> OLD.old_notification_hash_until)
                 THEN 'old secret ended'
               ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'merchant' AND party_id = NEW.id;
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `networks`
--

DROP TABLE IF EXISTS `networks`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `networks` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `name` varchar(40) NOT NULL COMMENT 'Field `name` of the network''s requests; also netname in external queries. Never changes',
  `enabled` tinyint(1) NOT NULL DEFAULT 1 COMMENT 'FALSE: every request is refused with 0019',
  `fixed_hash` varbinary(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  `old_hash` varbinary(600) DEFAULT NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: none is good beside it',
  `old_hash_until` datetime(6) DEFAULT NULL COMMENT 'UTC; from here on old_hash is worth nothing',
  `reencrypted` int(10) unsigned NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `changed_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `allow_addresses` varchar(3000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'Address ranges that the network may call from, IPv4 and IPv6, with spaces between: 192.0.2.0/24 2001:db8::/32; empty: everyone',
  `rate_limit` int(10) unsigned NOT NULL DEFAULT 0 COMMENT 'Requests per second that each host takes from the network; more are refused with 0145. 0: no limit',
  `rate_burst` int(10) unsigned NOT NULL DEFAULT 0 COMMENT 'Requests at once after a pause; 0 where there is no limit',
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`),
  CONSTRAINT `network_old_hash` CHECK (`old_hash` is null = (`old_hash_until` is null)),
  CONSTRAINT `network_addresses_form` CHECK (`allow_addresses` regexp '^([0-9a-f.:]+/[0-9]+( [0-9a-f.:]+/[0-9]+)*)?\\z'),
  CONSTRAINT `network_rate` CHECK (`rate_limit` = 0 = (`rate_burst` = 0))
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Collection networks: shops, kiosks and banks where customers pay';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `networks`
--

LOCK TABLES `networks` WRITE;
/*!40000 ALTER TABLE `networks` DISABLE KEYS */;
INSERT INTO `networks` VALUES
(1,'red',1,0x02EEAC34CF85B3B805A38DEC89DF1C119897E9D000BEFD9B20C66D6201FBB88FD4F952F12A6F1677DF6DAF80720BDEFF7428FAF8592001C18F478FE5B1B728360F25E6BAFA,NULL,NULL,0,'operator:ana','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000','',0,0),
(2,'verde',0,0x00,0x01,'2026-10-03 00:00:00.000000',0,'operator:ana','2026-10-01 00:00:00.000000','2026-11-22 08:24:38.136619','192.0.2.0/24',50,200);
/*!40000 ALTER TABLE `networks` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER networks_created AFTER INSERT ON networks FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('network', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER networks_limited AFTER INSERT ON networks FOR EACH ROW
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> '' OR NEW.rate_limit <> 0 THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'limits', NEW.changed_by, SESSION_USER(),
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER networks_stamp BEFORE UPDATE ON networks FOR EACH ROW SET NEW.changed_at = UTC_TIMESTAMP(6) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER networks_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('network', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash THEN 'rotated'
               WHEN NOT (NEW.old_hash_until <=> OLD.old_hash_until) THEN 'old secret ended' ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'network' AND party_id = NEW.id;
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER networks_limits_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> OLD.allow_addresses OR NEW.rate_limit <> OLD.rate_limit OR NEW.rate_burst <> OLD.rate_burst THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'limits', NEW.changed_by, SESSION_USER(),
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `notifications`
--

DROP TABLE IF EXISTS `notifications`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `notifications` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  `order_id` bigint(20) unsigned NOT NULL COMMENT 'Order whose state changed',
  `merchant_id` int(10) unsigned NOT NULL COMMENT 'Merchant that is told',
  `sequence` tinyint(3) unsigned NOT NULL DEFAULT 1 COMMENT 'Number of this notification among the order''s, from 1',
  `status` enum('approved','cancelled') NOT NULL COMMENT 'Field `status` of the message',
  `state` enum('unaddressed','waiting','pending','delivered','exhausted') NOT NULL COMMENT 'unaddressed: the merchant has no notify_url; waiting: an earlier one of the order comes first; pending: is to be delivered; delivered: acknowledged; exhausted: all attempts failed, an operator may replay it',
  `amount` decimal(19,4) NOT NULL COMMENT 'Field `amount`: the order''s; of an open order the amount paid',
  `payment_means` varchar(40) NOT NULL COMMENT 'Field `pv_payment`: the means asked for, else the network that took the payment',
  `attempts` smallint(5) unsigned NOT NULL DEFAULT 0 COMMENT 'Attempts made since it became pending',
  `due_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC; the next attempt leaves at this instant or later; while a dispatcher has it in hand, the end of its lease',
  `lease` binary(16) DEFAULT NULL COMMENT 'Token of the dispatcher that has it in hand; NULL: nobody has',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC; the order changed its state',
  `settled_at` datetime(6) DEFAULT NULL COMMENT 'UTC; it was acknowledged or given up',
  `changed_by` varchar(80) NOT NULL DEFAULT 'dispatcher' COMMENT 'Who made the last change',
  PRIMARY KEY (`id`),
  UNIQUE KEY `order_status` (`order_id`,`status`),
  KEY `due` (`state`,`due_at`,`id`),
  KEY `merchant` (`state`,`merchant_id`,`due_at`,`id`),
  KEY `of_merchant` (`merchant_id`,`created_at`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='What merchants are to be told, written in the transaction that changes the order';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `notifications`
--

LOCK TABLES `notifications` WRITE;
/*!40000 ALTER TABLE `notifications` DISABLE KEYS */;
INSERT INTO `notifications` VALUES
(1,4,1,1,'approved','delivered',45000.0000,'efectivo',2,'2026-10-01 09:02:00.000000',NULL,'2026-10-01 09:01:31.000000','2026-10-01 09:02:05.000000','dispatcher'),
(2,5,1,1,'cancelled','exhausted',45000.0000,'',8,'2026-10-02 09:02:00.000000',NULL,'2026-10-02 00:00:00.000000','2026-10-02 09:02:05.000000','dispatcher'),
(3,7,1,1,'approved','pending',45000.0000,'red',1,'2026-10-01 09:04:00.000000',NULL,'2026-10-01 09:01:31.000000',NULL,'dispatcher'),
(4,7,1,2,'cancelled','waiting',45000.0000,'red',0,'2026-10-03 09:04:00.000000',NULL,'2026-10-03 09:01:31.000000',NULL,'dispatcher'),
(5,9,2,1,'cancelled','unaddressed',100.0000,'',0,'2026-10-03 09:04:00.000000',NULL,'2026-10-03 09:01:31.000000',NULL,'dispatcher');
/*!40000 ALTER TABLE `notifications` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER notifications_created AFTER INSERT ON notifications FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('notification', NEW.id, 'created', NEW.state, NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER notifications_changed AFTER UPDATE ON notifications FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state THEN
    INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
    VALUES ('notification', NEW.id, 'state', OLD.state, NEW.state, NEW.changed_by, SESSION_USER());
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `old_secret_uses`
--

DROP TABLE IF EXISTS `old_secret_uses`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `old_secret_uses` (
  `party` enum('network','merchant') NOT NULL COMMENT 'Whose FIXED_HASH',
  `party_id` int(10) unsigned NOT NULL COMMENT 'Its id',
  `used_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC; a checksum made with the old FIXED_HASH was accepted; each worker process writes it once a minute at most',
  PRIMARY KEY (`party`,`party_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Who has not changed over to the new secret yet; a rotation takes the row away';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `old_secret_uses`
--

LOCK TABLES `old_secret_uses` WRITE;
/*!40000 ALTER TABLE `old_secret_uses` DISABLE KEYS */;
INSERT INTO `old_secret_uses` VALUES
('network',2,'2026-10-02 00:00:00.000000'),
('merchant',1,'2026-10-02 00:00:00.000000');
/*!40000 ALTER TABLE `old_secret_uses` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `orders`
--

DROP TABLE IF EXISTS `orders`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `orders` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Order number here: pv_po_id of the notification',
  `merchant_id` int(10) unsigned NOT NULL COMMENT 'Merchant the payment belongs to',
  `po_id` varchar(200) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Order number in the merchant''s system; unique per merchant for ever',
  `reference` varchar(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Number the customer pays with',
  `state` enum('PENDIENTE','APROBADA','VENCIDA','CANCELADA','ANULADA') NOT NULL DEFAULT 'PENDIENTE' COMMENT 'State as last written; orders_now shows it as it is at this moment',
  `open_reference` varchar(25) CHARACTER SET ascii COLLATE ascii_nopad_bin GENERATED ALWAYS AS (if(`state` = 'PENDIENTE',`reference`,NULL)) VIRTUAL COMMENT 'The reference while PENDIENTE: one open order per reference',
  `version` int(10) unsigned NOT NULL DEFAULT 1 COMMENT 'Counts the changes of this row; equals its number of events',
  `amount` decimal(19,4) NOT NULL COMMENT 'Amount due; 0: open, the customer chooses',
  `min_amount` decimal(19,4) DEFAULT NULL COMMENT 'Least amount of an open order; NULL: anything above 0',
  `max_amount` decimal(19,4) DEFAULT NULL COMMENT 'Greatest amount of an open order; NULL: no bound',
  `vat` decimal(19,4) DEFAULT NULL COMMENT 'Value added tax as the merchant sent it (iva); for the slip, not reckoned with',
  `currency` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the amount',
  `country` smallint(5) unsigned DEFAULT NULL COMMENT 'Country the order was registered in: its time zone ends the due date; NULL: the merchant''s',
  `description` varchar(250) NOT NULL DEFAULT '' COMMENT 'What is paid for',
  `language` enum('es','en') NOT NULL DEFAULT 'es' COMMENT 'Language of the payment slip',
  `payment_means` varchar(40) DEFAULT NULL COMMENT 'Payment means asked for at registration (pv_payment); NULL: any',
  `email` varchar(100) DEFAULT NULL COMMENT 'Customer''s e-mail address',
  `document` varchar(15) DEFAULT NULL COMMENT 'Customer''s document number',
  `document_type` varchar(40) DEFAULT NULL COMMENT 'Type of the document',
  `customer_name` varchar(150) DEFAULT NULL COMMENT 'Customer''s name',
  `token` char(32) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL COMMENT 'Opens the payment slip: 128 random bits in hex, made with the row; NULL: the order is older than this column',
  `origin` enum('registered','imported','external') NOT NULL COMMENT 'How the order came here: one by one, from a file, or by an external query',
  `due_at` datetime(6) NOT NULL COMMENT 'UTC; unpaid at this instant, the order is VENCIDA',
  `held_by` bigint(20) unsigned DEFAULT NULL COMMENT 'Confirmed transaction that holds the order during its cancellation window',
  `held_until` datetime(6) DEFAULT NULL COMMENT 'UTC; end of that window: from here on the order is paid',
  `paid_by` bigint(20) unsigned DEFAULT NULL COMMENT 'Transaction that paid the order',
  `state_reason` varchar(250) DEFAULT NULL COMMENT 'Why the state was changed the last time, where a reason was given; goes into the event',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change, e.g. network:NAME, dispatcher, operator:NAME',
  `created_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `changed_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  PRIMARY KEY (`id`),
  UNIQUE KEY `merchant_order` (`merchant_id`,`po_id`),
  UNIQUE KEY `open_reference` (`open_reference`),
  UNIQUE KEY `token` (`token`),
  KEY `reference` (`reference`,`id`),
  KEY `due` (`state`,`due_at`,`id`),
  KEY `created` (`created_at`),
  KEY `order_currency` (`currency`),
  KEY `listed` (`state`,`created_at`,`id`),
  KEY `order_country` (`country`),
  CONSTRAINT `order_country` FOREIGN KEY (`country`) REFERENCES `countries` (`code`),
  CONSTRAINT `order_currency` FOREIGN KEY (`currency`) REFERENCES `currencies` (`code`),
  CONSTRAINT `order_merchant` FOREIGN KEY (`merchant_id`) REFERENCES `merchants` (`id`),
  CONSTRAINT `order_amount_sign` CHECK (`amount` >= 0),
  CONSTRAINT `order_limits` CHECK (`min_amount` is null or `max_amount` is null or `min_amount` <= `max_amount`),
  CONSTRAINT `order_reference_form` CHECK (`reference` regexp '^[0-9]{1,25}\\z'),
  CONSTRAINT `order_po_id_form` CHECK (`po_id` regexp '^[a-zA-Z0-9_-]{1,200}\\z'),
  CONSTRAINT `order_hold_whole` CHECK (`held_by` is null = (`held_until` is null)),
  CONSTRAINT `order_hold_pending` CHECK (`held_by` is null or `state` = 'PENDIENTE'),
  CONSTRAINT `order_paid_by` CHECK (`paid_by` is not null = `state` in ('APROBADA','ANULADA'))
) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Purchase orders to be paid, one row for ever';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `orders`
--

LOCK TABLES `orders` WRITE;
/*!40000 ALTER TABLE `orders` DISABLE KEYS */;
INSERT INTO `orders` VALUES
(1,1,'A-1','800000001','PENDIENTE','800000001',1,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','bc4d84237d42950a85afd9cc1c66e343','registered','2036-12-01 00:00:00.000000',NULL,NULL,NULL,NULL,'merchant:tienda','2026-10-01 08:00:00.000000','2026-10-01 08:00:00.000000'),
(2,1,'A-2','800000002','PENDIENTE','800000002',1,0.0000,1000.0000,90000.0000,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','22222222222222222222222222222222','registered','2036-12-01 00:00:00.000000',NULL,NULL,NULL,NULL,'merchant:tienda','2026-10-01 08:00:00.000000','2026-10-01 08:00:00.000000'),
(3,1,'A-3','800000003','PENDIENTE','800000003',2,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','en',NULL,'ana@example.org','79000111','CC','Ana Prada','33333333333333333333333333333333','registered','2036-12-01 00:00:00.000000',2,'2036-10-01 00:00:00.000000',NULL,NULL,'network:red','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.160436'),
(4,1,'A-4','800000004','APROBADA',NULL,3,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es','efectivo','ana@example.org','79000111','CC','Ana Prada','44444444444444444444444444444444','registered','2036-12-01 00:00:00.000000',NULL,NULL,3,NULL,'dispatcher','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.171733'),
(5,1,'A-5','800000005','VENCIDA',NULL,3,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','55555555555555555555555555555555','registered','2026-10-02 00:00:00.000000',NULL,NULL,NULL,NULL,'dispatcher','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.173446'),
(6,1,'A-6','800000006','CANCELADA',NULL,2,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','66666666666666666666666666666666','imported','2036-12-01 00:00:00.000000',NULL,NULL,NULL,NULL,'merchant:tienda','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.174679'),
(7,1,'A-7','800000007','ANULADA',NULL,4,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','77777777777777777777777777777777','registered','2036-12-01 00:00:00.000000',NULL,NULL,4,'reclamo 17','operator:ana','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.175214'),
(8,1,'A-8','800000008','PENDIENTE','800000008',2,45000.0000,NULL,NULL,7184.8700,'COP',343,'Zapatos','es',NULL,'ana@example.org','79000111','CC','Ana Prada','88888888888888888888888888888888','registered','2036-12-01 00:00:00.000000',5,'2026-10-01 09:01:30.000000',NULL,NULL,'network:red','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.160436'),
(16,2,'B-1','79000111','PENDIENTE','79000111',1,100.0000,NULL,NULL,NULL,'CRC',NULL,'','es',NULL,NULL,NULL,NULL,NULL,'bbf4eb753cfd07d936267404aea625d1','external','2036-12-01 00:00:00.000000',NULL,NULL,NULL,NULL,'network:red','2026-10-01 08:00:00.000000','2026-11-22 08:24:38.155307');
/*!40000 ALTER TABLE `orders` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER orders_token BEFORE INSERT ON orders FOR EACH ROW
  SET NEW.token = COALESCE(NEW.token, LOWER(HEX(RANDOM_BYTES(16)))) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER orders_created AFTER INSERT ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, to_state, actor, db_account)
  VALUES ('order', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER orders_guard BEFORE UPDATE ON orders FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state AND NOT (
       (OLD.state = 'PENDIENTE' AND NEW.state IN ('APROBADA', 'VENCIDA', 'CANCELADA'))
    OR (OLD.state = 'APROBADA' AND NEW.state = 'ANULADA')) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: this change of state does not exist';
  END IF;
  SET NEW.version = OLD.version + 1, NEW.changed_at = UTC_TIMESTAMP(6);
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER orders_refunded AFTER UPDATE ON orders FOR EACH ROW
BEGIN
  IF NEW.state = 'ANULADA' AND OLD.state <> 'ANULADA' THEN
    INSERT INTO refunds (order_id, transaction_id) VALUES (NEW.id, NEW.paid_by);
  END IF;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account, reason)
  VALUES ('order', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN OLD.held_by IS NULL AND NEW.held_by IS NOT NULL THEN 'held'
               WHEN OLD.held_by IS NOT NULL AND NEW.held_by IS NULL THEN 'released'
               WHEN OLD.state <> 'PENDIENTE'
                    AND COALESCE(OLD.email, OLD.document, OLD.document_type, OLD.customer_name) IS NOT NULL
                    AND COALESCE(NEW.email, NEW.document, NEW.document_type, NEW.customer_name) IS NULL THEN 'purged'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER(), IF(NEW.state <> OLD.state, NEW.state_reason, NULL)) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Temporary table structure for view `orders_now`
--

DROP TABLE IF EXISTS `orders_now`;
/*!50001 DROP VIEW IF EXISTS `orders_now`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `orders_now` AS SELECT
 NULL AS `id`,
 NULL AS `merchant`,
 NULL AS `po_id`,
 NULL AS `reference`,
 NULL AS `state_now`,
 NULL AS `state_written`,
 NULL AS `amount`,
 NULL AS `currency`,
 NULL AS `description`,
 NULL AS `due_at`,
 NULL AS `held_by`,
 NULL AS `held_until`,
 NULL AS `paid_by`,
 NULL AS `origin`,
 NULL AS `created_at`,
 NULL AS `changed_at`,
 NULL AS `changed_by` */;
SET character_set_client = @saved_cs_client;

--
-- Table structure for table `refunds`
--

DROP TABLE IF EXISTS `refunds`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `refunds` (
  `order_id` bigint(20) unsigned NOT NULL COMMENT 'Order that became ANULADA; each at most once',
  `transaction_id` bigint(20) unsigned NOT NULL COMMENT 'Payment that was given back, whole',
  `at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  PRIMARY KEY (`order_id`),
  KEY `at` (`at`,`order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Payments given back, by the merchant or on a customer''s claim; append only. Who and why stands in the events of the order';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `refunds`
--

LOCK TABLES `refunds` WRITE;
/*!40000 ALTER TABLE `refunds` DISABLE KEYS */;
INSERT INTO `refunds` VALUES
(7,4,'2026-11-22 08:24:38.175214');
/*!40000 ALTER TABLE `refunds` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER refunds_keep BEFORE UPDATE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER refunds_stay BEFORE DELETE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only' 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `schema_lock`
--

DROP TABLE IF EXISTS `schema_lock`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `schema_lock` (
  `id` tinyint(3) unsigned NOT NULL COMMENT 'Always 1',
  PRIMARY KEY (`id`),
  CONSTRAINT `schema_lock_single` CHECK (`id` = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='One row, locked by whoever migrates';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `schema_lock`
--

LOCK TABLES `schema_lock` WRITE;
/*!40000 ALTER TABLE `schema_lock` DISABLE KEYS */;
INSERT INTO `schema_lock` VALUES
(1);
/*!40000 ALTER TABLE `schema_lock` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `schema_version`
--

DROP TABLE IF EXISTS `schema_version`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `schema_version` (
  `version` smallint(5) unsigned NOT NULL COMMENT 'Number of the migration',
  `name` varchar(100) NOT NULL COMMENT 'File name of the migration',
  `checksum` char(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the file as it was applied',
  `started_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `applied_at` datetime(6) DEFAULT NULL COMMENT 'UTC; NULL: it began and did not end, look before you go on',
  PRIMARY KEY (`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Migrations applied to this schema';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `schema_version`
--

LOCK TABLES `schema_version` WRITE;
/*!40000 ALTER TABLE `schema_version` DISABLE KEYS */;
INSERT INTO `schema_version` VALUES
(1,'0001_foundation.sql','7b95eb5d3f0ebcac0c360b79b9d88fc3d582d2875fbf5444b0633c1aa43ede17','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(2,'0002_delivery.sql','b623aacef23fae5c163cdb637ba965f6e0722f64704eaafbc8be114723dd12e7','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(3,'0003_external_query.sql','3a1ebcf1d658b7bdfd1705d209e5336fd24cf8561d7281ec87fa4d0579c0270a','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(4,'0004_order_list.sql','0886c8b1a069231b4b983e0029d89f8bd61782fc49531155fb927dc0b81d4d44','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(5,'0005_settlement.sql','2d3b13a39fc3d401fb083ab072431c036a5b709930648023f87ef3d327751843','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(6,'0006_merchant_orders.sql','38c4f889f1c92bf2d888bc335101ce8cb1906ca097e37540b58a0816fc563061','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(7,'0007_retention.sql','50c649c47d9b0ea3cfc77d30d9e3cddf993ea74ffc4175b217c4fb8d764f3300','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(8,'0008_integrations.sql','c76a12b6109a361e87933d4c2150f9142c31b94b371c83b51746c78072005c12','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(9,'0009_rotation.sql','835227e9df1dac34aa823966798a3620eeca901ccb5927180040a5b324d20dba','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(10,'0010_network_limits.sql','f9ba0dd091f3f74615ab0683a09bae0cb8fb6cb3a5ddce0f386f9b641cc18074','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000'),
(11,'0011_totals.sql','53988a71e28592325d67767a2b0d5e53613146ed1c3f9beb5bb4cfb36f18ffa5','2026-10-01 00:00:00.000000','2026-10-01 00:00:00.000000');
/*!40000 ALTER TABLE `schema_version` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `transactions`
--

DROP TABLE IF EXISTS `transactions`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `transactions` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'Operation code: IDSERVICE of the reply',
  `network_id` int(10) unsigned NOT NULL COMMENT 'Network that registered it',
  `network_transaction` varchar(64) NOT NULL COMMENT 'Transaction id of the network; unique per network for ever',
  `order_id` bigint(20) unsigned DEFAULT NULL COMMENT 'Order to be paid; NULL for a top-up',
  `account_id` bigint(20) unsigned DEFAULT NULL COMMENT 'Account to be topped up; NULL for an order',
  `reference` varchar(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference as sent',
  `state` enum('REGISTRADA','CONFIRMADA','FINALIZADA','CANCELADA') NOT NULL DEFAULT 'REGISTRADA' COMMENT 'State as last written; transactions_now shows it as it is at this moment',
  `version` int(10) unsigned NOT NULL DEFAULT 1 COMMENT 'Counts the changes of this row; equals its number of events',
  `amount` decimal(19,4) NOT NULL COMMENT 'Amount paid',
  `currency` char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the amount',
  `commerce` varchar(100) NOT NULL COMMENT 'COMMERCE as replied',
  `description` varchar(500) NOT NULL COMMENT 'DESCRIPTION as replied',
  `teller` varchar(64) NOT NULL COMMENT 'Collection point as sent: an address or a point-of-sale id',
  `given_names` varchar(100) DEFAULT NULL COMMENT 'Customer''s given names as sent (nombres)',
  `surname1` varchar(100) DEFAULT NULL COMMENT 'Customer''s first surname as sent (apellido1)',
  `surname2` varchar(100) DEFAULT NULL COMMENT 'Customer''s second surname as sent (apellido2)',
  `fingerprint` binary(32) NOT NULL COMMENT 'SHA-256 of what the request said: tells a repeated request from another one',
  `registered_at` datetime(6) NOT NULL DEFAULT utc_timestamp(6) COMMENT 'UTC',
  `confirmed_at` datetime(6) DEFAULT NULL COMMENT 'UTC; confirm true was accepted',
  `window_ends_at` datetime(6) DEFAULT NULL COMMENT 'UTC; from here on it cannot be cancelled',
  `finalised_at` datetime(6) DEFAULT NULL COMMENT 'UTC; the end of the window was written',
  `cancelled_at` datetime(6) DEFAULT NULL COMMENT 'UTC; confirm false was accepted',
  `settled_at` datetime(6) GENERATED ALWAYS AS (coalesce(`cancelled_at`,`window_ends_at`)) VIRTUAL COMMENT 'UTC; from here on nothing changes any more: the cancellation, else the end of the window; NULL: not confirmed',
  `changed_by` varchar(80) NOT NULL COMMENT 'Who made the last change',
  PRIMARY KEY (`id`),
  UNIQUE KEY `network_transaction` (`network_id`,`network_transaction`),
  KEY `order_id` (`order_id`),
  KEY `account_id` (`account_id`),
  KEY `window_end` (`state`,`window_ends_at`,`id`),
  KEY `registered` (`registered_at`),
  KEY `settled` (`settled_at`,`id`),
  CONSTRAINT `transaction_network` FOREIGN KEY (`network_id`) REFERENCES `networks` (`id`),
  CONSTRAINT `transaction_target` CHECK (`order_id` is null <> (`account_id` is null)),
  CONSTRAINT `transaction_amount_sign` CHECK (`amount` > 0),
  CONSTRAINT `transaction_window` CHECK (`confirmed_at` is null = (`window_ends_at` is null)),
  CONSTRAINT `transaction_confirmed` CHECK (`state` not in ('CONFIRMADA','FINALIZADA') or `confirmed_at` is not null),
  CONSTRAINT `transaction_finalised` CHECK (`state` = 'FINALIZADA' = (`finalised_at` is not null)),
  CONSTRAINT `transaction_cancelled` CHECK (`state` = 'CANCELADA' = (`cancelled_at` is not null))
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='Payments as the networks registered them, one row for ever';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `transactions`
--

LOCK TABLES `transactions` WRITE;
/*!40000 ALTER TABLE `transactions` DISABLE KEYS */;
INSERT INTO `transactions` VALUES
(1,1,'TX-1',1,NULL,'800000001','REGISTRADA',1,45000.0000,'COP','Tienda','Zapatos','caja 1','Ana','Prada',NULL,0x6161616161616161616161616161616161616161616161616161616161616161,'2026-10-01 09:00:00.000000',NULL,NULL,NULL,NULL,NULL,'network:red'),
(2,1,'TX-2',3,NULL,'800000003','CONFIRMADA',2,45000.0000,'COP','Tienda','Zapatos','caja 1',NULL,NULL,NULL,0x6262626262626262626262626262626262626262626262626262626262626262,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2036-10-01 00:00:00.000000',NULL,NULL,'2036-10-01 00:00:00.000000','network:red'),
(3,1,'TX-3',4,NULL,'800000004','FINALIZADA',3,45000.0000,'COP','Tienda','Zapatos','caja 1',NULL,NULL,NULL,0x6363636363636363636363636363636363636363636363636363636363636363,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2026-10-01 09:01:30.000000','2026-10-01 09:01:31.000000',NULL,'2026-10-01 09:01:30.000000','dispatcher'),
(4,1,'TX-4',7,NULL,'800000007','FINALIZADA',3,45000.0000,'COP','Tienda','Zapatos','caja 1',NULL,NULL,NULL,0x6464646464646464646464646464646464646464646464646464646464646464,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2026-10-01 09:01:30.000000','2026-10-01 09:01:31.000000',NULL,'2026-10-01 09:01:30.000000','dispatcher'),
(5,2,'TX-1',8,NULL,'800000008','CONFIRMADA',2,45000.0000,'COP','Tienda','Zapatos','caja 2',NULL,NULL,NULL,0x6565656565656565656565656565656565656565656565656565656565656565,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2026-10-01 09:01:30.000000',NULL,NULL,'2026-10-01 09:01:30.000000','network:red'),
(6,1,'TX-5',5,NULL,'800000005','CANCELADA',2,45000.0000,'COP','Tienda','Zapatos','caja 1',NULL,NULL,NULL,0x6666666666666666666666666666666666666666666666666666666666666666,'2026-10-01 09:00:00.000000',NULL,NULL,NULL,'2026-10-01 09:01:10.000000','2026-10-01 09:01:10.000000','network:red'),
(7,1,'TX-6',NULL,1,'D-1','FINALIZADA',3,20000.0000,'COP','recaudo','Recarga','caja 1',NULL,NULL,NULL,0x6767676767676767676767676767676767676767676767676767676767676767,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2026-10-01 09:01:30.000000','2026-10-01 09:01:31.000000',NULL,'2026-10-01 09:01:30.000000','dispatcher'),
(8,1,'TX-7',NULL,2,'79000111','CONFIRMADA',2,5000.0000,'COP','recaudo','Recarga','caja 1',NULL,NULL,NULL,0x6868686868686868686868686868686868686868686868686868686868686868,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2036-10-01 00:00:00.000000',NULL,NULL,'2036-10-01 00:00:00.000000','network:red'),
(9,1,'TX-8',NULL,2,'79000111','CANCELADA',3,7000.0000,'COP','recaudo','Recarga','caja 1',NULL,NULL,NULL,0x6969696969696969696969696969696969696969696969696969696969696969,'2026-10-01 09:00:00.000000','2026-10-01 09:01:00.000000','2026-10-01 09:01:30.000000',NULL,'2026-10-01 09:01:10.000000','2026-10-01 09:01:10.000000','network:red');
/*!40000 ALTER TABLE `transactions` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER transactions_created AFTER INSERT ON transactions FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER transactions_guard BEFORE UPDATE ON transactions FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state AND NOT (
       (OLD.state = 'REGISTRADA' AND NEW.state IN ('CONFIRMADA', 'CANCELADA'))
    OR (OLD.state = 'CONFIRMADA' AND NEW.state IN ('FINALIZADA', 'CANCELADA'))) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: this change of state does not exist';
  END IF;
  SET NEW.version = OLD.version + 1;
END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER transactions_changed AFTER UPDATE ON transactions FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN COALESCE(OLD.given_names, OLD.surname1, OLD.surname2, NULLIF(OLD.description, NEW.description)) IS NOT NULL
                    AND COALESCE(NEW.given_names, NEW.surname1, NEW.surname2) IS NULL THEN 'purged'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER()) 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Temporary table structure for view `transactions_now`
--

DROP TABLE IF EXISTS `transactions_now`;
/*!50001 DROP VIEW IF EXISTS `transactions_now`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `transactions_now` AS SELECT
 NULL AS `id`,
 NULL AS `network`,
 NULL AS `network_transaction`,
 NULL AS `reference`,
 NULL AS `order_id`,
 NULL AS `account_id`,
 NULL AS `state_now`,
 NULL AS `state_written`,
 NULL AS `amount`,
 NULL AS `currency`,
 NULL AS `commerce`,
 NULL AS `teller`,
 NULL AS `registered_at`,
 NULL AS `confirmed_at`,
 NULL AS `window_ends_at`,
 NULL AS `finalised_at`,
 NULL AS `cancelled_at` */;
SET character_set_client = @saved_cs_client;

--
-- Dumping routines for database 'd'
--
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
/*!50003 DROP FUNCTION IF EXISTS `order_finalise` */;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
DELIMITER ;;
CREATE DEFINER=`root`@`localhost` FUNCTION `order_finalise`(wanted BIGINT UNSIGNED, who VARCHAR(80)) RETURNS int(11)
    MODIFIES SQL DATA
    COMMENT 'Finalises the payment that holds this order if its cancellation window has closed'
BEGIN
  DECLARE written INT;
  UPDATE orders o STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = o.held_by
     SET t.state = 'FINALIZADA', t.finalised_at = UTC_TIMESTAMP(6), t.changed_by = who,
         o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL, o.changed_by = who
   WHERE o.id = wanted AND o.state = 'PENDIENTE' AND t.order_id = o.id
     AND t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6);
  SET written = ROW_COUNT();
  IF written = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, changed_by)
    SELECT o.id, o.merchant_id, 'approved', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), t.amount,
           COALESCE(o.payment_means, n.name), who
      FROM orders o STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = o.paid_by
     STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id
     STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id
     WHERE o.id = wanted LOCK IN SHARE MODE;
  RETURN 1;
END
;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Final view structure for view `due_now`
--

/*!50001 DROP VIEW IF EXISTS `due_now`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY INVOKER */
/*!50001 VIEW `due_now` AS select 'finalise' AS `work`,`t`.`id` AS `id`,`t`.`window_ends_at` AS `since` from `transactions` `t` where `t`.`state` = 'CONFIRMADA' and `t`.`window_ends_at` <= utc_timestamp(6) union all select 'expire' AS `expire`,`o`.`id` AS `id`,`o`.`due_at` AS `due_at` from `orders` `o` where `o`.`state` = 'PENDIENTE' and `o`.`held_by` is null and `o`.`due_at` <= utc_timestamp(6) union all select 'notify' AS `notify`,`n`.`id` AS `id`,`n`.`due_at` AS `due_at` from `notifications` `n` where `n`.`state` = 'pending' and `n`.`due_at` <= utc_timestamp(6) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;

--
-- Final view structure for view `endpoints_now`
--

/*!50001 DROP VIEW IF EXISTS `endpoints_now`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `endpoints_now` AS select `m`.`id` AS `merchant_id`,`m`.`name` AS `merchant`,`e`.`resting_until` is not null AS `resting`,`m`.`notify_url` is not null and `e`.`resting_until` is null AS `reachable` from (`merchants` `m` left join `endpoints` `e` on(`e`.`merchant_id` = `m`.`id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;

--
-- Final view structure for view `orders_now`
--

/*!50001 DROP VIEW IF EXISTS `orders_now`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY INVOKER */
/*!50001 VIEW `orders_now` AS select `o`.`id` AS `id`,`m`.`name` AS `merchant`,`o`.`po_id` AS `po_id`,`o`.`reference` AS `reference`,case when `o`.`state` <> 'PENDIENTE' then `o`.`state` when `o`.`held_until` <= utc_timestamp(6) then 'APROBADA' when `o`.`held_by` is not null then 'PENDIENTE' when `o`.`due_at` <= utc_timestamp(6) then 'VENCIDA' else 'PENDIENTE' end AS `state_now`,`o`.`state` AS `state_written`,`o`.`amount` AS `amount`,`o`.`currency` AS `currency`,`o`.`description` AS `description`,`o`.`due_at` AS `due_at`,`o`.`held_by` AS `held_by`,`o`.`held_until` AS `held_until`,`o`.`paid_by` AS `paid_by`,`o`.`origin` AS `origin`,`o`.`created_at` AS `created_at`,`o`.`changed_at` AS `changed_at`,`o`.`changed_by` AS `changed_by` from (`orders` `o` join `merchants` `m` on(`m`.`id` = `o`.`merchant_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;

--
-- Final view structure for view `transactions_now`
--

/*!50001 DROP VIEW IF EXISTS `transactions_now`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY INVOKER */
/*!50001 VIEW `transactions_now` AS select `t`.`id` AS `id`,`n`.`name` AS `network`,`t`.`network_transaction` AS `network_transaction`,`t`.`reference` AS `reference`,`t`.`order_id` AS `order_id`,`t`.`account_id` AS `account_id`,if(`t`.`state` = 'CONFIRMADA' and `t`.`window_ends_at` <= utc_timestamp(6),'FINALIZADA',`t`.`state`) AS `state_now`,`t`.`state` AS `state_written`,`t`.`amount` AS `amount`,`t`.`currency` AS `currency`,`t`.`commerce` AS `commerce`,`t`.`teller` AS `teller`,`t`.`registered_at` AS `registered_at`,`t`.`confirmed_at` AS `confirmed_at`,`t`.`window_ends_at` AS `window_ends_at`,`t`.`finalised_at` AS `finalised_at`,`t`.`cancelled_at` AS `cancelled_at` from (`transactions` `t` join `networks` `n` on(`n`.`id` = `t`.`network_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed
