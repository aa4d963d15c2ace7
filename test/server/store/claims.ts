// A claim of an idempotency key, its response, and both together.
import type { StoredResponse } from '../../../server/store/store.ts';
import { NOW_MS } from './store-fixture.ts';

export const RESPONSE: StoredResponse = {
  status: 201,
  headers: ['Content-Type', 'application/json'],
  body: Buffer.from('{"secret":"whsec_ü"}'),
};
export const claim = { org: 'acme', key: 'k-1', fingerprint: 'f', nowMs: NOW_MS };
export const done = { org: 'acme', key: 'k-1', response: RESPONSE, nowMs: NOW_MS };
