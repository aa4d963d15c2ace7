// What a version was to be computed from, and how far it has it: every configured source with its state, the raw tables, and the families
// that are computed from them. Readers judge the service by it (snapshots/verdict.ts).
import { counted } from '../../../platform/base/plural.ts';
import { isoOf } from '../../../platform/base/time.ts';
import type { InputFamily, InputSource, Inputs, InputTable } from '../../../snapshots/layout.ts';
import type { Domain } from '../../define/domain.ts';
import { silentSince } from '../../define/fetching.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Source } from '../../define/source.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { staleTables } from '../gate/input-checks.ts';
import type { SourceReading, SourceReadings } from '../gate/source-readings.ts';
import { traced } from '../models/lineage.ts';
import type { RunDeliveries } from './publication.ts';

type Context = Pick<PipelineContext, 'domains' | 'postponed' | 'models' | 'sources' | 'ingest' | 'policy'>;

export interface InputEvidence {
  /** Logical time, Unix seconds. */
  readonly now: number;
  readonly gathered: RunDeliveries;
  readonly readings: SourceReadings;
}

export function inputsOf(context: Context, facts: InputEvidence): Inputs {
  const { domains, postponed = [], ingest } = context;
  const sources = sourceStates(context, facts);
  const on = sources.filter(({ state }) => state !== 'off' && state !== 'needs_key');
  const landed = new Map(rawTables(domains).map(({ name }) => [name, ingest.receipts(name)]));
  const families = [
    ...domains.flatMap((domain) => familyOf(context, domain)),
    ...postponed
      .filter(({ id, datasets }) => datasets.length > 0 && domains.every((domain) => domain.id !== id))
      .map(postponedFamily),
  ];
  const isSourced = (name: string) =>
    on.some(({ table }) => table === name) || (landed.get(name) ?? []).length > 0;
  const hasRows = (name: string) => (landed.get(name) ?? []).some(({ rows_landed }) => rows_landed > 0);
  const tables = rawTables(domains).map(({ name, alternatives = [], supplements = name }): InputTable => {
    const same = [name, ...alternatives, supplements];
    return { name, is_sourced: same.some(isSourced), has_rows: same.some(hasRows) };
  });
  const since = silentSince(facts.readings.sources, facts.now);
  return { families, tables, sources, ...(since === null ? {} : { silent_since: since }) };
}

const rawTables = (domains: readonly Pick<Domain, 'raw'>[]): readonly RawTable[] =>
  domains.flatMap(({ raw }) => raw).filter(({ isAboutSources }) => isAboutSources !== true);

const namesOf = (tables: readonly { readonly name: string }[]) => tables.map(({ name }) => name);

/** None for a domain that publishes nothing, or only what was configured. */
function familyOf({ models, domains, postponed = [] }: Context, domain: Domain): readonly InputFamily[] {
  const datasets = domain.datasets.map((dataset) => traced({ models: models.models, domains }, dataset));
  const tables = new Set(datasets.flatMap(({ own_tables }) => own_tables));
  if (tables.size === 0) return [];
  const others = new Set(datasets.flatMap(({ rests_on }) => rests_on)).difference(tables);
  const later = postponed.find(({ id }) => id === domain.id)?.datasets ?? [];
  const whole = { ...domain, datasets: [...domain.datasets, ...later] };
  return [{ ...postponedFamily(whole), tables: [...tables].sort(), other_tables: [...others].sort() }];
}

const postponedFamily = ({ id, title, raw, datasets, essential = [] }: Domain): InputFamily => ({
  id,
  title,
  is_derived: raw.length === 0,
  datasets: datasets.map((dataset) => dataset.id),
  tables: namesOf(raw),
  essential: namesOf(essential),
  other_tables: [],
});

/** Fetched sources first by their readings, which also list those that are off; all others by what they delivered. Sorted. */
function sourceStates(context: Context, facts: InputEvidence): readonly InputSource[] {
  const { sources, domains } = context;
  const fetched = new Map(facts.readings.sources.map((one) => [one.source, one]));
  const about = new Set(
    domains
      .flatMap(({ raw }) => raw)
      .flatMap(({ name, isAboutSources }) => (isAboutSources === true ? [name] : [])),
  );
  const stale = staleOf(context, facts);
  const delivered = sources
    .filter(({ facts: { id }, table }) => !fetched.has(id) && !about.has(table))
    .map((source) => deliveredState(context, source, { ...facts, stale }));
  const read = facts.readings.sources.map((reading) => {
    const source = sources.find(({ facts: { id } }) => id === reading.source);
    const own = readingState(reading, facts.now);
    return own.state !== 'read' || source === undefined ? own : (landingState(context, source, facts) ?? own);
  });
  return [...delivered, ...read].sort((a, b) => (`${a.id} ${a.table}` < `${b.id} ${b.table}` ? -1 : 1));
}

