// Opens a file delivery: holds its file and the joined file together, and returns the filtered relation of both.

import type { RawTable } from '../../define/raw-table.ts';
import type { FileDelivery } from '../../define/source.ts';
import { hashOf } from '../hash.ts';
import { type JoinCounts, joinedRelation } from './join-files.ts';
import { openRelation, type RelationTools } from './open-relation.ts';
import { type StableFile, type Reading, statSource } from './read-file.ts';
import type { Way } from './read-text.ts';
import type { Relation } from './relation.ts';
import { filtered, filterFields } from './where.ts';

export interface DeliveryFiles extends StableFile {
  /** Plain bytes of the joined file; null without one. */
  readonly joinedPath: string | null;
}

const joinedReading = (reading: Reading): Reading | null => {
  const { join } = reading.delivery;
  return join === undefined ? null : { ...reading, delivery: { kind: 'file', ...join, fields: {} } };
};

/** Identifies the files of a delivery as long as they do not change. Throws IngestError when one is missing or empty. */
export async function stampOf(reading: Reading): Promise<string> {
  const { stamp } = await statSource(reading);
  const other = joinedReading(reading);
  return other === null ? stamp : `${stamp} ${(await statSource(other)).stamp}`;
}

export async function holdDelivery(
  hold: (reading: Reading) => Promise<StableFile>,
  reading: Reading,
): Promise<DeliveryFiles> {
  const own = await hold(reading);
  const other = joinedReading(reading);
  if (other === null) return { ...own, joinedPath: null };
  const joined = await hold(other).catch(async (error: unknown) => {
    await own.release();
    throw error;
  });
  return {
    path: own.path,
    joinedPath: joined.path,
    bytes: own.bytes + joined.bytes,
    stamp: `${own.stamp} ${joined.stamp}`,
    contentHash: hashOf(own.contentHash, joined.contentHash),
    isUnchanged: async () => (await own.isUnchanged()) && (await joined.isUnchanged()),
    release: async () => {
      await own.release();
      await joined.release();
    },
  };
}

export interface DeliveryRequest {
  readonly delivery: FileDelivery;
  readonly opened: DeliveryFiles;
  readonly table: RawTable;
  readonly way: Way;
}

export async function openDelivery(
  tools: RelationTools,
  { delivery, opened, table, way }: DeliveryRequest,
): Promise<{ readonly relation: Relation; readonly joined?: JoinCounts }> {
  const { join } = delivery;
  const fields = { ...delivery.fields, ...filterFields(delivery.where) };
  const wanted = { delivery: { ...delivery, fields }, path: opened.path, table, way };
  if (join === undefined || opened.joinedPath === null)
    return { relation: filtered(await openRelation(tools, wanted), delivery) };
  const { joined, ...relation } = await joinedRelation(tools, {
    ...wanted,
    fields,
    join,
    joinedPath: opened.joinedPath,
  });
  return { relation: filtered(relation, delivery), joined };
}
