// Reads the command and its flags. What is wrong is said in one line, with the usage below it.
import { parseArgs } from 'node:util';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { nearestName } from '../../schemas/nearest-name.ts';
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import { isUlid } from '../../snapshots/ulid.ts';
import { parseDuration, parseInstant } from '../pipeline/run/plan.ts';
import type { PolicyChange } from './policy-changes.ts';

export type Command =
  | { readonly name: 'run'; readonly as_of: number | null }
  | { readonly name: 'schedule' }
  | { readonly name: 'backfill'; readonly from: number; readonly to: number; readonly step_seconds: number }
  | { readonly name: 'rebuild' }
  | { readonly name: 'retract'; readonly to: string | number }
  | { readonly name: 'status'; readonly json: boolean }
  | { readonly name: 'quarantine list'; readonly json: boolean }
  | { readonly name: 'quarantine redrive'; readonly batch: string | null }
  | { readonly name: 'lost+found list'; readonly json: boolean }
  | { readonly name: 'lost+found adopt' }
  | { readonly name: 'verify' }
  | { readonly name: 'diff'; readonly versions: readonly string[] }
  | ({ readonly name: 'events' } & EventsRequest)
  | { readonly name: 'export'; readonly out: string; readonly plan: PlanName | null }
  | ({ readonly name: 'detect' } & DetectRequest);

/** What is printed of the log; null matches everything. Times are Unix seconds, compared with the event's own time, `ts`. */
export interface EventsRequest {
  readonly type: string | null;
  readonly subject: string | null;
  readonly from: number | null;
  /** Exclusive. */
  readonly to: number | null;
  /** Envelopes as NDJSON, the bytes that replay has. */
  readonly json: boolean;
}

/** What would have fired over (from, to] if the policy were another. */
export interface DetectRequest {
  readonly type: string;
  readonly changes: readonly PolicyChange[];
  readonly from: number;
  readonly to: number;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run jobs -- <command>

