// Whether a reading of a time window has the same content as the last one, in everything that the mappings of the source use. Services
// include counts of readers and likes in a response, so the bytes of an old post differ each time, but its row does not.
import { gunzipSync } from 'node:zlib';
import { isMissing } from '../../../../platform/storage/disk.ts';
import { NetFault } from '../http/net-fault.ts';
import { valueAt } from '../http/value-at.ts';
import type { LiveMappingOf, LiveSource } from './live-source.ts';
import type { Recording } from './recording.ts';
import { bodyPath, type RecordingFolder } from './recording-store.ts';
import { recordsOf } from '../http/records-of.ts';

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
