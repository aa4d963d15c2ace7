// Converts deliveries from and to rows, and their public ids.
import type { Row } from './session.ts';
import { bytesOf, integerOf, integerOrNull, textOf, textOrNull } from './row.ts';
import type { DeliveryCount, DeliveryRecord, DeliveryTally, DueDelivery } from '../webhook-store.ts';

const ID = /^dlv_(\d{16})$/;

/** Has enough digits for every safe integer, so that ids sort like numbers. */
export const deliveryId = (seq: number): string => `dlv_${String(seq).padStart(16, '0')}`;

/** Undefined for text that is not an id. */
export function seqOf(id: string): number | undefined {
  const digits = ID.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const dueOf = (row: Row): DueDelivery => ({
  id: deliveryId(integerOf(row, 'seq')),
  event_id: textOf(row, 'event_id'),
  origin: textOf(row, 'origin') as DueDelivery['origin'],
  attempt: integerOf(row, 'attempt'),
  most_attempts: integerOf(row, 'most_attempts'),
  next_ms: integerOf(row, 'next_ms'),
  body: row['body'] === null ? null : bytesOf(row, 'body'),
});

export function deliveryOf(row: Row, webhook_id: string): DeliveryRecord {
  const code = textOrNull(row, 'error_code');
  return {
    id: deliveryId(integerOf(row, 'seq')),
    webhook_id,
    event_id: textOf(row, 'event_id'),
    event_type: textOf(row, 'event_type'),
    subject_id: textOf(row, 'subject_id'),
    origin: textOf(row, 'origin') as DeliveryRecord['origin'],
    status: textOf(row, 'status') as DeliveryRecord['status'],
    attempt: integerOf(row, 'attempt'),
    most_attempts: integerOf(row, 'most_attempts'),
    created_ms: integerOf(row, 'created_ms'),
    next_ms: integerOrNull(row, 'next_ms'),
    attempted_ms: integerOrNull(row, 'attempted_ms'),
    duration_ms: integerOrNull(row, 'duration_ms'),
    url: textOrNull(row, 'url'),
    response_status: integerOrNull(row, 'response_status'),
    error: code === null ? null : { code, message: textOrNull(row, 'error_message') ?? '' },
    response_body: textOrNull(row, 'response_body'),
    replay_cursor: textOrNull(row, 'replay_cursor'),
    body: row['body'] === null ? null : bytesOf(row, 'body'),
  };
}

/** `limit`: the limit of the counted part. */
export function tallyOf(rows: readonly Row[], limit: number): DeliveryTally {
  const counts = rows.map(
    (row): DeliveryCount => ({
      day: integerOf(row, 'day'),
      status: textOf(row, 'status') as DeliveryCount['status'],
      deliveries: integerOf(row, 'deliveries'),
      attempts: integerOf(row, 'attempts'),
      duration_ms: integerOf(row, 'duration_ms'),
      bucket: integerOrNull(row, 'bucket'),
    }),
  );
  const counted = counts.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const oldest = Math.min(...rows.map((row) => integerOf(row, 'oldest')));
  return { counts, oldest: counted < limit ? null : deliveryId(oldest) };
}
