// The collection networks' part of the service as one would write it with Node, Fastify and the MariaDB connector: look up, register,
// confirm, cancel. The benchmark compares recaudo with it. Listens for HTTP itself, with a process for each processor.
import cluster from 'node:cluster';
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

const { PORT, DATABASE, DATABASE_SOCKET, PASSWORD_FILE, NODE_MODULES, SERVICE_NAME } = process.env;
const PROCESSES = availableParallelism();
const CONNECTIONS = 16;
const ROOM = 999999999999999n * 100n;
const AMOUNT = /^[0-9]{1,15}(?:\.[0-9]{1,4})?$/;
const REFERENCE = /^[0-9A-Za-z-]{1,25}$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const TEXTS = { '0000': 'OK', '0010': 'transaction not valid', '0011': 'field not valid', '0013': 'no such transaction',
  '0014': 'the transaction was cancelled', '0015': 'the cancellation window has closed', '0016': 'transaction id is taken',
  '0021': 'amount not valid', '0023': 'currency not valid', '0025': 'checksum not valid', '0101': 'no such reference',
  '0102': 'already paid', '0103': 'expired', '0104': 'deleted', '0106': 'being confirmed', '0111': 'commerce not valid',
  '0112': 'the account cannot take this amount' };

class Refusal extends Error {
  constructor(code) {
    super(TEXTS[code]);
    this.code = code;
  }
}

const refuse = (code) => { throw new Refusal(code); };

// A number with exactly the decimals of the currency is not what JSON.stringify prints, so amounts are put in as text.
const reply = (amount, data) => {
  const text = JSON.stringify({ CODE: '0000', TEXT: 'OK', DATA: data });
  return amount === null ? text : text.replace('"DATA":{', `"DATA":{"AMOUNT":${amount},`);
};

const cents = (amount) => {
  const [whole, decimals = ''] = amount.split('.');
  return decimals.length > 2 ? refuse('0021') : BigInt(whole + decimals.padEnd(2, '0'));
};

const field = (value, most, code = '0011') =>
  (typeof value === 'string' && value !== '' && [...value].length <= most && !CONTROL.test(value) ? value : refuse(code));

const matching = (value, pattern, code = '0011') => (typeof value === 'string' && pattern.test(value) ? value : refuse(code));

function findPayable(rows) {
  const [order] = rows;
  if (order.state === 'paid') refuse('0102');
  if (order.state === 'cancelled') refuse('0104');
  if (order.held === 1) refuse('0106');
  if (order.held === 0) refuse('0102');
  if (order.expired) refuse('0103');
  return order;
}

const SELECT_ORDER = `SELECT o.id, o.state, o.amount, o.currency, o.description, o.held_until > UTC_TIMESTAMP(6) AS held,
  o.due_at <= UTC_TIMESTAMP(6) AS expired, m.commerce FROM orders o JOIN merchants m ON m.id = o.merchant_id WHERE o.reference = ?`;
const SELECT_ACCOUNT = `SELECT id, document, document_type, name, lastname1, lastname2, currency, balance, reserved
  FROM accounts WHERE document = ?`;
const SELECT_TRANSACTION = `SELECT id, reference, amount, currency, commerce, teller, description FROM transactions
  WHERE network_id = ? AND network_transaction = ?`;
