// Keys and log entries as printed, as text or as JSON.
import type { AuditEntry, KeyRecord } from '../store/store.ts';
import { type IssuedKey, isoOrNull } from './issue.ts';

/** A key as operators may see it, without its secret. */
export function viewOf(key: KeyRecord, nowMs: number) {
  const { id, org, plan, scopes, limits, prefix, created_ms, expires_ms, revoked_ms } = key;
  return {
    id,
    org,
    plan,
    state: stateOf(key, nowMs),
    scopes,
    limits,
    prefix,
    created_at: isoOrNull(created_ms),
    expires_at: isoOrNull(expires_ms),
    revoked_at: isoOrNull(revoked_ms),
  };
}

function stateOf({ revoked_ms, expires_ms }: KeyRecord, nowMs: number): 'active' | 'revoked' | 'expired' {
  if (revoked_ms !== null) return 'revoked';
  return expires_ms !== null && expires_ms <= nowMs ? 'expired' : 'active';
}

export const issuedText = ({ key, id, org, plan, scopes, expires_at }: IssuedKey): string[] => [
  `Key ${id} of ${org}, plan ${plan}, ${expires_at === null ? 'does not expire' : `expires ${expires_at}`}:`,
  '',
  `  ${key}`,
  '',
  `It is shown only once. Scopes: ${scopes.join(' ')}`,
];

const COLUMNS = ['id', 'org', 'plan', 'state', 'prefix', 'created_at', 'expires_at'] as const;

export function listText(keys: readonly KeyRecord[], nowMs: number): string[] {
  if (keys.length === 0)
    return ['There are no keys. Create one with the command `create --org ORG --plan PLAN` of the keys.'];
  const rows = keys.map((key) => viewOf(key, nowMs));
  const cells = [[...COLUMNS], ...rows.map((row) => COLUMNS.map((column) => row[column] ?? 'never'))];
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function showText(key: KeyRecord, nowMs: number): string[] {
  const view = viewOf(key, nowMs);
  return Object.entries(view).map(([name, value]) => `${name.padEnd(11)} ${wordOf(value)}`);
}

function wordOf(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const entryText = ({ seq, at_ms, who, action, subject, request_id, details }: AuditEntry): string =>
  [seq, isoOrNull(at_ms), who, action, subject, request_id ?? '-', JSON.stringify(details)].join('  ');
