// Whether a subject may be acted on, from freshness and gates alone. Closed on doubt: only what every check passed is `usable`, and a check
// that is missing never passes. A pure function.
import { freshnessStatus, isSimulated, isUnsourced } from '../../schemas/provenance.ts';
import type { StatusReason } from '../../schemas/service-status.ts';
import type { SourceReading } from '../../schemas/sources.ts';
import type { DatasetEntry, InputFamily, Manifest } from '../../snapshots/layout.ts';
import { familyOf, heldDataset, heldSubject } from '../../snapshots/verdict.ts';
import { caution, type Check, fail, pass, rowChecks, type SubjectKind } from './row-checks.ts';

export const USABILITY = ['usable', 'usable_with_caution', 'do_not_use'] as const;
export type Usability = (typeof USABILITY)[number];
export interface UsabilityFacts {
  /** Undefined before the first version. */
  readonly manifest: Manifest | undefined;
  /** Of the service as a whole: why its status is not `ok`. */
  readonly reasons: readonly Pick<StatusReason, 'code' | 'message'>[];
  readonly readings: readonly SourceReading[];
  readonly kind: SubjectKind;
  readonly dataset: string;
  /** Parts of the key of the subject's row; empty for a whole dataset. */
  readonly parts: readonly string[];
  /** The subject's row; undefined if there is none. */
  readonly row: unknown;
  readonly nowMs: number;
}

export function usabilityOf(facts: UsabilityFacts): {
  readonly verdict: Usability;
  readonly checks: readonly Check[];
} {
  const checks = checksOf(facts);
  const has = (verdict: Check['verdict']) => checks.some((one) => one.verdict === verdict);
  return { checks, verdict: has('fail') ? 'do_not_use' : has('caution') ? 'usable_with_caution' : 'usable' };
}

function checksOf(facts: UsabilityFacts): readonly Check[] {
  const { manifest, dataset } = facts;
  if (manifest === undefined) return [fail('version', 'Nothing has been published yet.')];
  const entry = Object.hasOwn(manifest.datasets, dataset) ? manifest.datasets[dataset] : undefined;
  const service = serviceChecks(facts);
  if (entry === undefined)
    return [
      ...service,
      ...heldChecks(manifest, facts),
      fail('published', `${dataset} is not in this version.`),
    ];
  return [
    ...service,
    ...heldChecks(manifest, facts),
    ...gateChecks(entry),
    freshnessCheck(entry, facts.nowMs),
    ...sourceChecks(entry),
    ...familyChecks(manifest, facts),
    ...restsOn(manifest, facts),
    ...subjectChecks(facts),
  ];
}

/** Then what is served is no longer what is: a newer version cannot be read, or no publisher is at work. */
const STOPPED: ReadonlySet<string> = new Set([
  'published_files',
  'data_overdue',
  'fetching_stopped',
  'inputs_not_recorded',
]);

function serviceChecks({ reasons }: UsabilityFacts): readonly Check[] {
  const stopped = reasons.filter(({ code }) => STOPPED.has(code));
  return stopped.length === 0
    ? [pass('version', 'The newest version is served, and its publisher is at work.')]
    : stopped.map(({ message }) => fail('version', message));
}

function heldChecks(manifest: Manifest, { dataset, parts }: UsabilityFacts): readonly Check[] {
  const held = heldDataset(manifest, dataset);
  const own = parts.length === 0 ? undefined : heldSubject(manifest, dataset, parts);
  const { total = 0, list = [] } = manifest.held_subjects ?? {};
  const inside = list.filter((one) => one.dataset === dataset && one.subject !== '*').length;
  const found = [
    ...(held === undefined ? [] : [fail('held_back', held.message)]),
    ...(own === undefined ? [] : [fail('held_back', own.message)]),
    ...(parts.length === 0 && inside > 0 ? [caution('held_back', `${inside} subjects are held back.`)] : []),
    ...(total > list.length
      ? [caution('held_back', `${total - list.length} further subjects are held back, and not named.`)]
      : []),
  ];
  return found.length > 0 ? found : [pass('held_back', 'Nothing of it is held back.')];
}

function gateChecks({ quality_gate: gate }: DatasetEntry): readonly Check[] {
  if (gate.verdict === 'fail' || gate.verdict === 'not_evaluated')
    return [fail('quality_gate', `The quality gate: ${gate.verdict}.`), ...failing(gate.checks)];
  if (gate.checks.length === 0) return [fail('quality_gate', 'No check of the quality gate ran.')];
  const found = failing(gate.checks);
  if (found.length > 0) return found;
  return gate.verdict === 'pass'
    ? [pass('quality_gate', `All ${gate.checks.length} checks pass.`)]
    : [caution('quality_gate', `The quality gate: ${gate.verdict}.`)];
}

