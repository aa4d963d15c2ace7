// Polls every source and lands new rows. A source or file that fails is reported and does not stop the others.

import { counted } from '../../../platform/base/plural.ts';
import { withoutPaths } from '../../../platform/base/printable.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Delivery, Interval, Source } from '../../define/source.ts';
import { IngestError } from '../../ingest/errors.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { mappingOf } from '../../ingest/write/batch-name.ts';
import type { PipelineContext } from '../context.ts';
import type { RunDeliveries, SourceFailure } from '../publish/publication.ts';
import { messageOf } from './report.ts';

/** `afterBatch` runs after each landed batch of a table, so that the next batch can be compared with the rows already kept. */
export async function gather(
  context: PipelineContext,
  interval: Interval,
  afterBatch: (table: RawTable) => Promise<unknown>,
): Promise<RunDeliveries> {
  const receipts: Receipt[] = [];
  const failures: SourceFailure[] = [];
  const reminders: string[] = [];
  const tables = new Map(context.domains.flatMap(({ raw }) => raw).map((table) => [table.name, table]));
  for (const source of context.sources) {
    const table = tables.get(source.table);
    if (table === undefined)
      throw new Error(`Source ${source.facts.id}: there is no raw table ${source.table}.`);
    const failed = (error: unknown): void => {
      if (!isFaultOfSource(error)) throw error;
      const problem = messageOf(error);
      // Published with the version, so the folders of this machine are left out.
      const published = withoutPaths(problem, []);
      failures.push({ source: source.facts.id, table: source.table, problem: published });
      context.reporter.error(`source ${source.facts.id}: ${problem}`);
    };
    const mappings = new Set<string>();
    for await (const receipt of landAll(context, { source, table, interval, mappings }, failed)) {
      receipts.push(receipt);
      if (receipt.rows_landed > 0 && receipt.repeated !== true) await afterBatch(table);
    }
    reminders.push(...reminderOfMapping(context, source, mappings));
    await context.relieveMemory?.();
  }
  context.standingReminders.say(context.reporter, reminders);
  return { receipts, failures };
}

/** Whether the source is at fault; a failure of our own disk ends the run. */
const isFaultOfSource = (error: unknown): error is IngestError =>
  error instanceof IngestError && !['disk_full', 'disk_error', 'damaged_landing'].includes(error.fault);

interface Job {
  readonly source: Source;
  readonly table: RawTable;
  readonly interval: Interval;
  /** Takes the hashes of the mappings of what the source delivers. */
  readonly mappings: Set<string>;
}

/** `failed` receives errors that stop one delivery or the whole source; it rethrows those that must end the run. */
async function* landAll(
  context: PipelineContext,
  { source, table, interval, mappings }: Job,
  failed: (error: unknown) => void,
): AsyncIterable<Receipt> {
  const deliveries = offered(source, interval);
  for (;;) {
    const delivery = await deliveries.next().catch(failed);
    if (delivery === undefined || delivery.done === true) return;
    const known = delivery.value.kind === 'file' ? delivery.value.fetched_at : undefined;
    const { constants = [] } = source;
    if (delivery.value.kind === 'file') mappings.add(mappingOf(delivery.value, constants));
    const fetchedAt = Math.floor(known ?? context.nowMs() / 1000);
    const receipt = await context.ingest
      .land(table, source.facts, delivery.value, { interval, fetchedAt, constants })
      .catch(failed);
    if (receipt === undefined) continue;
    source.landed?.(delivery.value);
    report(context, receipt);
    yield receipt;
  }
}

/** An error before the first delivery is thrown when that delivery is requested. */
async function* offered(source: Source, interval: Interval): AsyncGenerator<Delivery> {
  yield* source.deliveries(interval);
}

/** Says that a corrected mapping does not apply to the rows that landed before. */
function reminderOfMapping(
  { ingest, commandFor }: PipelineContext,
  { facts: { id } }: Source,
  current: ReadonlySet<string>,
): readonly string[] {
  if (current.size === 0) return [];
  const isOther = ({ mappings = [] }: Receipt) => mappings.some((mapping) => !current.has(mapping));
  const rows = ingest
    .receipts()
    .filter((receipt) => receipt.source.id === id && isOther(receipt))
    .reduce((sum, { rows_landed }) => sum + rows_landed, 0);
  if (rows === 0) return [];
  return [
    `source ${id}: ${counted(rows, 'row')} landed with another mapping than the one that is configured now. To land them again: ${commandFor(`reland --source ${id}`)}`,
  ];
}

function report({ reporter }: PipelineContext, receipt: Receipt): void {
  const { source, table, rows_in, rows_landed, rows_quarantined, rows_deduplicated, reasons } = receipt;
  const { rows_filtered } = receipt;
  if (receipt.repeated === true) {
    reporter.debug('nothing new', { source: source.id, table });
    return;
  }
  // The demo has dozens of sources that need no attention; its refused rows are scripted.
  const [say, warn] =
    source.kind === 'simulated' ? [reporter.debug, reporter.debug] : [reporter.step, reporter.warn];
  say('landed', {
    source: source.id,
    table,
    rows_in,
    rows_landed,
    rows_quarantined,
    rows_deduplicated,
    ...(rows_filtered === undefined ? {} : { rows_filtered }),
  });
  if (rows_quarantined > 0)
    warn(`quarantined ${counted(rows_quarantined, 'row')} of ${source.id}`, { reasons });
}
