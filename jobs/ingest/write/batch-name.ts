// The name of a batch is derived from what landed and how it was read: the same bytes read in the same way are the same batch.
import { basename } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import type { FileDelivery, SourceFacts } from '../../define/source.ts';
import { hashOf } from '../hash.ts';

/** A filter and a join are hashed only when present, so that the names of older batches stay the same. */
export const mappingParts = (delivery: FileDelivery): unknown[] => {
  const { format, delimiter, records, fields, where, join, entries, columns } = delivery;
  return [
    ...[format, delimiter, records, fields],
    ...(where === undefined && join === undefined ? [] : [{ where, join }]),
    ...(entries === undefined && columns === undefined ? [] : [{ entries, columns }]),
  ];
};

/**
 * Hash of a source's mapping: everything in its configuration that decides how records become rows. Constants that differ from delivery to
 * delivery are left out, and so is where files are.
 */
export function mappingOf(delivery: FileDelivery, constants: readonly string[] = []): string {
  const fields = Object.entries(delivery.fields).map(([name, { value, ...mapping }]) => [
    name,
    constants.includes(name) || value === undefined ? mapping : { ...mapping, value },
  ]);
  const { join } = delivery;
  const joined = join === undefined ? {} : { join: { ...join, path: basename(join.path) } };
  return hashOf(...mappingParts({ ...delivery, ...joined, fields: Object.fromEntries(fields) }));
}

/** The part of a batch name that marks tables with an enrichment. */
export const versionMark = ({ enrichment }: RawTable) =>
  enrichment === undefined ? '' : ` v${enrichment.version}`;

export const batchName = (
  table: RawTable,
  source: SourceFacts,
  contentHash: string,
  mappingHash: string,
): string => hashOf(table.name, source.id, contentHash, mappingHash);

/** The name of a batch that lands with a supersession; `name` is the one that it would have otherwise. */
export const successorName = (supersession: string, name: string): string => hashOf(supersession, name);
