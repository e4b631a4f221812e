-- recaudo schema 20: an attempt tells when our own host has no certificates to verify the merchant's against.

ALTER TABLE attempts
  MODIFY reason ENUM('acknowledged','status','reply','secret','url','dns','address','connect','tls','timeout','protocol','too_large','certificates') NOT NULL
    COMMENT 'The verdict and why: acknowledged; a status other than 2xx; a reply that is not OK; our secret for it does not open; else what failed below HTTP (address: not one that may be connected to; certificates: we have none to trust)';
