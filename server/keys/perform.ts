// Performs the commands. A wrong id is a usage error, an unavailable store a failure.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { type OpsStore, StoreConflictError } from '../store/store.ts';
import { actorOf, createKey, type IssuedKey, type Issuer, isoOrNull, rotateKey } from './issue.ts';
import type { Command } from './parse.ts';
import { entryText, issuedText, listText, showText, viewOf } from './report.ts';

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
