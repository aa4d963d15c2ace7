// The log of corrections: an append-only dataset of its own. The last version's entries are carried over byte for byte.
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../platform/base/json.ts';
import { nextUlid } from '../../../platform/base/ulid.ts';
import { type Correction, CorrectionSchema } from '../../../schemas/corrections.ts';
import type { CarriedDataset, DatasetInput } from '../../../snapshots/dataset-intake.ts';
import type { Document } from '../../../snapshots/layout.ts';
import { openVersion } from '../../../snapshots/read.ts';
import type { PipelineContext } from '../context.ts';
import { confidenceOf, gateOf, NO_INPUTS } from '../gate/quality.ts';
import type { DailyChange } from './daily-rows.ts';
import { type Publication, statedCadence, TICK_CADENCE_S } from './publication.ts';
import { tableForms } from './table-form.ts';

export const CORRECTIONS = {
  id: 'corrections',
  title: 'Changes to days that had left the seven-day lists',
  key: ['id'],
  separator: '|',
  shape: 'one',
  row: CorrectionSchema,
} as const;

interface Amendment {
  readonly changes: readonly DailyChange[];
  readonly reason: string;
  /** Logical time of the version about to be published. */
  readonly as_of: string;
}

/** The log with the changes appended. @throws DamagedFileError when the last version's log cannot be read: there is no other copy. */
export async function correctionsInput(
  context: PipelineContext,
  { previous }: Publication,
  { changes, reason, as_of }: Amendment,
): Promise<DatasetInput | CarriedDataset> {
  const known = previous?.datasets[CORRECTIONS.id];
  if (changes.length === 0 && known !== undefined)
    return { id: CORRECTIONS.id, kept: true, computed_at: as_of };
  const version = previous?.version ?? '';
  const log = known === undefined ? [] : await readLog(context, version);
  const documents = [...log, ...entriesOf(log, { changes, reason, as_of, version })];
  const policy = context.policy.policy_version;
  return {
    id: CORRECTIONS.id,
    documents,
    ...tableForms(context, CORRECTIONS, documents),
    computed_at: as_of,
    update_cadence_seconds: statedCadence(context, TICK_CADENCE_S),
    sources: [],
    confidence: confidenceOf(NO_INPUTS),
    quality_gate: gateOf([{ name: 'entries are only added', verdict: 'pass', detail: null }], as_of, policy),
  };
}

const readLog = async ({ snapshots }: PipelineContext, version: string): Promise<readonly Document[]> =>
  (await openVersion(snapshots, version)).documents(CORRECTIONS.id);

/** Entries for changes that the log does not have yet: after an interrupted publication, the next run finds the same changes again. */
function entriesOf(log: readonly Document[], made: Amendment & { readonly version: string }): Document[] {
  const latest = new Map(
    log.map(({ value }) => [positionOf(value as unknown as Correction), value as unknown as Correction]),
  );
  let last = log.at(-1)?.key ?? null;
  return made.changes.flatMap((change): Document[] => {
    const { dataset, key, part, before: old_value, after: new_value } = change;
    const day = new Date(change.day * 1000).toISOString().slice(0, 10);
    const location = positionOf({ dataset, key, part, day });
    const same = latest.get(location);
    if (isDeepStrictEqual([same?.old_value, same?.new_value], [old_value, new_value])) return [];
    const id = nextUlid(last, Date.parse(made.as_of), location);
    last = id;
    const fields = differing(old_value, new_value);
    const { reason, version: replaced_version, as_of } = made;
    const value = {
      id,
      dataset,
      key,
      part,
      day,
      fields,
      old_value,
      new_value,
      reason,
      replaced_version,
      as_of,
    };
    return [{ key: id, value }];
  });
}

const positionOf = ({
  dataset,
  key,
  part,
  day,
}: Pick<Correction, 'dataset' | 'key' | 'part' | 'day'>): string => JSON.stringify([dataset, key, part, day]);

function differing(before: DailyChange['before'], after: DailyChange['after']): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const value = (row: DailyChange['before'], name: string): Json => row?.[name] ?? null;
  return [...names].filter((name) => !isDeepStrictEqual(value(before, name), value(after, name)));
}
