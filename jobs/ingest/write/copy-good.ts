// The rows of a batch that land: a copy of the staged rows without those that have a verdict.
import { join } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { VERDICTS } from '../check/dedupe.ts';
import { writeError } from '../errors.ts';
import type { LandedBatch, IngestTools } from './batch.ts';
import { temporaryPath } from './placement.ts';

/** Resolves to the relative path of the temporary file that it writes. */
export async function copyGood(
  { db, place }: IngestTools,
  batch: LandedBatch,
  path: string,
): Promise<string> {
  const good = temporaryPath(`${batch.batch}.good.parquet`);
  const staged = literal(join(place.dir, path));
  const { fields, copies } = batch.table;
  const columns = fields.map(({ name }) =>
    name === copies ? `coalesce(c.said, 1) as ${quoted(name)}` : `r.${quoted(name)}`,
  );
  const counted = copies === undefined ? '' : countedCopies(batch.table, staged);
  const rows = `select ${columns.join(', ')}, r.source_id, r.fetched_at from read_parquet(${staged}, file_row_number = true) r ${counted}
    where not exists (select 1 from ${VERDICTS} v where v.place = r.file_row_number)`;
  const target = join(place.dir, good);
  try {
    await db.execute(`copy (${rows}) to ${literal(target)} (format parquet, compression zstd)`);
  } catch (error) {
    throw writeError(error, target);
  }
  return good;
}

/** Joins to each row the number of identical rows in its batch; conflicting rows are not counted. */
function countedCopies({ key }: RawTable, staged: string): string {
  const keys = key.map(quoted);
  const isSame = keys.map((name) => `c.${name} is not distinct from r.${name}`).join(' and ');
  return `left join (
    select ${keys.join(', ')}, count(*) as said from read_parquet(${staged}, file_row_number = true) p
    where not exists (select 1 from ${VERDICTS} v where v.place = p.file_row_number and v.reason is not null)
    group by ${keys.join(', ')} having count(*) > 1) c on ${isSame}`;
}
