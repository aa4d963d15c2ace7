// Guards: whether what was received is credible. A reading that is not waits as suspect until a second one agrees; the last good one stays
// in use.
import { gunzipSync } from 'node:zlib';
import { isMissing } from '../../../../platform/storage/disk.ts';
import { NetFault } from '../http/net-fault.ts';
import { recordsOf } from '../http/records-of.ts';
import { valueAt } from '../http/value-at.ts';
import type { GuardRules, LiveMappingOf, LiveSource } from './live-source.ts';
import { MAX_AHEAD_S, type Recording } from './recording.ts';
import { bodyPath, type RecordingFolder } from './recording-store.ts';

/** Largest plausible difference between the clocks of two machines, seconds. */
const CLOCK_TOLERANCE_S = 300;
const SHAPE_SAMPLE = 50;
const SHAPE_DEPTH = 3;
/** Minimum number of records from which a drop in counts is judged. */
const SMALL_COUNT = 4;
/** Two readings closer together than this may share one cause. */
const MIN_DISTANCE_S = 600;
/** The same for zeros: a source can report 0 for hours while it is broken. */
const ZEROS_DISTANCE_S = 86_400;

export interface ReceivedRecords {
  readonly records: readonly unknown[];
  readonly sha256: string;
  /** By the server's `Date` header, Unix seconds; null without one. */
  readonly server_time: number | null;
  readonly fetched_at: number;
  readonly as_of: number;
  readonly newest: string | null;
  readonly is_windowed: boolean;
  /** What readers found unusable, in words. */
  readonly doubts?: readonly string[];
}

export interface Doubt {
  readonly message: string;
  /** How much later a reading must agree for both to be accepted, seconds; null if no agreement makes the reading usable. */
  readonly confirmed_after_s: number | null;
}

const passing = (message: string): Doubt => ({ message, confirmed_after_s: MIN_DISTANCE_S });
const unusable = (message: string): Doubt => ({ message, confirmed_after_s: null });

/** Why the reading is suspect; empty when it is credible. `earlier` are recordings of the partition, oldest first. */
export function doubtsAbout(
  received: ReceivedRecords,
  rules: GuardRules,
  earlier: readonly Recording[],
): readonly Doubt[] {
  return [
    ...countDoubts(received, rules, earlier),
    ...fallDoubts(received, rules, earlier),
    ...fieldDoubts(received, rules),
    ...sameDoubts(received, rules, earlier),
    ...clockDoubts(received),
    ...(received.doubts ?? []).map(unusable),
  ];
}