const failing = (checks: DatasetEntry['quality_gate']['checks']): readonly Check[] =>
  checks
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ name, verdict, detail }) =>
      (verdict === 'fail' ? fail : caution)(`quality_gate.${name}`, detail ?? `The check: ${verdict}.`),
    );

function freshnessCheck(
  { computed_at, update_cadence_seconds: cadence }: DatasetEntry,
  nowMs: number,
): Check {
  const age = Math.floor((nowMs - Date.parse(computed_at)) / 1_000);
  if (Number.isNaN(age)) return fail('freshness', 'The time at which it was computed is unknown.');
  const detail = `Computed ${Math.max(0, age)} s ago; due every ${cadence} s.`;
  const status = freshnessStatus(Math.max(0, age), cadence);
  if (status === 'fresh') return pass('freshness', detail);
  return (status === 'aging' ? caution : fail)('freshness', detail);
}

function sourceChecks(entry: DatasetEntry): readonly Check[] {
  if (isUnsourced(entry) || entry.sources.length === 0) return [fail('source', 'It has no source.')];
  if (entry.sources.some(isSimulated)) return [caution('source', 'The data is simulated: never act on it.')];
  return [pass('source', `${entry.sources.length} sources, none simulated.`)];
}

function familyChecks(manifest: Manifest, { dataset, readings }: UsabilityFacts): readonly Check[] {
  const family = familyOf(manifest, dataset);
  if (family === undefined) return [fail('inputs', 'The version does not say what it was computed from.')];
  const tables = tablesOf(manifest, dataset);
  const late = readings.filter((one) => tables.has(one.table_name) && isInDoubt(one));
  const overdue = late.map(({ id, is_overdue, state, reason }) =>
    caution('inputs', `${id}: ${is_overdue ? 'overdue' : state}${reason === null ? '' : `, ${reason}`}.`),
  );
  if (family.state === 'complete')
    return overdue.length > 0 ? overdue : [pass('inputs', 'Every source behind it is read and accepted.')];
  return [(family.state === 'partial' ? caution : fail)('inputs', family.message), ...overdue];
}

const isInDoubt = ({ is_overdue, state }: SourceReading): boolean =>
  is_overdue || state === 'failing' || state === 'suspect';

const familyWith = (manifest: Manifest, dataset: string): InputFamily | undefined =>
  manifest.inputs?.families.find(({ datasets }) => datasets.includes(dataset));

function tablesOf(manifest: Manifest, dataset: string): ReadonlySet<string> {
  const { tables = [], other_tables = [] } = familyWith(manifest, dataset) ?? {};
  return new Set([...tables, ...other_tables]);
}

/** Datasets computed from the same tables that are held back, and held subjects that the row names. */
function restsOn(manifest: Manifest, { dataset, row, parts }: UsabilityFacts): readonly Check[] {
  const own = tablesOf(manifest, dataset);
  const related = (manifest.inputs?.families ?? [])
    .filter(({ tables, other_tables }) => [...tables, ...other_tables].some((name) => own.has(name)))
    .flatMap(({ datasets }) => datasets)
    .filter((id) => id !== dataset);
  const whole = related.flatMap((id) => heldDataset(manifest, id)?.message ?? []);
  const named = new Set([...textsIn(row), ...parts].map((text) => text.toLowerCase()));
  const subjects = (manifest.held_subjects?.list ?? []).filter(
    (one) => one.dataset !== dataset && one.subject !== '*' && isNamedIn(one.subject, named),
  );
  const found = [...whole, ...subjects.map(({ reason }) => reason)].map((message) =>
    caution('rests_on', message),
  );
  return found.length > 0 ? found : [pass('rests_on', 'Nothing that it rests on is held back.')];
}

const isNamedIn = (subject: string, names: ReadonlySet<string>): boolean =>
  subject
    .toLowerCase()
    .split(' ')
    .every((part) => names.has(part));

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value, ...value.split(/[|/:]/)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function subjectChecks({ kind, parts, row }: UsabilityFacts): readonly Check[] {
  if (parts.length === 0) return [];
  if (row === undefined) return [fail('subject', 'There is no such subject in this version.')];
  return rowChecks(kind, row);
}
