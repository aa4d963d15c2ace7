// The state of every dataset on each day, as publications recorded it: the worst verdict of its gate, and its worst freshness. Data also
// ages between two versions, so its age is measured just before a version replaces the last one, and at the end of the last version's day.
// It is the age that readers see: after a pause, the runs that catch up do not make the data of the pause look fresh.
import { DAY_S, dayOf, isoOf } from '../../../../platform/base/time.ts';
import { freshnessStatus } from '../../../../schemas/provenance.ts';
import {
  ALL_DATASETS,
  FRESHNESS_STATES,
  GATE_VERDICTS,
  STATUS_SERIES,
  type StatusDay,
  StatusDaySchema,
} from '../../../../schemas/status-history.ts';
import type { DatasetInput } from '../../../../snapshots/dataset-intake.ts';
import {
  type DatasetEntry,
  type Document,
  datasetsAsOf,
  type Manifest,
} from '../../../../snapshots/layout.ts';
import type { PipelineContext } from '../../context.ts';
import { confidenceOf, gateOf, NO_INPUTS } from '../../gate/quality.ts';
import type { JudgedGate } from '../conditions.ts';
import { type Publication, statedCadence, TICK_CADENCE_S } from '../publication.ts';
import { tableForms } from '../table-form.ts';
import type { DayValues, Look } from './recorded-days.ts';
import { recordedSeries } from './recorded-series.ts';

const DATASET = {
  id: STATUS_SERIES.dataset,
  title: 'Worst state of every dataset on each day',
  key: ['dataset'],
  separator: '|',
  shape: 'one',
  row: StatusDaySchema,
} as const;

type State = Pick<StatusDay, 'gate' | 'freshness'>;

export async function statusHistoryInput(
  context: PipelineContext,
  publication: Publication,
  gates: readonly JudgedGate[],
): Promise<DatasetInput> {
  const { now } = publication;
  const looks = looksOf(gates, publication, Math.max(now, Math.floor(context.nowMs() / 1000)));
  const columns = { names: Object.keys(STATUS_SERIES.columns), join: joined };
  const { parts, days } = await recordedSeries(context, { dataset: DATASET.id, columns, looks }, publication);
  const today = isoOf(dayOf(now)).slice(0, 10);
  const documents = [...new Set(looks.map(({ key }) => key))].map((key): Document => {
    const { gate = null, freshness = null } = days.at(key, dayOf(now)) ?? {};
    return { key, value: { dataset: key, day: today, gate, freshness } };
  });
  const check = { name: 'every publication is noted', verdict: 'pass', detail: null } as const;
  return {
    id: DATASET.id,
    documents,
    ...tableForms(context, DATASET, documents),
    computed_at: isoOf(now),
    update_cadence_seconds: statedCadence(context, TICK_CADENCE_S),
    sources: [],
    confidence: confidenceOf(NO_INPUTS),
    quality_gate: gateOf([check], isoOf(now), context.policy.policy_version),
    series: parts,
  };
}

/** `seenAt`: the current time as readers see it, Unix seconds. */
function looksOf(
  gates: readonly JudgedGate[],
  { now, previous }: Publication,
  seenAt: number,
): readonly Look[] {
  const seen = gates.map(({ id, gate: { verdict } }) => {
    if (verdict === 'not_evaluated') return { key: id, gate: verdict, freshness: 'unknown' as const };
    const entry = previous?.datasets[id];
    const before = entry && freshnessAt(entry, seenAt);
    const after = verdict === 'fail' ? (before ?? 'unknown') : 'fresh';
    return { key: id, gate: verdict, freshness: worse(FRESHNESS_STATES, before ?? after, after) };
  });
  const earlier = previous === null ? [] : endOfDayBefore(previous, now, gates);
  return [...withAll(earlier, dayOfVersion(previous)), ...withAll(seen, dayOf(now))];
}

const dayOfVersion = (version: Manifest | null): number =>
  version === null ? 0 : dayOf(Date.parse(datasetsAsOf(version)) / 1000);

/** States at the end of the last version's day, once that day is over. */
function endOfDayBefore(version: Manifest, now: number, gates: readonly JudgedGate[]): readonly KeyedState[] {
  const { datasets } = version;
  const day = dayOfVersion(version);
  if (day === dayOf(now) || datasets[DATASET.id] === undefined) return [];
  return gates.flatMap(({ id: key }) => {
    const entry = datasets[key];
    if (entry === undefined) return [];
    const gate = entry.quality_gate.verdict;
    const aged = freshnessAt(entry, day + DAY_S - 1);
    return [{ key, gate, freshness: gate === 'not_evaluated' ? 'unknown' : aged }];
  });
}

const freshnessAt = (entry: DatasetEntry, at: number): State['freshness'] =>
  freshnessStatus(at - Date.parse(entry.computed_at) / 1000, entry.update_cadence_seconds);

interface KeyedState extends State {
  readonly key: string;
}

function withAll(states: readonly KeyedState[], day: number): readonly Look[] {
  // A dataset without a source is neither good nor bad, unless there is no other.
  const evaluated = states.filter(({ gate }) => gate !== 'not_evaluated');
  const all = (evaluated.length > 0 ? evaluated : states).reduce<State | undefined>(
    (worst, state) => worseState(worst ?? state, state),
    undefined,
  );
  const looks = states.map(({ key, gate, freshness }) => ({ key, day, values: { gate, freshness } }));
  return all === undefined
    ? []
    : [{ key: ALL_DATASETS, day, values: { gate: all.gate, freshness: all.freshness } }, ...looks];
}

const worse = <T extends string>(order: readonly T[], a: T, b: T): T =>
  order.indexOf(a) > order.indexOf(b) ? a : b;

const worseState = (a: State, b: State): State => ({
  gate: worse(GATE_VERDICTS, a.gate, b.gate),
  freshness: worse(FRESHNESS_STATES, a.freshness, b.freshness),
});

const joined = (known: DayValues, seen: DayValues): DayValues => ({
  ...worseState(known as unknown as State, seen as unknown as State),
});
