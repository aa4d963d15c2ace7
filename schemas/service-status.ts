// The verdict of the service: whether everything that is configured is read, accepted and published, and what can be judged.
import { Nullable, type Static, Strict, Type } from './define.ts';

export const SERVICE_STATUSES = ['ok', 'degraded', 'unavailable', 'empty', 'stopping'] as const;

export const REASON_CODES = [
  'never_read',
  'overdue',
  'failing',
  'suspect',
  'refused',
  'empty',
  'held_back',
  'events_withheld',
  'not_yet_published',
  'no_source',
  'inputs_not_recorded',
  'data_overdue',
  'fetching_stopped',
  'published_files',
  'ops_store',
] as const;

export const FAMILY_STATES = ['complete', 'partial', 'unknown', 'no_source', 'pending'] as const;

const named = (description: string) => Nullable(Type.String({ description }));

export const StatusReasonSchema = Strict({
  code: Type.Enum([...REASON_CODES]),
  message: Type.String({ description: 'The reason as a sentence' }),
  source: named('Id of the source that is meant'),
  table_name: named('Raw table that the source delivers to'),
  dataset: named('Id of the dataset that is meant'),
  subject: named('Subject of the dataset that is held back; null if the whole dataset is'),
});
export type StatusReason = Static<typeof StatusReasonSchema>;

export const FamilyStatusSchema = Strict({
  id: Type.String({ description: 'Id of the family' }),
  title: Type.String(),
  state: Type.Enum([...FAMILY_STATES], {
    description:
      '`complete`: can be judged. `partial`: can be judged in part. `unknown`: cannot be judged. `no_source`: no source is configured. `pending`: not computed yet',
  }),
  message: Type.String({ description: 'What can be judged and what cannot, and why' }),
  datasets: Type.Array(Type.String(), { description: 'Datasets of the family, published or not' }),
});
export type FamilyStatus = Static<typeof FamilyStatusSchema>;

const Count = Type.Integer({ minimum: 0 });

export const OpenConditionsSchema = Strict({ critical: Count, high: Count, warn: Count, info: Count });
export type OpenConditions = Static<typeof OpenConditionsSchema>;

export const DATASET_STATES = ['published', 'held_back', 'no_source'] as const;

export interface ServiceVerdict {
  readonly status: (typeof SERVICE_STATUSES)[number];
  /** The open conditions by severity, and then the summary: what a page, an alert or a terminal says first. */
  readonly headline: string;
  /** Null if the conditions are held back, not published, or cannot be read: then it is unknown how many are open. */
  readonly open_conditions: OpenConditions | null;
  /** One sentence: what can be judged, and what is missing. */
  readonly summary: string;
  /** Why the status is not `ok`; empty if it is. */
  readonly reasons: readonly StatusReason[];
  readonly families: readonly FamilyStatus[];
}