const INSERT_TRANSACTION = `INSERT INTO transactions (network_id, network_transaction, reference, order_id, account_id, amount, currency,
  commerce, description, teller) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const LOCK_TRANSACTION = `SELECT t.id, t.state, t.order_id, t.account_id, t.amount, t.currency, t.window_ends_at > UTC_TIMESTAMP(6) AS open,
  o.state AS order_state, o.amount AS due, o.held_by, o.held_until > UTC_TIMESTAMP(6) AS held, o.due_at <= UTC_TIMESTAMP(6) AS expired
  FROM transactions t LEFT JOIN orders o ON o.id = t.order_id WHERE t.network_id = ? AND t.network_transaction = ? FOR UPDATE`;

class Service {
  constructor(pool, networks) {
    this.pool = pool;
    this.networks = networks;
  }

  authenticate(name, checksum, ...parts) {
    const network = this.networks.get(field(name, 40));
    matching(checksum, /^[0-9a-fA-F]{128}$/, '0025');
    const wanted = createHash('sha512').update(parts.join('') + (network?.fixed_hash ?? '')).digest();
    if (!network || !timingSafeEqual(wanted, Buffer.from(checksum, 'hex'))) refuse('0025');
    return network;
  }

  async lookUp(reference, { name, checksum }) {
    matching(reference, REFERENCE);
    this.authenticate(name, checksum, name, reference);
    const payable = await this.resolve(reference);
    const account = payable.account ?? { document: '', document_type: '', name: '', lastname1: '', lastname2: '' };
    return reply(payable.amount, { LASTNAME1: account.lastname1, LASTNAME2: account.lastname2, DESCRIPTION: payable.description,
      DI: account.document, COMMERCE: payable.commerce, REFERENCE: reference, TYPEDI: account.document_type, NAME: account.name });
  }

  async resolve(reference) {
    const orders = await this.pool.execute(SELECT_ORDER, [reference]);
    if (orders.length > 0) return findPayable(orders);
    const [account] = await this.pool.execute(SELECT_ACCOUNT, [reference]);
    if (!account) refuse('0101');
    return { account, amount: '0.00', currency: account.currency, description: '', commerce: SERVICE_NAME };
  }

  async register(body) {
    const { name, reference, amount, transaction, commerce, teller, money, checksum } = body;
    matching(reference, REFERENCE);
    matching(amount, AMOUNT, '0021');
    field(transaction, 64, '0010');
    field(commerce, 100);
    field(teller, 64);
    matching(money, /^[A-Z]{3}$/, '0023');
    const network = this.authenticate(name, checksum, name, reference, amount, transaction);
    const payable = await this.resolve(reference).catch((error) => error);
    if (payable instanceof Error) {
      return await this.repeated(network, body) ?? Promise.reject(payable);
    }
    this.judge(payable, body);
    try {
      const description = payable.account ? payable.account.name : payable.description;
      const made = await this.pool.execute(INSERT_TRANSACTION, [network.id, transaction, reference, payable.account ? null : payable.id,
        payable.account?.id ?? null, amount, money, payable.commerce, description, teller]);
      return this.registered(body, payable.commerce, description, made.insertId);
    } catch (error) {
      if (error.code !== 'ER_DUP_ENTRY') throw error;
      return this.repeated(network, body);
    }
  }

  judge(payable, { amount, commerce, money }) {
    if (payable.commerce.toLowerCase() !== commerce.toLowerCase()) refuse('0111');
    if (payable.currency !== money) refuse('0023');
    const due = cents(payable.amount), paid = cents(amount);
    if (paid === 0n || (due !== 0n && due !== paid)) refuse('0021');
    if (payable.account && cents(payable.account.balance) + cents(payable.account.reserved) + paid > ROOM) refuse('0112');
  }

  // The reply that the same registration got before; null where there was none.
  async repeated(network, body) {
    const [row] = await this.pool.execute(SELECT_TRANSACTION, [network.id, body.transaction]);
    if (!row) return null;
    const same = row.reference === body.reference && cents(row.amount) === cents(body.amount) && row.currency === body.money &&
      row.teller === body.teller && row.commerce.toLowerCase() === body.commerce.toLowerCase();
    return same ? this.registered(body, row.commerce, row.description, row.id) : refuse('0016');
  }

  registered({ amount, reference, transaction }, commerce, description, id) {
    const printed = cents(amount).toString().padStart(3, '0').replace(/(..)$/, '.$1');
    return reply(printed, { DESCRIPTION: description, REFERENCE: reference, IDTRANSACTION: transaction, IDSERVICE: String(id),
      COMMERCE: commerce });
  }

  async decide({ name, transaction, confirm, checksum }) {
    field(transaction, 64, '0010');
    const wanted = matching(String(confirm), /^(?:true|false)$/) === 'true';
    const network = this.authenticate(name, checksum, name, transaction);
    const connection = await this.pool.getConnection();
    try {
      await connection.beginTransaction();
      const [row] = await connection.execute(LOCK_TRANSACTION, [network.id, transaction]);
      if (!row) refuse('0013');
      await (wanted ? this.confirm(connection, row) : this.cancel(connection, row));
      await connection.commit();
    } catch (error) {
      await connection.rollback();
      throw error;
    } finally {
      await connection.release();
    }
    return reply(null, { IDTRANSACTION: transaction, CONFIRM: wanted });
  }

  async confirm(connection, row) {
    if (row.state === 'cancelled') refuse('0014');
    if (row.state === 'confirmed') return;
    if (row.order_id !== null) {
      findPayable([{ ...row, state: row.order_state }]);
      if (cents(row.due) !== 0n && cents(row.due) !== cents(row.amount)) refuse('0021');
    }
    await connection.execute(`UPDATE transactions SET state = 'confirmed', confirmed_at = UTC_TIMESTAMP(6),
      window_ends_at = UTC_TIMESTAMP(6) + INTERVAL 30 SECOND WHERE id = ?`, [row.id]);
    const held = row.order_id !== null
      ? await connection.execute(`UPDATE orders SET held_by = ?, held_until = UTC_TIMESTAMP(6) + INTERVAL 30 SECOND
          WHERE id = ? AND state = 'pending' AND held_by IS NULL`, [row.id, row.order_id])
      : await connection.execute(`UPDATE accounts SET reserved = reserved + ? WHERE id = ? AND balance + reserved + ? <= 999999999999999`,
        [row.amount, row.account_id, row.amount]);
    if (held.affectedRows !== 1) refuse(row.order_id !== null ? '0106' : '0112');
  }

  async cancel(connection, row) {
    if (row.state === 'cancelled') return;
    if (row.state === 'confirmed' && !row.open) refuse('0015');
    await connection.execute(`UPDATE transactions SET state = 'cancelled' WHERE id = ?`, [row.id]);
    if (row.state === 'confirmed' && row.order_id !== null) {
      await connection.execute('UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = ?', [row.order_id]);
    } else if (row.state === 'confirmed') {
      await connection.execute('UPDATE accounts SET reserved = reserved - ? WHERE id = ?', [row.amount, row.account_id]);
    }
  }
}

async function serve() {
  const require = createRequire(`${NODE_MODULES}/`);
  const mariadb = require('mariadb');
  const app = require('fastify')({ bodyLimit: 16384 });
  const pool = mariadb.createPool({ socketPath: DATABASE_SOCKET, user: DATABASE, database: DATABASE,
    password: readFileSync(PASSWORD_FILE, 'utf8').trim(), connectionLimit: Math.ceil(CONNECTIONS / PROCESSES), timezone: 'Z' });
  const networks = await pool.query('SELECT id, name, fixed_hash FROM networks');
  const service = new Service(pool, new Map(networks.map((row) => [row.name, row])));
  const answer = (work) => async (request, response) => {
    response.type('application/json; charset=utf-8');
    try {
      return await work(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return JSON.stringify({ CODE: error.code, TEXT: error.message });
    }
  };
  app.get('/v1/orders/:reference', answer((request) => service.lookUp(request.params.reference, request.query)));
  app.post('/v1/transactions/', answer((request) => service.register(request.body)));
  app.patch('/v1/transactions/', answer((request) => service.decide(request.body)));
  await app.listen({ host: '127.0.0.1', port: Number(PORT) });
}

if (cluster.isPrimary) {
  for (let number = 0; number < PROCESSES; number++) cluster.fork();
  cluster.on('exit', () => process.exit(1));
} else {
  await serve();
}
