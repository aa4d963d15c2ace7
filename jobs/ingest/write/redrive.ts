// Checks quarantined rows again, with the current table and, if given, the current mapping. Rows that pass land as a new batch whose
// receipt names them, which takes them off the list; rows that are still bad stay where they are and are not counted again.

import type { RawTable } from '../../define/raw-table.ts';
import type { FieldMapping, SourceFacts } from '../../define/source.ts';
import { checkFields } from '../check/check-mapping.ts';
import { identityMapping } from '../read/read-columns.ts';
import { stagedLines } from '../read/read-json.ts';
import { stagedCsv } from '../read/read-text.ts';
import type { Relation } from '../read/relation.ts';
import { JOIN_FAULT } from '../read/where.ts';
import type { Origin, Receipt } from '../receipts/receipt.ts';
import type { LandedBatch, IngestContext, IngestTools } from '../batch.ts';
import { hashOf } from '../hash.ts';
import { commitRows, stageRows, takeBack } from './land-batch.ts';
import { type ListedRow, rawBytes, readQuarantine } from '../quarantine/quarantine.ts';

export interface RedriveRequest {
  readonly table: RawTable;
  readonly context: IngestContext;
  /** Only rows of this source. */
  readonly source?: string;
  /** Only rows of this batch. */
  readonly batch?: string;
  /** The source's current mapping; by default the one that the rows were read with. */
  readonly fields?: Fields;
  /** Receives every row that stays in quarantine, and why. */
  readonly onRefused?: (row: RefusedAgain) => void;
  /** Those of `fields` that keep the constant that the rows were read with. */
  readonly constants?: readonly string[];
}

export interface RefusedAgain {
  readonly batch: string;
  readonly record: number;
  readonly reason: string;
}

type Fields = { readonly [field: string]: FieldMapping };

export async function redriveBatches(
  tools: IngestTools,
  request: RedriveRequest,
): Promise<readonly Receipt[]> {
  const { table, source, batch } = request;
  const filter = {
    table: table.name,
    ...(source === undefined ? {} : { source }),
    ...(batch === undefined ? {} : { batch }),
  };
  const byBatch = new Map<string, ListedRow[]>();
  for await (const row of readQuarantine(tools.folder, tools.receipts, filter)) {
    // A record without its counterpart in the joined file cannot be redriven alone: it lands when the files are delivered again.
    if (row.redriven_by !== null) continue;
    if (row.reason.startsWith(JOIN_FAULT)) {
      request.onRefused?.(row);
      continue;
    }
    byBatch.set(row.batch, [...(byBatch.get(row.batch) ?? []), row]);
  }
  const receipts: Receipt[] = [];
  for (const rows of byBatch.values()) {
    const receipt = await redriveRows(tools, request, rows);
    if (receipt !== null) receipts.push(receipt);
  }
  return receipts;
}

/** All `rows` belong to one batch. */
async function redriveRows(
  tools: IngestTools,
  request: RedriveRequest,
  rows: readonly ListedRow[],
): Promise<Receipt | null> {
  const { table, context } = request;
  const first = rows[0];
  const from = first === undefined ? undefined : tools.receipts.find(first.batch);
  if (first === undefined || from === undefined) return null;
  const origin = tools.receipts.originOf(first.batch) ?? from.origin;
  const fields = currentFields(request, origin) ?? origin.fields ?? identityMapping(table);
  checkFields(table, fields, origin.path ?? table.name);
  const batch: LandedBatch = {
    ...redriveBatch({ table, source: from.source, context, fields, origin, rows }),
    onRefused: (refused) => {
      for (const [position, { reason }] of refused)
        request.onRefused?.({ batch: first.batch, record: rows[position - 1]?.record ?? 0, reason });
    },
  };
  const relation = await stagedRows(tools, origin, { fields, rows });
  try {
    const path = await stageRows(tools, batch, relation);
    return await commitRows(tools, batch, { path, relation });
  } catch (error) {
    await takeBack(tools, batch);
    throw error;
  } finally {
    await relation.dispose();
  }
}

/** Undefined if the mapping needs a constant that the rows were read without: a run reads such a delivery again as a whole. */
function currentFields({ fields, constants = [] }: RedriveRequest, origin: Origin): Fields | undefined {
  if (fields === undefined) return undefined;
  const kept = constants.map((field) => [field, origin.fields?.[field]] as const);
  const isWhole = kept.every(([, mapping]) => mapping !== undefined && 'value' in mapping);
  return isWhole ? { ...fields, ...(Object.fromEntries(kept) as Fields) } : undefined;
}

interface RedriveFacts {
  readonly table: RawTable;
  readonly source: SourceFacts;
  readonly context: IngestContext;
  readonly fields: Fields;
  readonly origin: Origin;
  readonly rows: readonly ListedRow[];
}

function redriveBatch({ table, source, context, fields, origin, rows }: RedriveFacts): LandedBatch {
  const positions = rows.map((row) => row.record);
  const contentHash = hashOf(rows.map((row) => row.raw));
  const batchOf = rows[0]?.batch ?? '';
  return {
    batch: hashOf('redrive', batchOf, contentHash, fields, table),
    table,
    source,
    context,
    contentHash,
    origin: { ...origin, kind: 'redrive', stamp: null, fields },
    mappings: fields,
    redrive: (landed) => [{ batch: batchOf, records: landed.map((record) => positions[record - 1] ?? 0) }],
  };
}

/** Each raw record is read on its own, so that one with broken quotes cannot swallow the next. */
async function stagedRows(
  tools: IngestTools,
  origin: Origin,
  { fields, rows }: Pick<RedriveFacts, 'fields' | 'rows'>,
): Promise<Relation> {
  const raws = rows.map((row) => rawBytes(row, tools.key));
  if (origin.format === 'csv') {
    return stagedCsv(
      { db: tools.db, file: origin.path ?? '', fields, raws },
      origin.header ?? [],
      origin.delimiter ?? ',',
    );
  }
  const hasLiteralPaths = origin.format === 'parquet' || origin.format === 'columns';
  return stagedLines({ db: tools.db, file: origin.path ?? '', fields, raws, hasLiteralPaths });
}
