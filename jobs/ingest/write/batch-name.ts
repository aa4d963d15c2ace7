// The name of a batch is derived from what landed and how it was read: the same bytes read in the same way are the same batch.
import type { RawTable } from '../../define/raw-table.ts';
import type { FileDelivery, SourceFacts } from '../../define/source.ts';
import { hashOf } from './hash.ts';

/** A filter and a join are hashed only when present, so that the names of older batches stay the same. */
export const mappingParts = (delivery: FileDelivery): unknown[] => {
  const { format, delimiter, records, fields, where, join, entries, columns } = delivery;
  return [
    ...[format, delimiter, records, fields],
    ...(where === undefined && join === undefined ? [] : [{ where, join }]),
    ...(entries === undefined && columns === undefined ? [] : [{ entries, columns }]),
  ];
};

/** The part of a batch name that marks tables with an enrichment. */
export const versionMark = ({ enrichment }: RawTable) =>
  enrichment === undefined ? '' : ` v${enrichment.version}`;

export const batchName = (
  table: RawTable,
  source: SourceFacts,
  contentHash: string,
  mappingHash: string,
): string => hashOf(table.name, source.id, contentHash, mappingHash);
