// Performs the commands. A wrong id is a usage error, an unavailable store a failure.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { type AuditEntry, type KeyRecord, type OpsStore, StoreConflictError } from '../store/store.ts';
import { actorOf, createKey, type IssuedKey, type Issuer, isoOrNull, rotateKey } from './issue.ts';
import type { Command } from './parse.ts';

export interface Effects {
  readonly store: OpsStore;
  readonly issuer: Issuer;
  readonly print: (line: string) => void;
  /** Resolves once running servers have seen a change. */
  readonly spread: () => Promise<void>;
}

type Of<Name extends Command['name']> = Extract<Command, { readonly name: Name }>;

const AUDIT_PAGE = 500;

/** Returns the exit code. @throws UsageError, StoreUnavailableError */
export async function perform(command: Command, effects: Effects): Promise<0 | 1> {
  try {
    return await dispatch(command, effects);
  } catch (error) {
    if (error instanceof StoreConflictError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function dispatch(command: Command, effects: Effects): Promise<0 | 1> {
  switch (command.name) {
    case 'create':
      return create(command, effects);
    case 'list':
      return list(command, effects);
    case 'show':
      return show(command, effects);
    case 'rotate':
      return rotate(command, effects);
    case 'revoke':
      return revoke(command, effects);
    case 'audit':
      return command.does === 'list' ? audit(command, effects) : verify(command, effects);
  }
}

async function create(command: Of<'create'>, effects: Effects): Promise<0> {
  printIssued(await createKey(effects.issuer, command), command.json, effects);
  await effects.spread();
  return 0;
}

async function rotate(command: Of<'rotate'>, effects: Effects): Promise<0> {
  const { issued, oldEndsMs } = await rotateKey(effects.issuer, command);
  printIssued(issued, command.json, effects);
  if (!command.json) effects.print(`The key ${command.id} stays valid until ${isoOrNull(oldEndsMs)}.`);
  await effects.spread();
  return 0;
}

function printIssued(issued: IssuedKey, json: boolean, { print }: Effects): void {
  for (const line of json ? [JSON.stringify(issued)] : issuedText(issued)) print(line);
}

async function list({ org, json }: Of<'list'>, { store, issuer, print }: Effects): Promise<0> {
  const keys = await store.keys.list(org);
  const nowMs = issuer.nowMs();
  const lines = json ? [JSON.stringify(keys.map((key) => viewOf(key, nowMs)))] : listText(keys, nowMs);
  for (const line of lines) print(line);
  return 0;
}

async function show({ id, json }: Of<'show' | 'revoke'>, { store, issuer, print }: Effects): Promise<0> {
  const key = await store.keys.get(id);
  if (key === undefined) throw new UsageError(`There is no key ${id}.`);
  const nowMs = issuer.nowMs();
  for (const line of json ? [JSON.stringify(viewOf(key, nowMs))] : showText(key, nowMs)) print(line);
  return 0;
}

async function revoke({ id, json }: Of<'show' | 'revoke'>, effects: Effects): Promise<0> {
  const { store, issuer, print } = effects;
  const isNew = await store.keys.revoke(id, actorOf(issuer));
  const message = isNew ? `The key ${id} is revoked.` : `The key ${id} was already revoked.`;
  print(json ? JSON.stringify({ id, revoked: true, was_revoked: !isNew }) : message);
  await effects.spread();
  return 0;
}

async function audit({ json }: Of<'audit'>, { store, print }: Effects): Promise<0> {
  for (let after = 0; ; ) {
    const entries = await store.audit.list(after, AUDIT_PAGE);
    for (const entry of entries) print(json ? JSON.stringify(entry) : entryText(entry));
    after = entries.at(-1)?.seq ?? after;
    if (entries.length < AUDIT_PAGE) return 0;
  }
}

/** Checks the log itself and that the keys match it. */
async function verify({ does, json }: Of<'audit'>, { store, print }: Effects): Promise<0 | 1> {
  const broken = (await store.audit.verify()) ?? null;
  const keys = await store.keys.unlogged();
  const isWhole = broken === null;
  const lines = [
    ...(does === 'accept' ? ['The store is accepted in its present state; the audit log records this.'] : []),
    isWhole ? 'The audit log is intact.' : `The audit log is damaged from entry ${broken} on.`,
    ...keys.map((id) => `The key ${id} differs from the audit log and is not accepted: revoke it.`),
  ];
  const facts = { is_whole: isWhole, first_broken_seq: broken, keys_not_as_logged: keys };
  for (const line of json ? [JSON.stringify(facts)] : lines) print(line);
  return isWhole && keys.length === 0 ? 0 : 1;
}

/** A key as operators may see it, without its secret. */
function viewOf(key: KeyRecord, nowMs: number) {
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

const issuedText = ({ key, id, org, plan, scopes, expires_at }: IssuedKey): string[] => [
  `Key ${id} of ${org}, plan ${plan}, ${expires_at === null ? 'does not expire' : `expires ${expires_at}`}:`,
  '',
  `  ${key}`,
  '',
  `It is shown only once. Scopes: ${scopes.join(' ')}`,
];

const COLUMNS = ['id', 'org', 'plan', 'state', 'prefix', 'created_at', 'expires_at'] as const;

function listText(keys: readonly KeyRecord[], nowMs: number): string[] {
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

function showText(key: KeyRecord, nowMs: number): string[] {
  const view = viewOf(key, nowMs);
  return Object.entries(view).map(([name, value]) => `${name.padEnd(11)} ${wordOf(value)}`);
}

function wordOf(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const entryText = ({ seq, at_ms, who, action, subject, request_id, details }: AuditEntry): string =>
  [seq, isoOrNull(at_ms), who, action, subject, request_id ?? '-', JSON.stringify(details)].join('  ');
