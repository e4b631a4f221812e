// Registers an order and pays it, with the client that oazapfts generates.
import * as api from './oazapfts.js';
import { base, confirmation, consultation, granted, lookup, porder, registration } from './payment.js';

api.defaults.baseUrl = base;

const registered = granted((await api.registerOrder(porder)).data);
const { reference, name, checksum } = lookup(registered.Referencia);
const found = granted((await api.lookUp(reference, name, checksum)).data);
const payment = granted((await api.register(registration(reference, found.COMMERCE))).data);
const confirmed = granted((await api.confirm(confirmation)).data);
const { order, merchant, checksum: proof } = consultation;
const consulted = granted((await api.consultOrder(order, merchant, proof)).data);
console.log(JSON.stringify({
  amount: found.AMOUNT, service: payment.IDSERVICE, confirmed: confirmed.CONFIRM, state: consulted.STATE,
}));
