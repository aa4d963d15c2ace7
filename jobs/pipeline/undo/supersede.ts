// `reland` and `drop`: land a source again, or leave it out, in the place of the rows that it has landed. The new rows are written and
// compared in a draft; then one receipt takes the old rows away and counts the new ones.
import { nearestName } from '../../../platform/base/nearest-name.ts';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Source } from '../../define/source.ts';
import type { LoggedKey, Receipt, SupersedingReceipt, Supersession } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import type { Draft, RowChanges } from './draft.ts';
import { landAgain, refuseLoss } from './land-again.ts';

/** A source that this cannot be done with. */
export class SourcesError extends Error {
  override readonly name = 'SourcesError';
}

export interface SupersedeRequest {
  readonly kind: Supersession['kind'];
  /** Id of the source. */
  readonly source: string;
  readonly range: Supersession['range'];
}

export interface RowCounts extends RowChanges {
  /** Rows that the current mapping refuses. */
  readonly refused: number;
}

/** A supersession that is ready to be committed. */
export interface PreparedSupersession {
  readonly counts: RowCounts;
  /** Whether committing it changes anything. */
  readonly isChange: boolean;
  /** Raw tables whose rows change. */
  readonly tables: readonly string[];
  /** Earliest instant of the rows that change, Unix seconds. */
  readonly from: number;
  /** `events`: the logged events that are found with the old rows. All or nothing. */
  commit(events: readonly LoggedKey[]): Promise<void>;
}

interface Plan extends SupersedeRequest {
  /** Name of the supersession. */
  readonly name: string;
  /** Undefined for a source that is no longer configured. */
  readonly configured: Source | undefined;
  readonly batches: readonly Receipt[];
  readonly now: number;
}

/**
 * Lands what takes the place of the source's rows in drafts and passes the result to `work`. The drafts are removed afterwards.
 * @throws SourcesError for an unknown source; IngestError when its deliveries cannot land. Nothing is changed then.
 */
export async function withSupersession<T>(
  context: PipelineContext,
  request: SupersedeRequest & { readonly now: number },
  work: (prepared: PreparedSupersession) => Promise<T>,
): Promise<T> {
  const plan = planOf(context, request);
  const drafts: TableDraft[] = [];
  try {
    for (const table of tablesOf(context, plan)) drafts.push(await drafted(context, plan, table));
    return await work(await prepared(context, plan, drafts));
  } finally {
    for (const { draft } of drafts) await draft.close();
  }
}

function planOf(context: PipelineContext, request: SupersedeRequest & { readonly now: number }): Plan {
  const { ingest, sources } = context;
  const { kind, source, range } = request;
  const configured = sources.find(({ facts }) => facts.id === source);
  const own = ingest.receipts().filter((receipt) => receipt.source.id === source);
  if (configured === undefined && own.length === 0) throw unknownSource(context, source);
  if (kind === 'reland' && configured === undefined)
    throw new SourcesError(
      `reland: source ${source} has landed rows but is not configured, so there is nothing to land. To leave its rows out: ${context.commandFor(`drop --source ${source}`)}`,
    );
  if (kind === 'reland' && configured?.facts.kind === 'simulated')
    throw new SourcesError(
      `reland: source ${source} is generated and has no mapping that could be corrected.`,
    );
  const batches = own.filter((receipt) => mayHaveRowsIn(receipt, range));
  const name = sha256Hex(
    JSON.stringify([
      ...[kind, source, range, ingest.supersessions().length],
      batches.map(({ batch }) => batch).sort(),
    ]),
  );
  return { ...request, name, configured, batches };
}

function unknownSource({ ingest, sources }: PipelineContext, source: string): SourcesError {
  const known = new Set([
    ...sources.map(({ facts }) => facts.id),
    ...ingest.receipts().map((receipt) => receipt.source.id),
  ]);
  const closest = nearestName(source, [...known]);
  const hint = closest === null ? `one of ${[...known].sort().join(', ')}` : `for example ${closest}`;
  return new SourcesError(`--source: there is no source ${source}; give ${hint}.`);
}

const isBounded = ({ from, to }: Supersession['range']): boolean => from !== null || to !== null;

function mayHaveRowsIn({ file, first_time, last_time }: Receipt, range: Supersession['range']): boolean {
  if (!isBounded(range)) return true;
  if (file === null || first_time === null || last_time === null) return false;
  return first_time < (range.to ?? Number.POSITIVE_INFINITY) && last_time >= (range.from ?? 0);
}

/** Tables that need a draft: the one in which the source lands again, and those in which parts of batches remain. */
function tablesOf({ domains }: PipelineContext, plan: Plan): readonly RawTable[] {
  const names = new Set([
    ...(plan.kind === 'reland' && plan.configured !== undefined ? [plan.configured.table] : []),
    ...(isBounded(plan.range) ? plan.batches.map(({ table }) => table) : []),
  ]);
  return domains.flatMap(({ raw }) => raw).filter(({ name }) => names.has(name));
}

interface TableDraft {
  readonly table: RawTable;
  readonly draft: Draft;
  readonly receipts: readonly Receipt[];
  readonly refused: number;
}

