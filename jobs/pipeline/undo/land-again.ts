// Lands the deliveries of a source in a draft, and refuses to lose rows whose deliveries are gone.
import { counted } from '../../../platform/base/plural.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { BEFORE_ALL, type Delivery, type Source } from '../../define/source.ts';
import { IngestError } from '../../ingest/errors.ts';
import type { Receipt, Supersession } from '../../ingest/receipts/receipt.ts';
import { contentsOf } from '../../ingest/receipts/receipts.ts';
import type { IngestContext } from '../../ingest/batch.ts';
import type { PipelineContext } from '../context.ts';
import type { Draft } from './draft.ts';

export interface Landing {
  readonly source: Source;
  readonly table: RawTable;
  readonly supersession: string;
  readonly range: Supersession['range'];
  /** Batches of the source that count now. */
  readonly before: readonly Receipt[];
  /** Logical time, Unix seconds. */
  readonly now: number;
}

export interface SourceDeliveries {
  readonly receipts: readonly Receipt[];
  /** Files that the source has delivered. */
  readonly paths: ReadonlySet<string>;
}

/** @throws IngestError for a delivery that cannot land */
export async function landAgain(
  { nowMs }: Pick<PipelineContext, 'nowMs'>,
  draft: Draft,
  { source, table, supersession, range, before, now }: Landing,
): Promise<SourceDeliveries> {
  const receipts = new Map<string, Receipt>();
  const paths = new Set<string>();
  const { constants = [] } = source;
  for await (const delivery of source.deliveries({ from: BEFORE_ALL, to: now })) {
    if (delivery.kind === 'file') paths.add(delivery.path);
    const fetchedAt = fetchedAtOf(delivery) ?? Math.floor(nowMs() / 1000);
    const context: IngestContext = {
      interval: { from: now - 1, to: now },
      fetchedAt,
      constants,
      successor: { supersession, range, firstLanding: firstLandings(before, fetchedAtOf(delivery)) },
    };
    const receipt = await draft.ingest.land(table, source.facts, delivery, context);
    if (receipt.repeated === true) continue;
    receipts.set(receipt.batch, receipt);
    if (receipt.rows_landed > 0) await draft.absorb();
  }
  return { receipts: [...receipts.values()], paths };
}

const fetchedAtOf = (delivery: Delivery): number | undefined =>
  delivery.kind === 'file' ? delivery.fetched_at : undefined;

type FirstLanding = NonNullable<IngestContext['successor']>['firstLanding'];

/** The same bytes keep the time at which they were first read, so that landing again changes nothing else. */
function firstLandings(before: readonly Receipt[], fetchedAt: number | undefined): FirstLanding {
  return (contentHash) => {
    const first = before.find((receipt) => contentsOf(receipt).includes(contentHash));
    if (first === undefined) return undefined;
    return { interval: first.interval, fetchedAt: fetchedAt ?? first.fetched_at };
  };
}

/** @throws IngestError if rows would disappear only because the source no longer delivers their files. */
export function refuseLoss(landed: SourceDeliveries, before: readonly Receipt[], text: Advice): void {
  const contents = new Set(landed.receipts.flatMap(contentsOf));
  const withRows = before.filter(({ rows_landed, origin }) => rows_landed > 0 && origin.kind !== 'redrive');
  const isGone = (receipt: Receipt) =>
    receipt.origin.kind !== 'columns' &&
    contentsOf(receipt).some((content) => !contents.has(content)) &&
    !landed.paths.has(receipt.origin.path ?? '');
  const gone = withRows.find(isGone);
  if (gone !== undefined)
    throw lossError(`${counted(gone.rows_landed, 'row')} landed from it, and it is no longer delivered`, {
      file: gone.origin.path ?? gone.table,
      ...text,
    });
  const rows = maxRowsOfOneMapping(withRows);
  const now = sum(landed.receipts.map(({ rows_in }) => rows_in));
  if (now >= rows) return;
  throw lossError(
    `${counted(rows, 'row')} landed from it, but it delivers only ${counted(now, 'record')} now`,
    text,
  );
}

/**
 * A file that is read again with another mapping can land every record once more, where the value is part of a row's key; the source has
 * delivered no more than what one mapping landed.
 */
function maxRowsOfOneMapping(receipts: readonly Receipt[]): number {
  const byMapping = Map.groupBy(receipts, ({ mappings = [] }) => [...mappings].sort().join(' '));
  return Math.max(
    0,
    ...[...byMapping.values()].map((group) => sum(group.map(({ rows_landed }) => rows_landed))),
  );
}

export interface Advice {
  /** Id of the source. */
  readonly source: string;
  /** The command that leaves its rows out. */
  readonly drop: string;
}

const lossError = (what: string, { source, drop, file }: Advice & { readonly file?: string }): IngestError =>
  new IngestError('missing_file', `source ${source}: ${what}`, {
    ...(file === undefined ? {} : { file }),
    todo: `Nothing was changed. Restore what is missing, or land only a later part again with --from; to leave its rows out instead: ${drop}`,
  });

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
