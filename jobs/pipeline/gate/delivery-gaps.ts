// Which of the rows that figures count were not delivered: a raw table without a usable delivery, subjects with refused rows, and tables
// that nothing delivers any more. Models read the gaps as `policy.delivery_gap`, so that what they would count is null instead of 0.
import { createHash } from 'node:crypto';
import { oncePer } from '../../../platform/base/once-per.ts';
import { type DeliveryGap, deliveryGapTable } from '../../define/delivery-gaps.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { literal } from '../../engine/sql-text.ts';
import type { StateTable, Warehouse } from '../../engine/warehouse.ts';
import { isConflict } from '../../ingest/check/dedupe.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { noteChanged } from '../publish/series/series-state.ts';
import type { RefusedBatchRows } from './still-refused.ts';

type Context = Pick<PipelineContext, 'domains' | 'ingest' | 'warehouse' | 'models' | 'sources'>;

const PUBLISHED: StateTable = {
  name: 'meta.delivery_gap',
  columns: [{ name: 'digest', type: 'VARCHAR' }],
};

/** Must be called after landing and before computing. */
export async function bindDeliveryGaps(
  context: Context,
  refused: readonly RefusedBatchRows[],
): Promise<void> {
  const { warehouse } = context;
  const gaps = await deliveryGaps(context, refused);
  const digest = createHash('sha256').update(JSON.stringify(gaps)).digest('hex');
  if (boundTo(warehouse).digest === digest) return;
  await warehouse.bindPolicy(
    deliveryGapTable,
    gaps.map((gap) => ({ ...gap })),
  );
  await warehouse.state.prepare(PUBLISHED);
  const [before] = await warehouse.state.rows('select digest from meta.delivery_gap');
  if (before?.['digest'] !== digest) {
    // A gap that begins or ends concerns points of any age.
    await noteChanged(warehouse, 0);
    await warehouse.state.replace(PUBLISHED, [{ digest }]);
  }
  boundTo(warehouse).digest = digest;
}

/** What this process has bound last. */
const boundTo = oncePer((_: Warehouse): { digest?: string } => ({}));

/** Sorted, without repetitions. */
async function deliveryGaps(
  context: Context,
  refused: readonly RefusedBatchRows[],
): Promise<readonly DeliveryGap[]> {
  const tables = context.domains.flatMap(({ raw }): readonly RawTable[] => raw);
  const counted = tables.filter(({ isCounted }) => isCounted);
  const absent = counted.filter(({ name }) => !context.ingest.receipts(name).some(isUsable));
  const read = await tablesRead(context, absent);
  const gaps = new Map<string, DeliveryGap>();
  const add = (gap: DeliveryGap) => gaps.set(JSON.stringify(gap), gap);
  for (const { name } of absent) {
    const isRefused = context.ingest.receipts(name).length > 0;
    if (isRefused || !read.has(name))
      add({
        table_name: name,
        subject: null,
        is_absent: true,
        reason: isRefused ? 'refused' : 'not_delivered',
      });
  }
  for (const { name } of withoutSource(context, tables))
    add({ table_name: name, subject: null, is_absent: false, reason: 'no_source' });
  const names = new Set(counted.map(({ name }) => name));
  // Single rows of an unknown subject among many good ones are no reason to doubt every count of 0.
  for (const { table, subject, bad, sample } of refused)
    if (names.has(table) && (subject !== null || bad === sample))
      add({ table_name: table, subject: subject?.join('|') ?? null, is_absent: false, reason: 'refused' });
  const disputable = new Set(tables.filter(({ isDisputable }) => isDisputable).map(({ name }) => name));
  for (const { table, subject, reason } of refused)
    if (disputable.has(table) && subject !== null && isConflict(reason))
      add({ table_name: table, subject: subject.join('|'), is_absent: false, reason: 'conflict' });
  return [...gaps].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gap]) => gap);
}

/** A delivery without rows says that there are none. */
const isUsable = ({ rows_in, rows_landed, rows_deduplicated, rows_filtered = 0 }: Receipt): boolean =>
  rows_landed > 0 || rows_deduplicated > 0 || rows_in - rows_filtered === 0;

/** Tables that have rows, and that no source of the configuration delivers: it was removed, is off, or has lost its key. */
function withoutSource({ ingest, sources }: Context, tables: readonly RawTable[]): readonly RawTable[] {
  const delivered = new Set(sources.map(({ table }) => table));
  return tables.filter(
    ({ name, isAboutSources }) =>
      isAboutSources !== true && !delivered.has(name) && ingest.receipts(name).some(isUsable),
  );
}

/** Tables that a live source has read, whatever it found. */
async function tablesRead(
  { warehouse, models }: Context,
  tables: readonly RawTable[],
): Promise<ReadonlySet<string>> {
  const readings = 'obs.source_reading';
  if (tables.length === 0 || !models.models.some(({ name }) => name === readings)) return new Set();
  if (!(await warehouse.versions.hasRows(readings))) return new Set();
  const names = tables.map(({ name }) => literal(name)).join(', ');
  const rows = await warehouse.rows(
    `select distinct table_name from ${readings} where table_name in (${names})`,
  );
  return new Set(rows.map((row) => String(row['table_name'])));
}
