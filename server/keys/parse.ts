// Reads the command and its flags. What is wrong is said in one line, with the usage below it.
import { parseArgs } from 'node:util';
import { nearestName } from '../../schemas/nearest-name.ts';
import { PLANS, type PlanName, SCOPES, type Scope } from '../../schemas/plans.ts';
import type { KeyRecord } from '../store/store.ts';
import { LIMIT_FLAGS, type LimitFlag, limitsOf } from './limit-flags.ts';
import { parseInstant, parseSpan } from './parse-time.ts';
import { LOWEST_PLAN, scopesOf } from './plan-scopes.ts';
import { UsageError } from './usage.ts';

export type Command =
  | {
      readonly name: 'create';
      readonly org: string;
      readonly plan: PlanName;
      readonly scopes: readonly Scope[];
      readonly limits: KeyRecord['limits'];
      readonly expires_ms: number | null;
      readonly json: boolean;
    }
  | { readonly name: 'list'; readonly org: string | undefined; readonly json: boolean }
  | { readonly name: 'show' | 'revoke'; readonly id: string; readonly json: boolean }
  | {
      readonly name: 'rotate';
      readonly id: string;
      readonly overlapMs: number;
      readonly expires_ms: number | null | undefined;
      readonly json: boolean;
    }
  | { readonly name: 'audit'; readonly does: 'list' | 'verify' | 'accept'; readonly json: boolean };

const TEXT_FLAGS = ['org', 'plan', 'scopes', 'expires', 'overlap', ...LIMIT_FLAGS] as const;
const SWITCHES = ['json', 'verify', 'accept'] as const;
type TextFlag = (typeof TEXT_FLAGS)[number];
type Flags = Partial<Record<TextFlag, string>> & Partial<Record<(typeof SWITCHES)[number], boolean>>;

/** Flags that are no settings. */
export const KEY_FLAGS: readonly string[] = [...TEXT_FLAGS, ...SWITCHES];

const ALLOWED: Readonly<Record<string, readonly (TextFlag | (typeof SWITCHES)[number])[]>> = {
  create: ['org', 'plan', 'scopes', 'expires', ...LIMIT_FLAGS],
  list: ['org'],
  show: [],
  rotate: ['overlap', 'expires'],
  revoke: [],
  audit: ['verify', 'accept'],
};
const WITH_ID = ['show', 'rotate', 'revoke'];
const ORG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DEFAULT_OVERLAP = '24h';
const LONGEST_OVERLAP_MS = 7 * 86_400_000;

/** `args` are the positional arguments and command flags. @throws UsageError */
export function parseCommand(args: readonly string[], nowMs: number): Command {
  const { values: flags, positionals } = readFlags(args);
  const [name = '', id, ...others] = positionals;
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (allowed === undefined)
    throw new UsageError(name === '' ? 'Which command?' : `There is no command "${name}".`);
  for (const flag of Object.keys(flags)) {
    if (flag !== 'json' && !allowed.some((known) => known === flag))
      throw new UsageError(`${name} takes no --${flag}.`);
  }
  const extra = WITH_ID.includes(name) ? others[0] : id;
  if (extra !== undefined) throw new UsageError(`${name}: "${extra}" is one word too many.`);
  return build(name as Command['name'], id, { flags, nowMs });
}

interface Given {
  readonly flags: Flags;
  readonly nowMs: number;
}

function build(name: Command['name'], id: string | undefined, given: Given): Command {
  const { json = false, verify = false, accept = false, org, overlap = DEFAULT_OVERLAP } = given.flags;
  switch (name) {
    case 'create':
      return { ...creation(given), json };
    case 'list':
      return { name, org: org === undefined ? undefined : orgOf(org), json };
    case 'show':
    case 'revoke':
      return { name, id: idOf(name, id), json };
    case 'rotate':
      return { name, id: idOf(name, id), overlapMs: overlapOf(overlap), expires_ms: expiryOf(given), json };
    case 'audit':
      return { name, does: accept ? 'accept' : verify ? 'verify' : 'list', json };
  }
}

function creation({ flags, nowMs }: Given) {
  const { org, plan: planName } = flags;
  if (org === undefined) throw new UsageError('create: --org says whose key it is.');
  if (planName === undefined)
    throw new UsageError(`create: --plan is one of ${Object.keys(PLANS).join(', ')}.`);
  const plan = planOf(planName);
  return {
    name: 'create',
    org: orgOf(org),
    plan,
    scopes: scopesFor(plan, flags.scopes ?? 'all'),
    limits: limitsOf(plan, flags as Partial<Record<LimitFlag, string>>),
    expires_ms: expiryOf({ flags, nowMs }) ?? null,
  } as const;
}

function readFlags(args: readonly string[]): { values: Flags; positionals: readonly string[] } {
  const options = Object.fromEntries([
    ...TEXT_FLAGS.map((flag) => [flag, { type: 'string' as const }]),
    ...SWITCHES.map((flag) => [flag, { type: 'boolean' as const }]),
  ]);
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function planOf(text: string): PlanName {
  if (Object.hasOwn(PLANS, text)) return text as PlanName;
  throw new UsageError(`--plan: "${text}" is none of ${Object.keys(PLANS).join(', ')}.`);
}

function scopesFor(plan: PlanName, text: string): readonly Scope[] {
  if (text === 'all') return scopesOf(plan);
  const named = text.split(',').map((part) => part.trim());
  for (const name of named) {
    if (!SCOPES.some((scope) => scope === name)) throw new UsageError(unknownScope(name));
    if (!scopesOf(plan).some((scope) => scope === name))
      throw new UsageError(`--scopes: ${name} needs the plan ${LOWEST_PLAN[name as Scope]} or a higher one.`);
  }
  return SCOPES.filter((scope) => named.includes(scope));
}

function unknownScope(name: string): string {
  const near = nearestName(name, SCOPES);
  const known = near === null ? `known are ${SCOPES.join(', ')}` : `did you mean ${near}?`;
  return `--scopes: there is no scope "${name}"; ${known}`;
}

function orgOf(text: string): string {
  if (ORG.test(text)) return text;
  throw new UsageError(
    '--org: 1 to 64 letters, digits, dots, hyphens and underscores, a letter or digit first.',
  );
}

function idOf(name: string, text: string | undefined): string {
  if (text === undefined) throw new UsageError(`${name}: which key? Its id, as \`list\` shows it.`);
  if (text.startsWith('rk_')) throw new UsageError(`${name}: that is a key; its id begins with key_.`);
  return text;
}

function overlapOf(text: string): number {
  const ms = parseSpan(text);
  if (ms === undefined) throw new UsageError(`--overlap: "${text}" is not a time such as 24h, 30m or 0s.`);
  if (ms > LONGEST_OVERLAP_MS) throw new UsageError('--overlap: 7d at most.');
  return ms;
}

/** Undefined: nothing was said. Null: never. */
function expiryOf({ flags, nowMs }: Given): number | null | undefined {
  const { expires } = flags;
  if (expires === undefined) return undefined;
  if (expires === 'never') return null;
  const span = parseSpan(expires);
  const ms = span === undefined ? parseInstant(expires) : nowMs + span;
  if (ms === undefined)
    throw new UsageError(`--expires: "${expires}" is neither a span such as 90d, an instant, nor "never".`);
  if (ms <= nowMs) throw new UsageError(`--expires: ${new Date(ms).toISOString()} is past.`);
  return ms;
}
