// Checksums: the digest of some fields' values, as they are sent, and the secret. node checksum.js RECIPE VALUE...
'use strict';
const { createHash, createHmac, timingSafeEqual } = require('node:crypto');

const RECIPES = { // what the values are, in this order
  lookup: ['sha512', 'name reference'],
  register: ['sha512', 'name reference amount transaction'],
  confirm: ['sha512', 'name transaction'],
  porder: ['sha512', 'email country order money amount'],
  'porder-query': ['sha512', 'order merchant'],
  refund: ['sha512', 'order merchant amount'],
  query: ['sha512', 'reference currency netname timestamp_start'],
  answer: ['sha512', 'order amount timestamp_end'],
  'answer-with-limits': ['sha512', 'order amount min max timestamp_end'],
  'notification-sha256': ['sha256', 'po_id status'],
  'notification-sha512': ['sha512', 'po_id status'],
  signature: ['hmac', 'id timestamp method target body'],
};

// The header Recaudo-Signature of a request; target is path and query as they are sent.
function signature(secret, id, timestamp, method, target, body) {
  const text = `${id}.${timestamp}.${method} ${target}\n${body}`;
  return `v1,${createHmac('sha256', secret).update(text, 'utf8').digest('base64')}`;
}

function checksum(recipe, secret, ...values) {
  if (!Object.hasOwn(RECIPES, recipe)) {
    throw new Error(`RECIPE VALUE...; the recipes are ${Object.keys(RECIPES).join(' ')}`);
  }
  const [algorithm, names] = RECIPES[recipe];
  if (values.length !== names.split(' ').length) {
    throw new Error(`${recipe} takes: ${names}`);
  }
  if (recipe === 'signature') {
    return signature(secret, ...values);
  }
  const word = recipe === 'refund' ? 'refund' : '';
  return createHash(algorithm).update(word + values.join('') + secret, 'utf8').digest('hex');
}

// Upper and lower case are the same; takes the same time wherever they differ.
function fits(received, computed) {
  const [a, b] = [Buffer.from(received.toLowerCase()), Buffer.from(computed)];
  return a.length === b.length && timingSafeEqual(a, b);
}

module.exports = { checksum, signature, fits };

if (require.main === module) {
  const [recipe, ...values] = process.argv.slice(2);
  if (!process.env.RECAUDO_SECRET) {
    console.error('RECAUDO_SECRET is not set');
    process.exit(1);
  }
  try {
    console.log(checksum(recipe, process.env.RECAUDO_SECRET, ...values));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
