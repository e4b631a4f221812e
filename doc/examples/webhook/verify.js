// Is this notification the service's? node verify.js ID TIMESTAMP SIGNATURE <BODY: the headers webhook-*, the body as received.
'use strict';
const { createHmac, timingSafeEqual } = require('node:crypto');

const TOLERANCE_SECONDS = 300;

// secret is NOTIFICATION_HASH as shown, body a Buffer: in express, express.raw({ type: 'application/json' }) makes one.
// After a rotation there are two signatures: one must be right. A header that is missing (undefined) is wrong.
function isSigned(secret, id, timestamp, signatures, body, now) {
  if (![id, timestamp, signatures].every((header) => typeof header === 'string')) return false;
  const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  const fit = signatures.split(' ').map((one) => Buffer.from(one))
    .filter((one) => one.length === expected.length && timingSafeEqual(one, expected));
  return fit.length > 0 && /^[0-9]+$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= TOLERANCE_SECONDS;
}

module.exports = { isSigned };

if (require.main === module) {
  if (!process.env.RECAUDO_SECRET) {
    console.error('RECAUDO_SECRET is not set');
    process.exit(1);
  }
  const now = Number(process.env.RECAUDO_NOW ?? Date.now() / 1000); // for the test vector, which is of another day
  const body = require('node:fs').readFileSync(0);
  const [id, timestamp, signatures] = process.argv.slice(2);
  const right = isSigned(process.env.RECAUDO_SECRET, id, timestamp, signatures, body, now);
  console.log(right ? 'right' : 'wrong');
}