async function drafted(context: PipelineContext, plan: Plan, table: RawTable): Promise<TableDraft> {
  const { ingest } = context;
  const { range, name: supersession, batches, configured, kind, now } = plan;
  const gone = new Set(batches.map(({ batch }) => batch));
  const neighbours = ingest.receipts(table.name).filter(({ batch }) => !gone.has(batch));
  const draft = await context.openDraft({ table, neighbours });
  try {
    const own = batches.filter((receipt) => receipt.table === table.name);
    for (const receipt of isBounded(range) ? own : []) {
      const file = ingest.fileOf(receipt);
      if (file === null) continue;
      await ingest.check([file]);
      await draft.ingest.landRemainder(table, { receipt, file, supersession, range });
    }
    await draft.absorb();
    if (kind === 'drop' || configured?.table !== table.name)
      return { table, draft, receipts: draft.ingest.receipts(), refused: 0 };
    const landing = { source: configured, table, supersession, range, before: batches, now };
    const landed = await landAgain(context, draft, landing);
    const { id } = configured.facts;
    refuseLoss(landed, batches, { source: id, drop: context.commandFor(`drop --source ${id}`) });
    const refused = sum(landed.receipts.map(({ rows_quarantined }) => rows_quarantined));
    return { table, draft, receipts: draft.ingest.receipts(), refused };
  } catch (error) {
    await draft.close();
    throw error;
  }
}

async function prepared(
  context: PipelineContext,
  plan: Plan,
  drafts: readonly TableDraft[],
): Promise<PreparedSupersession> {
  const { ingest } = context;
  const successors = drafts.flatMap(({ receipts }) => receipts);
  const counts = await countsOf(context, plan, drafts);
  const times = [...plan.batches, ...successors].flatMap(({ rows_landed, first_time }) =>
    rows_landed === 0 ? [] : [first_time ?? 0],
  );
  const receipt = (events: readonly LoggedKey[]) => receiptOf(plan, successors, events);
  return {
    counts,
    isChange: isChange(plan, successors, counts),
    tables: [...new Set([...plan.batches, ...successors].map(({ table }) => table))],
    from: Math.min(plan.now, ...times),
    async commit(events) {
      const [first] = drafts;
      const dirs = new Map(
        drafts.flatMap(({ draft, receipts }) => receipts.map(({ batch }) => [batch, draft.dir])),
      );
      await ingest.supersede(
        receipt(events),
        successors.map((successor) => ({
          receipt: successor,
          dir: dirs.get(successor.batch) ?? first?.draft.dir ?? '',
        })),
      );
    },
  };
}

async function countsOf(
  context: PipelineContext,
  { batches }: Plan,
  drafts: readonly TableDraft[],
): Promise<RowCounts> {
  const { ingest } = context;
  const counts = { added: 0, superseded: 0, unchanged: 0, refused: 0 };
  const inDrafts = new Set(drafts.map(({ table }) => table.name));
  for (const { table, draft, refused } of drafts) {
    const files = batches.flatMap((receipt) =>
      receipt.table === table.name ? (ingest.fileOf(receipt) ?? []) : [],
    );
    await ingest.check(files);
    const changes = await draft.compare(files);
    counts.added += changes.added;
    counts.superseded += changes.superseded;
    counts.unchanged += changes.unchanged;
    counts.refused += refused;
  }
  for (const { table, rows_landed } of batches) if (!inDrafts.has(table)) counts.superseded += rows_landed;
  return counts;
}

/** Rows that are equal but were read with another mapping count as a change: the next run would report them otherwise. */
function isChange({ kind, batches }: Plan, successors: readonly Receipt[], counts: RowCounts): boolean {
  if (kind === 'drop') return batches.length > 0;
  if (counts.added + counts.superseded > 0) return true;
  const facts = (receipts: readonly Receipt[]) =>
    JSON.stringify([
      sum(receipts.map(({ rows_quarantined }) => rows_quarantined)),
      [...new Set(receipts.flatMap(({ mappings = ['unknown'] }) => mappings))].sort(),
    ]);
  return successors.length > 0 && facts(batches) !== facts(successors);
}

function receiptOf(
  plan: Plan,
  successors: readonly Receipt[],
  events: readonly LoggedKey[],
): SupersedingReceipt {
  const { kind, range, name, configured, batches, now } = plan;
  const [first] = [...batches, ...successors];
  const facts = configured?.facts ?? first?.source;
  const table = configured?.table ?? first?.table;
  if (facts === undefined || table === undefined) throw new Error(`${plan.source} has nothing to supersede.`);
  return {
    batch: name,
    table,
    source: facts,
    interval: { from: now - 1, to: now },
    fetched_at: now,
    content_hash: name,
    ...{ rows_in: 0, rows_landed: 0, rows_quarantined: 0, rows_deduplicated: 0 },
    ...{ file: null, file_sha256: null, first_time: null, last_time: null, reasons: {}, over_limit: false },
    origin: {
      kind: 'supersession',
      ...{
        path: null,
        stamp: null,
        format: null,
        delimiter: null,
        header: null,
        mapping_hash: null,
        fields: null,
      },
    },
    supersession: {
      kind,
      range,
      batches: batches.map(({ batch }) => batch),
      successors: successors.map(({ batch }) => batch),
      events,
    },
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
