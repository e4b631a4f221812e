// Registers an order and pays it, with the types of openapi-typescript and its client openapi-fetch.
import createClient from 'openapi-fetch';
import type { paths } from './openapi_typescript.js';
import { base, confirmation, consultation, granted, lookup, porder, registration } from './payment.js';

const client = createClient<paths>({ baseUrl: base });

const registered = granted((await client.POST('/v1/porders', { body: porder })).data);
const { reference, ...query } = lookup(registered.Referencia);
const found = granted((await client.GET('/v1/orders/{reference}', { params: { path: { reference }, query } })).data);
const payment = granted((await client.POST('/v1/transactions', { body: registration(reference, found.COMMERCE) })).data);
const confirmed = granted((await client.PATCH('/v1/transactions', { body: confirmation })).data);
const { order, ...proof } = consultation;
const consulted = granted((await client.GET('/v1/porders/{order}', { params: { path: { order }, query: proof } })).data);
console.log(JSON.stringify({
  amount: found.AMOUNT, service: payment.IDSERVICE, confirmed: confirmed.CONFIRM, state: consulted.STATE,
}));
