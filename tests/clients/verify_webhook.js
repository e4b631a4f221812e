// verify_webhook.js: reads {body, headers, secret}; says which ways of the official libraries verify the notification.
import { readFileSync } from 'node:fs';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

const { body, headers, secret } = JSON.parse(readFileSync(0, 'utf8'));
const encoded = `whsec_${Buffer.from(secret).toString('base64')}`;
const ways = {
  'standardwebhooks raw': () => new StandardWebhook(secret, { format: 'raw' }),
  'standardwebhooks whsec_': () => new StandardWebhook(encoded),
  'svix raw': () => new SvixWebhook(secret, { format: 'raw' }),
  'svix whsec_': () => new SvixWebhook(encoded),
};
const verified = [];
for (const [name, make] of Object.entries(ways)) {
  try {
    make().verify(body, headers);
    verified.push(name);
  } catch (error) {
    console.error(`${name}: ${error.message}`);
  }
}
console.log(JSON.stringify(verified));
