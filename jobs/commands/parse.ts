// Converts the flags of a command to times, versions and policy changes. `platform/command-line` has already checked the names of commands and flags.

import { nearestName } from '../../platform/base/nearest-name.ts';
import { isUlid } from '../../platform/base/ulid.ts';
import type { ParsedCommand } from '../../platform/command-line/define-program.ts';
import type { JOBS } from '../../platform/command-line/jobs-commands.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { parseDuration, parseInstant } from '../pipeline/run/plan.ts';
import type { FetchRequest } from './fetch.ts';
import type { PolicyChange } from './policy-changes.ts';
import type { SupersedeCommand } from './supersede.ts';

export type Command =
  | { readonly name: 'run'; readonly as_of: number | null }
  | { readonly name: 'schedule' | 'backtest' | 'rebuild' | 'verify' | 'lost+found adopt' | 'what-if' }
  | { readonly name: 'backfill'; readonly from: number; readonly to: number; readonly step_seconds: number }
  | { readonly name: 'retract'; readonly to: string | number }
  | ({ readonly name: 'reland' | 'drop' } & SupersedeCommand)
  | ({ readonly name: 'copy' } & CopyRequest)
  | {
      readonly name: 'status' | 'quarantine list' | 'lost+found list' | 'sources list';
      readonly json: boolean;
    }
  | { readonly name: 'sources check'; readonly source: string; readonly json: boolean }
  | ({ readonly name: 'fetch' } & FetchRequest)
  | { readonly name: 'tables'; readonly table: string | null; readonly json: boolean }
  | { readonly name: 'quarantine redrive'; readonly batch: string | null }
  | { readonly name: 'diff'; readonly versions: readonly string[] }
  | ({ readonly name: 'events' } & EventsRequest)
  | ({ readonly name: 'detect' } & DetectRequest);

/** Every command of the program except `export`, which the server runs. */
export type JobsCommand = Exclude<ParsedCommand<typeof JOBS>, { readonly name: 'export' }>;

type FlagsOf<Name extends JobsCommand['name']> = Extract<JobsCommand, { readonly name: Name }>['flags'];

/** Target buckets, as s3://bucket/prefix. */
export interface CopyRequest {
  readonly to_data: string;
  readonly to_snapshots: string;
}

/** Which part of the log to print; null matches everything. Times are Unix seconds, compared with the event's own time, `ts`. */
export interface EventsRequest {
  readonly type: string | null;
  readonly subject: string | null;
  readonly from: number | null;
  /** Exclusive. */
  readonly to: number | null;
  /** Envelopes as NDJSON, with the same bytes as replay. */
  readonly json: boolean;
}

/** Which events would have fired over (from, to] under a changed policy. */
export interface DetectRequest {
  readonly type: string;
  readonly changes: readonly PolicyChange[];
  readonly from: number;
  readonly to: number;
  readonly json: boolean;
}

/** @throws UsageError for a value that cannot be read. */
export function parseCommand(command: JobsCommand, nowSeconds: number): Command {
  const { name, operands } = command;
  switch (name) {
    case 'run':
      return { name, as_of: optionalInstant('as-of', command.flags['as-of']) };
    case 'backfill':
      return { name, ...interval(name, command.flags), step_seconds: duration(command.flags.step) };
    case 'reland':
    case 'drop':
      return { name, ...supersedeCommand(name, command.flags) };
    case 'copy':
      return { name, to_data: command.flags['to-data'], to_snapshots: command.flags['to-snapshots'] };
    case 'retract': {
      const { to } = command.flags;
      return { name, to: isUlid(to) ? to : instant('to', to) };
    }
    case 'status':
    case 'quarantine list':
    case 'lost+found list':
    case 'sources list':
      return { name, json: command.flags.json };
    case 'sources check':
      return { name, source: operands[0] ?? '', json: command.flags.json };
    case 'fetch':
      return { name, ...fetchRequest(command.flags, nowSeconds) };
    case 'tables':
      return { name, table: operands[0] ?? null, json: command.flags.json };
    case 'quarantine redrive':
      return { name, batch: command.flags.batch ?? null };
    case 'diff':
      return { name, versions: operands };
    case 'events':
      return { name, ...eventsRequest(command.flags) };
    case 'detect':
      return { name, ...detectRequest(command.flags) };
    default:
      return { name };
  }
}

function supersedeCommand(kind: 'reland' | 'drop', flags: FlagsOf<'reland'>): SupersedeCommand {
  const from = optionalInstant('from', flags.from);
  const to = optionalInstant('to', flags.to);
  if (from !== null && to !== null) checkOrder(kind, { from, to });
  return { kind, source: flags.source, range: { from, to }, isDryRun: flags['dry-run'] };
}

function fetchRequest({ watch, source, from, to }: FlagsOf<'fetch'>, now: number): FetchRequest {
  if (from === undefined && to !== undefined) throw new UsageError('fetch: --to needs --from.');
  if (from === undefined) return { sources: source, isWatching: watch, range: null };
  if (watch) throw new UsageError('fetch: a range is read once; omit --watch, or omit --from and --to.');
  const range = { from: instant('from', from), to: to === undefined ? now : instant('to', to) };
  checkOrder('fetch', range);
  if (range.to > now) throw new UsageError('fetch: --to is in the future.');
  return { sources: source, isWatching: false, range };
}

function detectRequest(flags: FlagsOf<'detect'>): DetectRequest {
  const { type, set, json } = flags;
  checkEventType('detect', type);
  return { type, changes: set.map(policyChange), ...interval('detect', flags), json };
}

function eventsRequest(flags: FlagsOf<'events'>): EventsRequest {
  const { type = null, subject = null, json } = flags;
  if (type !== null) checkEventType('events', type);
  const from = optionalInstant('from', flags.from);
  const to = optionalInstant('to', flags.to);
  if (from !== null && to !== null) checkOrder('events', { from, to });
  return { type, subject, from, to, json };
}

function interval(command: string, flags: { readonly from: string; readonly to: string }) {
  const span = { from: instant('from', flags.from), to: instant('to', flags.to) };
  checkOrder(command, span);
  return span;
}

function checkOrder(command: string, { from, to }: { readonly from: number; readonly to: number }): void {
  if (to <= from) throw new UsageError(`${command}: --to must be later than --from.`);
}

function checkEventType(command: string, type: string): void {
  if (EVENT_TYPES.includes(type)) return;
  const closest = nearestName(type, EVENT_TYPES);
  const hint = closest === null ? `one of ${EVENT_TYPES.join(', ')}` : `for example ${closest}`;
  throw new UsageError(`${command}: --type "${type}" is not an event type; give ${hint}.`);
}

function policyChange(text: string): PolicyChange {
  const [, name, value] = /^([a-z0-9_.]+)=([\s\S]+)$/i.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--set "${text}": write NAME=VALUE, for example anomaly.tvl_change=0.2.`);
  return { name, value };
}

const instant = (flag: string, text: string): number => read(flag, () => parseInstant(text));

const optionalInstant = (flag: string, text: string | undefined): number | null =>
  text === undefined ? null : instant(flag, text);

const duration = (text: string): number => read('step', () => parseDuration(text));

function read<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new UsageError(`--${flag}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
