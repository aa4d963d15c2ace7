// What publication adds to the conditions that the models find: the ids of their events, what they affect of what is published, and a
// condition for every dataset whose gate does not pass.

import type { Json } from '../../../platform/base/json.ts';
import { counted } from '../../../platform/base/plural.ts';
import { isoOf } from '../../../platform/base/time.ts';
import type { Condition } from '../../../schemas/conditions.ts';
import type { QualityGate } from '../../../schemas/provenance.ts';
import { loggedIds } from '../../../snapshots/event-retraction.ts';
import type { Document } from '../../../snapshots/layout.ts';
import type { VersionReader } from '../../../snapshots/read.ts';
import type { PipelineContext } from '../context.ts';
import type { Publication } from './publication.ts';
import { reachOf } from './reach/condition-reach.ts';
import { indexReach, type PublishedRows } from './reach/reach-index.ts';

/** A dataset of the version about to be published. */
export interface JudgedGate {
  readonly id: string;
  readonly title: string;
  readonly gate: QualityGate;
}

export interface ConditionFacts {
  readonly publication: Publication;
  /** The last published version. */
  readonly before: VersionReader | null;
  readonly gates: readonly JudgedGate[];
  /** The documents about to be published, by dataset. */
  readonly published: ReadonlyMap<string, PublishedDocuments>;
}

/** The documents of a dataset that is not held back as a whole. */
export interface PublishedDocuments {
  readonly documents: readonly Document[];
  /** Its held-back subjects. */
  readonly held: readonly string[];
}

type ConditionContext = Pick<PipelineContext, 'snapshots' | 'policy'>;
type ConditionsById = ReadonlyMap<string, Condition>;

const CONDITIONS = 'conditions';
/** An event that is not in the log this long after its condition began has been held back. */
const MAX_WAIT_SECONDS = 86_400;

export async function completeConditions(
  context: ConditionContext,
  found: readonly Document[],
  { publication, before, gates, published }: ConditionFacts,
): Promise<readonly Document[]> {
  const byId = await publishedBefore(before);
  const conditions = found.map(({ value }) => value as unknown as Condition);
  const ids = await idsOfEvents(context, conditions, { publication, byId });
  const linked = withReach(conditions, published).map((condition) => withEvent(condition, ids));
  const open = gates.filter(({ gate: { verdict } }) => verdict === 'warn' || verdict === 'fail');
  const now = isoOf(publication.now);
  const added = open.map((judged) => gateCondition(judged, { byId, now, policy: context.policy }));
  return [...linked, ...added].map((value) => ({ key: value.id, value: value as unknown as Json }));
}

async function publishedBefore(before: VersionReader | null): Promise<ConditionsById> {
  if (before === null || before.manifest.datasets[CONDITIONS] === undefined) return new Map();
  const documents = await before.documents(CONDITIONS);
  return new Map(documents.map(({ key, value }) => [key, value as unknown as Condition]));
}

/** Ids by natural key. Ids in the last version are taken from there, so that old segments are not read at every tick. */
async function idsOfEvents(
  { snapshots }: ConditionContext,
  conditions: readonly Condition[],
  { publication, byId }: { readonly publication: Publication; readonly byId: ConditionsById },
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const wanted: { key: string; second: number }[] = [];
  for (const { id, event_key: key, since } of conditions) {
    if (key === null) continue;
    const was = byId.get(id);
    const second = eventSecond(key) ?? Date.parse(since ?? '') / 1000;
    if (was?.event_key === key && was.event_id !== null) ids.set(key, was.event_id);
    else if (was?.event_key !== key || publication.now - second < MAX_WAIT_SECONDS)
      wanted.push({ key, second });
  }
  const found = await loggedIds(snapshots, publication.segments, wanted);
  for (const [key, id] of found) ids.set(key, id);
  return ids;
}

/** The instant in a natural key: the first part that consists of nine or ten digits. */
function eventSecond(key: string): number | undefined {
  const digits = key.split('|').find((part) => /^[0-9]{9,10}$/.test(part));
  return digits === undefined ? undefined : Number(digits);
}

function withEvent(condition: Condition, ids: ReadonlyMap<string, string>): Condition {
  const event_id = ids.get(condition.event_key ?? '') ?? null;
  return { ...condition, event_id, evidence_url: event_id && `/v2/events/${event_id}/evidence` };
}

function withReach(
  conditions: readonly Condition[],
  published: ConditionFacts['published'],
): readonly Condition[] {
  if (conditions.length === 0) return [];
  const index = indexReach({
    markets: rowsOf(published, 'lending-markets'),
    vaults: rowsOf(published, 'lending-vaults'),
    graph: rowsOf(published, 'exposure-graph'),
    yields: rowsOf(published, 'yield-opportunities'),
    paths: rowsOf(published, 'oracle-paths'),
  });
  return conditions.map((condition) => ({ ...condition, reach: reachOf(condition, index) }));
}

function rowsOf<Row>(published: ConditionFacts['published'], dataset: string): PublishedRows<Row> | null {
  const { documents, held } = published.get(dataset) ?? { documents: [], held: [] };
  if (documents.length + held.length === 0) return null;
  return { rows: documents.map(({ value }) => value as Row), held };
}

function stateOf({ verdict, checks }: QualityGate): string {
  const count = checks.filter((check) => check.verdict === verdict).length;
  const named = counted(count, 'check');
  return verdict === 'fail' ? `held back, ${named} failed` : `${named} warned`;
}

function gateCondition(
  { id, title, gate }: JudgedGate,
  {
    byId,
    now,
    policy,
  }: { readonly byId: ConditionsById; readonly now: string; readonly policy: PipelineContext['policy'] },
): Condition {
  const name = `dataset.gate|${id}`;
  return {
    id: name,
    type: 'dataset.gate',
    severity: gate.verdict === 'fail' ? 'warn' : 'info',
    title: `${title}: ${stateOf(gate)}`,
    chain: null,
    protocol: null,
    subject_id: `dataset:${id}`,
    subject_name: title,
    symbols: [],
    since: byId.get(name)?.since ?? now,
    measure: null,
    unit: null,
    value_start: null,
    value_worst: null,
    worst_at: null,
    value_now: null,
    now_at: now,
    rule: [],
    band_multiple: null,
    reach: null,
    policy_version: policy.policy_version,
    event_key: null,
    event_id: null,
    evidence_url: null,
    series_url: null,
  };
}