  run [--as-of INSTANT]                       land, compute, publish and append events up to now (or to INSTANT)
  schedule                                    catch up, then run at every tick until stopped
  backfill --from INSTANT --to INSTANT [--step 1d]
                                              walk logical time and append what would have been detected then
  rebuild                                     make the warehouse again from landing alone
  retract --to VERSION                        take back what was published after VERSION (or after an INSTANT); the event log stays
  status [--json]                             last runs, what is published, how fresh it is
  quarantine list [--json]                    refused rows, with the reason and the place
  quarantine redrive [--batch ID]             check refused rows again and land the good ones
  lost+found list [--json]                    files of landing that were set aside, because no receipt names them
  lost+found adopt                            take them back: with their receipts, or with new ones
  verify                                      check every published, landed and quarantined file against its hash
  diff [VERSION [VERSION]]                    what changed between two versions (default: the last two)
  detect --type TYPE --from INSTANT --to INSTANT [--set NAME=VALUE …] [--json]
                                              what would have fired under another policy; changes nothing
  events [--type TYPE] [--subject ID] [--from INSTANT] [--to INSTANT] [--json]
                                              print the event log, or a part of it, by the time of the events
  export --out DIR [--plan PLAN]              write what is open of the newest version, or what PLAN may read, as files that any web
                                              server can serve

INSTANT is 2026-01-31T09:00:00Z, 2026-01-31 or Unix seconds. Settings are flags too: --data-dir, --profile, --config …
Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 3 skipped (another instance runs), 4 done in part.
`;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  'as-of': { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  step: { type: 'string' },
  batch: { type: 'string' },
  out: { type: 'string' },
  plan: { type: 'string' },
  json: { type: 'boolean' },
  type: { type: 'string' },
  subject: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const;

type Flags = { readonly [name in Exclude<keyof typeof OPTIONS, 'json' | 'set'>]?: string } & {
  readonly json?: boolean;
  readonly set?: readonly string[];
};

const ALLOWED: { readonly [command: string]: readonly (keyof typeof OPTIONS)[] } = {
  run: ['as-of'],
  schedule: [],
  backfill: ['from', 'to', 'step'],
  rebuild: [],
  retract: ['to'],
  status: ['json'],
  'quarantine list': ['json'],
  'quarantine redrive': ['batch'],
  'lost+found list': ['json'],
  'lost+found adopt': [],
  verify: [],
  diff: [],
  events: ['type', 'subject', 'from', 'to', 'json'],
  export: ['out', 'plan'],
  detect: ['type', 'set', 'from', 'to', 'json'],
};

/** Commands that are two words. */
const PAIRS: ReadonlySet<string> = new Set(['quarantine', 'lost+found']);

/** `args` are the positional arguments and command flags. @throws UsageError */
export function parseCommand(args: readonly string[]): Command {
  const { values: flags, positionals } = readFlags(args);
  const [first = '', second = ''] = positionals;
  const isPair = PAIRS.has(first);
  const name = isPair ? `${first} ${second}` : first;
  const allowed = ALLOWED[name];
  if (allowed === undefined)
    throw new UsageError(first === '' ? 'Which command?' : `There is no command "${name.trim()}".`);
  for (const flag of Object.keys(flags)) {
    if (!allowed.some((known) => known === flag)) throw new UsageError(`${name} takes no --${flag}.`);
  }
  const words = positionals.slice(isPair ? 2 : 1);
  if (words.length > (name === 'diff' ? 2 : 0))
    throw new UsageError(`${name}: "${words.at(-1)}" is one word too many.`);
  return build(name, flags, words);
}

function readFlags(args: readonly string[]): {
  readonly values: Flags;
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function build(name: string, flags: Flags, words: readonly string[]): Command {
  switch (name) {
    case 'run':
      return { name, as_of: flags['as-of'] === undefined ? null : instant('as-of', flags['as-of']) };
    case 'backfill': {
      const [from, to] = [instant('from', flags.from), instant('to', flags.to)];
      if (to <= from) throw new UsageError('backfill: --to must be later than --from.');
      return { name, from, to, step_seconds: duration(flags.step ?? '1d') };
    }
    case 'retract':
      return { name, to: isUlid(flags.to ?? '') ? (flags.to ?? '') : instant('to', flags.to) };
    case 'status':
    case 'quarantine list':
    case 'lost+found list':
      return { name, json: flags.json ?? false };
    case 'quarantine redrive':
      return { name, batch: flags.batch ?? null };
    case 'export':
      if (!flags.out) throw new UsageError('export: --out says which folder to write.');
      return { name, out: flags.out, plan: flags.plan === undefined ? null : planOf(flags.plan) };
    case 'diff':
      return { name, versions: words };
    case 'events':
      return { name, ...eventsRequest(flags) };
    case 'detect':
      return { name, ...detectRequest(flags) };
    default:
      return { name: name as 'schedule' | 'rebuild' | 'verify' | 'lost+found adopt' };
  }
}

function planOf(name: string): PlanName {
  const names = Object.keys(PLANS) as PlanName[];
  const plan = names.find((known) => known === name);
  if (plan === undefined) throw new UsageError(`export: --plan "${name}" is not one of ${names.join(', ')}.`);
  return plan;
}

function detectRequest(flags: Flags): DetectRequest {
  const { type = '', set = [], json = false } = flags;
  checkEventType('detect', type);
  const [from, to] = [instant('from', flags.from), instant('to', flags.to)];
  if (to <= from) throw new UsageError('detect: --to must be later than --from.');
  return { type, changes: set.map(policyChange), from, to, json };
}

function eventsRequest(flags: Flags): EventsRequest {
  const { type = null, subject = null, json = false } = flags;
  if (type !== null) checkEventType('events', type);
  const from = flags.from === undefined ? null : instant('from', flags.from);
  const to = flags.to === undefined ? null : instant('to', flags.to);
  if (from !== null && to !== null && to <= from)
    throw new UsageError('events: --to must be later than --from.');
  return { type, subject, from, to, json };
}

function checkEventType(command: string, type: string): void {
  if (EVENT_TYPES.includes(type)) return;
  const closest = nearestName(type, EVENT_TYPES);
  const hint = closest === null ? `one of ${EVENT_TYPES.join(', ')}` : `for example ${closest}`;
  throw new UsageError(`${command}: --type "${type}" is no event type; give ${hint}.`);
}

function policyChange(text: string): PolicyChange {
  const [, name, value] = /^([a-z0-9_.]+)=([\s\S]+)$/i.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--set "${text}": write NAME=VALUE, for example anomaly.tvl_change=0.2.`);
  return { name, value };
}

function instant(flag: string, text: string | undefined): number {
  if (text === undefined) throw new UsageError(`--${flag} is missing.`);
  return usage(flag, () => parseInstant(text));
}

const duration = (text: string) => usage('step', () => parseDuration(text));

function usage<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(`--${flag}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
