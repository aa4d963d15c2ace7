// Turns the flags of a command into plans, scopes and times. The command line has already checked the names of commands and flags.

import { nearestName } from '../../platform/base/nearest-name.ts';
import type { ParsedCommand } from '../../platform/command-line/define-program.ts';
import { type KEYS, LIMIT_FLAGS } from '../../platform/command-line/keys-commands.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { PLANS, type Plan, type PlanName, SCOPES, type Scope } from '../../schemas/plans.ts';
import type { KeyRecord } from '../store/store.ts';
import { LOWEST_PLAN, scopesOf } from './issue.ts';

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

const ORG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_OVERLAP_MS = 7 * 86_400_000;

type KeysCommand = ParsedCommand<typeof KEYS>;
type FlagsOf<Name extends KeysCommand['name']> = Extract<KeysCommand, { readonly name: Name }>['flags'];

/** @throws UsageError for an unusable value. */
export function parseCommand(command: KeysCommand, nowMs: number): Command {
  const [id = ''] = command.operands;
  const { name } = command;
  switch (name) {
    case 'create':
      return { name, ...creation(command.flags, nowMs), json: command.flags.json };
    case 'list': {
      const { org, json } = command.flags;
      return { name, org: org === undefined ? undefined : orgOf(org), json };
    }
    case 'show':
    case 'revoke':
      return { name, id: idOf(name, id), json: command.flags.json };
    case 'rotate': {
      const { overlap, expires, json } = command.flags;
      const expires_ms = expires === undefined ? undefined : expiryOf(expires, nowMs);
      return { name, id: idOf(name, id), overlapMs: overlapOf(overlap), expires_ms, json };
    }
    case 'audit': {
      const { accept, verify, json } = command.flags;
      return { name, does: accept ? 'accept' : verify ? 'verify' : 'list', json };
    }
  }
}

function creation(flags: FlagsOf<'create'>, nowMs: number) {
  const { plan } = flags;
  return {
    org: orgOf(flags.org),
    plan,
    scopes: scopesFor(plan, flags.scopes),
    limits: limitsOf(plan, flags),
    expires_ms: expiryOf(flags.expires, nowMs),
  };
}

function scopesFor(plan: PlanName, text: string): readonly Scope[] {
  if (text === 'all') return scopesOf(plan);
  const named = text.split(',').map((part) => part.trim());
  for (const name of named) {
    if (!SCOPES.some((scope) => scope === name)) throw new UsageError(unknownScope(name));
    if (!scopesOf(plan).some((scope) => scope === name))
      throw new UsageError(
        `--scopes: ${name} requires the plan ${LOWEST_PLAN[name as Scope]} or a higher one.`,
      );
  }
  return SCOPES.filter((scope) => named.includes(scope));
}

function unknownScope(name: string): string {
  const near = nearestName(name, SCOPES);
  const known = near === null ? `Known are ${SCOPES.join(', ')}.` : `Did you mean ${near}?`;
  return `--scopes: there is no scope "${name}". ${known}`;
}

function orgOf(text: string): string {
  if (ORG.test(text)) return text;
  throw new UsageError(
    '--org: 1 to 64 letters, digits, dots, hyphens and underscores, a letter or digit first.',
  );
}

function idOf(name: string, text: string): string {
  if (text.startsWith('rk_')) throw new UsageError(`${name}: this is a key; its id starts with key_.`);
  return text;
}

function overlapOf(text: string): number {
  const ms = parseSpan(text);
  if (ms === undefined)
    throw new UsageError(`--overlap: "${text}" is not a duration such as 24h, 30m or 0s.`);
  if (ms > MAX_OVERLAP_MS) throw new UsageError('--overlap: must be at most 7d.');
  return ms;
}

/** Unix milliseconds; null for never. */
function expiryOf(expires: string, nowMs: number): number | null {
  if (expires === 'never') return null;
  const span = parseSpan(expires);
  const ms = span === undefined ? parseInstant(expires) : nowMs + span;
  if (ms === undefined)
    throw new UsageError(`--expires: "${expires}" is not a duration such as 90d, an instant or "never".`);
  if (ms <= nowMs) throw new UsageError(`--expires: ${new Date(ms).toISOString()} is in the past.`);
  return ms;
}

// Flags for contractual limits of keys of the plan custom, such as `--requests-per-minute 500`.

type Limit = Exclude<keyof Plan, 'rank'>;
type LimitFlag = keyof typeof LIMIT_FLAGS;

const LIMITS_OF_FLAGS = {
  'requests-per-minute': 'requests_per_minute',
  'replay-window-days': 'replay_window_days',
  'stream-connections': 'stream_connections',
  'webhook-subscriptions': 'webhook_subscriptions',
  'monte-carlo-runs-per-month': 'monte_carlo_runs_per_month',
  'simulator-runs-per-month': 'simulator_runs_per_month',
} as const satisfies Record<LimitFlag, Limit>;

const FLAGS = Object.keys(LIMIT_FLAGS) as LimitFlag[];

/** @throws UsageError if the plan has fixed limits, or a limit is out of range. */
function limitsOf(
  plan: PlanName,
  flags: Readonly<Record<LimitFlag, string | undefined>>,
): KeyRecord['limits'] {
  const given = FLAGS.flatMap((flag) => {
    const text = flags[flag];
    return text === undefined ? [] : [{ flag, text }];
  });
  if (given[0] !== undefined && plan !== 'custom')
    throw new UsageError(`--${given[0].flag}: only keys of the plan custom can have their own limits.`);
  return Object.fromEntries(given.map(({ flag, text }) => [LIMITS_OF_FLAGS[flag], numberOf(flag, text)]));
}

function numberOf(flag: LimitFlag, text: string): number {
  const min = flag === 'requests-per-minute' ? 1 : 0;
  const max = PLANS.custom[LIMITS_OF_FLAGS[flag]];
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${flag}: "${text}" is not an integer from ${min} to ${max}.`);
}

// Parses durations and instants from a command line.

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SPAN = /^(\d{1,6})([smhd])$/;
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
/** 9999-12-31, the last day with a four-digit year. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** `90d`, `24h`, `30m` or `10s` in milliseconds; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text) ?? [];
  return count === undefined || unit === undefined
    ? undefined
    : Number(count) * (UNIT_MS[unit] ?? Number.NaN);
}

/** `2026-01-31T09:00:00Z`, `2026-01-31` or Unix seconds, as Unix milliseconds; undefined for anything else. */
export function parseInstant(text: string): number | undefined {
  const ms = /^\d{9,12}$/.test(text)
    ? Number(text) * 1_000
    : INSTANT.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isFinite(ms) || ms > LATEST_MS) return undefined;
  // JavaScript reads 31 February as 3 March.
  const isSameDay = !text.includes('-') || new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isSameDay ? ms : undefined;
}
