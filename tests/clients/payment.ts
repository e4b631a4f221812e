// What both generated clients pay: the orders of the environment, checksums over them, and the fields of each message.
import { createHash } from 'node:crypto';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set`);
  }
  return value;
}

const sha512 = (...texts: string[]): string => createHash('sha512').update(texts.join('')).digest('hex');

export const base = setting('BASE');
const merchant = setting('MERCHANT');
const merchantHash = setting('MERCHANT_HASH');
const name = setting('NETWORK');
const networkHash = setting('NETWORK_HASH');
const order = setting('ORDER');
const [email, amount, money] = ['ana@example.com', '45000.00', 'COP'];
const transaction = `T.${order}`;

export const porder = {
  merchant, email, country: '343', order, money, amount, description: 'Zapatos rojos', expiration: setting('EXPIRATION'),
  checksum: sha512(email, '343', order, money, amount, merchantHash),
};

export const consultation = { order, merchant, checksum: sha512(order, merchant, merchantHash) };

export const lookup = (reference: string) => ({ reference, name, checksum: sha512(name, reference, networkHash) });

export const registration = (reference: string, commerce: string) => ({
  name, reference, amount, transaction, commerce, teller: '192.0.2.10', money,
  checksum: sha512(name, reference, amount, transaction, networkHash),
});

export const confirmation = {
  name, transaction, confirm: 'true' as const, checksum: sha512(name, transaction, networkHash),
};

// The DATA of a reply with CODE 0000; any other CODE ends the program.
export function granted<Reply extends { CODE?: string }>(reply: Reply | undefined): Extract<Reply, { DATA: object }>['DATA'] {
  if (reply === undefined || reply.CODE !== '0000' || !('DATA' in reply)) {
    throw new Error(`refused: ${JSON.stringify(reply)}`);
  }
  return reply.DATA as Extract<Reply, { DATA: object }>['DATA'];
}