function staleOf({ ingest, domains, policy }: Context, { now, readings }: InputEvidence) {
  const receipts = rawTables(domains).flatMap(({ name }) => ingest.receipts(name));
  return staleTables(receipts, { now, maxAges: policy.quality.source_max_age_s, readings: readings.tables });
}

function readingState(reading: SourceReading, now: number): InputSource {
  const { source: id, table, state, reason, is_on, last_read_at, overdue_at } = reading;
  if (!is_on) return { id, table, state: state === 'needs_key' ? 'needs_key' : 'off', reason };
  if (last_read_at === null) return { id, table, state: 'never_read', reason };
  if (overdue_at === null || overdue_at < now) {
    const since = `last read at ${isoOf(Math.floor(last_read_at))}`;
    return { id, table, state: 'overdue', reason: reason === null ? since : `${since}: ${reason}` };
  }
  if (state === 'failing' || state === 'suspect') return { id, table, state, reason };
  return { id, table, state: 'read', reason: null };
}

function deliveredState(
  context: Context,
  source: Source,
  facts: InputEvidence & { readonly stale: ReadonlyMap<string, string> },
): InputSource {
  const {
    facts: { id },
    table,
  } = source;
  const landing = landingState(context, source, facts);
  if (landing !== undefined) return landing;
  const receipts = receiptsOf(context, source);
  if (receipts.length === 0) return { id, table, state: 'never_read', reason: 'nothing was delivered' };
  if (source.facts.kind === 'file' && receipts.every(isEmpty))
    return { id, table, state: 'empty', reason: 'its files have no rows' };
  const stale = facts.stale.get(table);
  if (stale !== undefined) return { id, table, state: 'overdue', reason: stale };
  return { id, table, state: 'read', reason: null };
}

const isEmpty = ({ rows_in, rows_filtered = 0 }: Receipt) => rows_in - rows_filtered === 0;

const receiptsOf = ({ ingest }: Pick<Context, 'ingest'>, { facts: { id }, table }: Source) =>
  ingest.receipts(table).filter(({ source }) => source.id === id);

/** What went wrong when the source was landed; undefined if nothing did. */
function landingState(
  context: Pick<Context, 'ingest'>,
  source: Source,
  { gathered }: Pick<InputEvidence, 'gathered'>,
): InputSource | undefined {
  const {
    facts: { id },
    table,
  } = source;
  const failure = gathered.failures.find((one) => one.source === id && one.table === table);
  if (failure !== undefined) return { id, table, state: 'failing', reason: failure.problem };
  const refused = refusedDelivery(receiptsOf(context, source), { source, gathered });
  return refused === undefined ? undefined : { id, table, state: 'refused', reason: refusalText(refused) };
}

/** Sources whose last delivery was refused as a whole, one message each. */
export const refusedSources = (
  context: Pick<Context, 'ingest' | 'sources'>,
  gathered: RunDeliveries,
): readonly string[] =>
  context.sources.flatMap((source) => {
    const refused = refusedDelivery(receiptsOf(context, source), { source, gathered });
    return refused === undefined ? [] : [`${source.facts.id}: ${refusalText(refused)}`];
  });

/**
 * Every file that is offered counts, because what it should deliver is missing as long as it is there; of what is fetched only the newest
 * delivery does, because it replaces the one before.
 */
function refusedDelivery(
  receipts: readonly Receipt[],
  { source, gathered }: { readonly source: Source; readonly gathered: RunDeliveries },
): Receipt | undefined {
  const offered = new Set(gathered.receipts.map(({ batch }) => batch));
  const newest = receipts.reduce<Receipt | undefined>(
    (last, one) => (last === undefined || one.fetched_at >= last.fetched_at ? one : last),
    undefined,
  );
  const isOffered = ({ batch }: Receipt) => offered.has(batch);
  const judged =
    source.facts.kind === 'file' && receipts.some(isOffered)
      ? receipts.filter(isOffered)
      : receipts.filter((one) => one === newest);
  const redriven = new Set(receipts.flatMap(({ redrives = [] }) => redrives.map(({ batch }) => batch)));
  return judged.find((one) => isRefused(one) && !redriven.has(one.batch));
}

const isRefused = ({ rows_landed, rows_deduplicated, rows_quarantined }: Receipt) =>
  rows_quarantined > 0 && rows_landed === 0 && rows_deduplicated === 0;

function refusalText({ rows_quarantined, reasons, origin }: Receipt): string {
  const [first] = Object.entries(reasons).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const where = origin.path === null ? '' : ` of ${origin.path.split('/').at(-1)}`;
  const all = rows_quarantined === 1 ? 'the only row' : `all ${counted(rows_quarantined, 'row')}`;
  return `${all}${where} ${rows_quarantined === 1 ? 'was' : 'were'} refused${first === undefined ? '' : ` (${first[0]})`}`;
}
