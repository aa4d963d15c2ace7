// A claim of an idempotency key, its answer, and both together.
import type { StoredResponse } from '../../../server/store/store.ts';
import { NOW_MS } from './store-fixture.ts';

export const ANSWER: StoredResponse = {
  status: 201,
  headers: ['Content-Type', 'application/json'],
  body: Buffer.from('{"secret":"whsec_ü"}'),
};
export const claim = { org: 'acme', key: 'k-1', fingerprint: 'f', nowMs: NOW_MS };
export const done = { org: 'acme', key: 'k-1', answer: ANSWER, nowMs: NOW_MS };
