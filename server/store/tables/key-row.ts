// Converts a row of the API key table to a record.
import type { Row } from './session.ts';
import { integerOf, integerOrNull, jsonOf, textOf } from './row.ts';
import type { KeyRecord } from '../store.ts';

export const keyOf = (row: Row): KeyRecord => ({
  id: textOf(row, 'id'),
  org: textOf(row, 'org'),
  plan: textOf(row, 'plan') as KeyRecord['plan'],
  scopes: jsonOf(row, 'scopes'),
  hash: textOf(row, 'hash'),
  prefix: textOf(row, 'prefix'),
  limits: jsonOf(row, 'limits'),
  created_ms: integerOf(row, 'created_ms'),
  expires_ms: integerOrNull(row, 'expires_ms'),
  revoked_ms: integerOrNull(row, 'revoked_ms'),
});