const lastAccepted = (earlier: readonly Recording[]) =>
  earlier.findLast(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged');

/** Counts of windows are not compared, because windows differ in length. */
function countDoubts(
  { records, is_windowed }: ReceivedRecords,
  { min_records, min_share }: GuardRules,
  earlier: readonly Recording[],
): Doubt[] {
  if (records.length < min_records)
    return [unusable(`${records.length} records, where ${min_records} or more are expected`)];
  if (is_windowed) return [];
  const before = lastAccepted(earlier)?.records ?? 0;
  if (before < SMALL_COUNT || records.length >= before * min_share) return [];
  return [passing(`${records.length} records, ${before} before`)];
}

/** A list can keep its length and still lose the fields that it is read for. */
function fallDoubts(
  { records, is_windowed }: ReceivedRecords,
  rules: GuardRules,
  earlier: readonly Recording[],
): Doubt[] {
  const before = lastAccepted(earlier)?.counts ?? {};
  if (is_windowed) return [];
  return Object.entries(countsOf(records, rules)).flatMap(([path, count]) => {
    const had = before[path] ?? 0;
    if (had < SMALL_COUNT || count >= had * rules.min_share) return [];
    return [passing(`"${path}" is in ${count} records, in ${had} before`)];
  });
}

/** How many records have each of the fields that are counted. */
export const countsOf = (
  records: readonly unknown[],
  { counted }: GuardRules,
): { readonly [path: string]: number } =>
  Object.fromEntries(
    counted.map((path) => [path, records.filter((record) => !isEmpty(valueAt(record, path))).length]),
  );

function fieldDoubts({ records }: ReceivedRecords, { present, max_zero_share }: GuardRules): Doubt[] {
  if (records.length === 0) return [];
  const share = (holds: (record: unknown) => boolean) => records.filter(holds).length / records.length;
  const missing = present.filter((path) => share((record) => !isEmpty(valueAt(record, path))) < 0.5);
  const zeros = Object.entries(max_zero_share).filter(
    ([path, max]) => share((record) => isZero(valueAt(record, path))) > max,
  );
  return [
    ...missing.map((path) => unusable(`"${path}" is missing in half of the records or more`)),
    ...zeros.map(([path, max]) => ({
      message: `"${path}" is 0 in more than ${max * 100}% of the records`,
      confirmed_after_s: ZEROS_DISTANCE_S,
    })),
  ];
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';
const isZero = (value: unknown) => !isEmpty(value) && typeof value !== 'object' && Number(value) === 0;

/** A source whose bytes keep changing while its newest record stays the same has stopped. */
function sameDoubts(
  { newest, sha256 }: ReceivedRecords,
  { max_same }: GuardRules,
  earlier: readonly Recording[],
): Doubt[] {
  if (max_same === null || newest === null) return [];
  const accepted = earlier.filter(({ outcome }) => outcome === 'accepted').slice(-max_same);
  const isSame = accepted.every((one) => one.newest === newest && one.sha256 !== sha256);
  return accepted.length === max_same && isSame
    ? [passing(`the newest record has been the same for ${max_same} readings`)]
    : [];
}

function clockDoubts({ server_time, fetched_at }: ReceivedRecords): Doubt[] {
  if (server_time === null || Math.abs(server_time - fetched_at) <= CLOCK_TOLERANCE_S) return [];
  const by = Math.round(server_time - fetched_at);
  const message = `the clock of the source differs from ours by ${by} s`;
  return [Math.abs(by) > MAX_AHEAD_S ? unusable(message) : passing(message)];
}

/**
 * Whether a second suspect reading agrees with an earlier one: it was produced some time later, is not the same cached body, and has the
 * same doubts and about as many records. A list that stays short is the new truth; one that recovers was a fault. With fewer than the
 * minimum of records, or without a required field, no reading counts: the source or its configuration must be corrected.
 */
export function agrees(received: ReceivedRecords, doubts: readonly Doubt[], suspect: Recording): boolean {
  const distances = doubts.map(({ confirmed_after_s }) => confirmed_after_s ?? Number.POSITIVE_INFINITY);
  if (received.as_of - suspect.as_of < Math.max(...distances)) return false;
  const [small, large] = [received.records.length, suspect.records].sort((a, b) => a - b);
  const isAlike = (small ?? 0) >= (large ?? 0) * 0.8;
  return isAlike && kindsOf(doubts.map(({ message }) => message)) === kindsOf(suspect.reasons);
}

/** Doubts without their numbers. */
const kindsOf = (doubts: readonly string[]): string =>
  doubts
    .map((doubt) => doubt.replaceAll(/-?\d+(\.\d+)?/g, '#'))
    .sort()
    .join('\n');

/** Paths in the first records, with the kind of value at each: what a mapping can depend on. */
export function shapeOf(records: readonly unknown[]): readonly string[] {
  const kinds = new Map<string, Set<string>>();
  for (const record of records.slice(0, SHAPE_SAMPLE)) collect(record, '', kinds);
  return [...kinds].map(([path, found]) => `${path}: ${[...found].sort().join('|')}`).sort();
}

function collect(value: unknown, path: string, kinds: Map<string, Set<string>>): void {
  const depth = path === '' ? 0 : path.split('.').length;
  if (typeof value === 'object' && value !== null && depth < SHAPE_DEPTH && !isList(value, depth)) {
    for (const [key, one] of Object.entries(value)) collect(one, path === '' ? key : `${path}.${key}`, kinds);
    return;
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  kinds.set(path, (kinds.get(path) ?? new Set()).add(kind));
}

/** A record that is itself a list has columns; a list inside a record is one value. */
const isList = (value: object, depth: number) => Array.isArray(value) && depth > 0;

/** What differs between two shapes, in words. */
export function driftOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const kinds = (shape: readonly string[]) =>
    new Map(
      shape.map((line) => [line.slice(0, line.lastIndexOf(': ')), line.slice(line.lastIndexOf(': ') + 2)]),
    );
  const [old, fresh] = [kinds(before), kinds(after)];
  return [
    ...[...old.keys()].filter((path) => !fresh.has(path)).map((path) => `gone: ${path}`),
    ...[...fresh.keys()].filter((path) => !old.has(path)).map((path) => `new: ${path} (${fresh.get(path)})`),
    ...[...old].flatMap(([path, kind]) =>
      fresh.has(path) && withoutNull(fresh.get(path) ?? '') !== withoutNull(kind)
        ? [`changed: ${path} was ${kind}, is ${fresh.get(path)}`]
        : [],
    ),
  ];
}

const withoutNull = (kinds: string) =>
  kinds
    .split('|')
    .filter((kind) => kind !== 'null')
    .join('|');

// Whether a reading of a time window has the same content as the last one, in everything that the mappings of the source use. Services
// include counts of readers and likes in a response, so the bytes of an old post differ each time, but its row does not.

/** Paths of a record that rows are built from; null if rows hold more than their records, such as the time of the reading. */
function contentPaths(mappings: readonly LiveMappingOf[]): readonly string[] | null {
  const positions = new Set(mappings.map(({ records, has_entries }) => `${records} ${has_entries}`));
  if (positions.size > 1 || mappings.some(({ format, columns }) => format !== 'json' || columns !== null))
    return null;
  const fields = mappings.flatMap((mapping) => Object.values(mapping.fields));
  const isConstant = (fact = '') => fact === '' || fact.startsWith('param.');
  if (fields.some(({ recording, document }) => !isConstant(recording) || document !== undefined)) return null;
  const filters = mappings.flatMap(({ where }) => Object.keys(where ?? {}));
  return [...new Set([...filters, ...fields.flatMap(({ from = [] }) => from)])];
}

/** `earlier` are recordings of the partition, oldest first. */
export async function isSameContent(
  records: readonly unknown[],
  { mapping, other_mappings }: Pick<LiveSource, 'mapping' | 'other_mappings'>,
  { earlier, folder }: { readonly earlier: readonly Recording[]; readonly folder: RecordingFolder },
): Promise<boolean> {
  const content = contentPaths([mapping, ...other_mappings]);
  const last = earlier.findLast(({ outcome, urgency }) => outcome === 'accepted' && urgency === 'tip');
  if (content === null || records.length === 0 || last === undefined) return false;
  const known = new Set<string>();
  for (const page of last.pages) {
    const before = await recordsIn(bodyPath(folder, last, page), mapping, folder);
    if (before === null) return false;
    for (const record of before) known.add(contentOf(record, content));
  }
  return records.every((record) => known.has(contentOf(record, content)));
}

const contentOf = (record: unknown, paths: readonly string[]): string =>
  JSON.stringify(paths.map((path) => valueAt(record, path) ?? null));

/** Null if the body is missing or damaged, or has no records where the mapping now expects them. */
async function recordsIn(path: string, mapping: LiveMappingOf, { disk }: RecordingFolder) {
  try {
    return recordsOf(gunzipSync(await disk.read(path)), mapping).records;
  } catch (error) {
    if (isMissing(error) || error instanceof NetFault || isDamage(error)) return null;
    throw error;
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
