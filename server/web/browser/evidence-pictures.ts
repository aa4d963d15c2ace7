// The charts of an event: its measure around the event, from before the start until the end or now, with the thresholds and everything that
// belongs to it; and the sources of a price. Nothing is computed but which line is drawn.
import type { Evidence, RiskEvent, Value } from './api-shapes.ts';
import type { TimeChart } from './chart.ts';
import type { Decoration } from './chart-scale.ts';
import {
  caption,
  HOUR_S,
  inFull,
  isKnown,
  msOf,
  number,
  percent,
  priceText,
  UNKNOWN,
  dollars,
} from './format.ts';

type EvidenceSeries = Evidence['series'][number];

export interface Picture {
  readonly title: string;
  readonly chart: TimeChart;
}

interface Measure {
  readonly title: string;
  readonly unit: string;
  readonly text: (value: number | null) => string;
}

/** By column, the first that a series has. */
const MEASURES: Readonly<Record<string, Measure>> = {
  deviation_bps: { title: 'Deviation from the reference', unit: 'bps', text: (value) => number(value, 1) },
  price: { title: 'Answers of the feed', unit: '', text: priceText },
  depth_usd: { title: 'Exit depth', unit: '', text: dollars },
  utilization: { title: 'Utilization', unit: '', text: percent },
  confidence: { title: 'Agreement of the signals', unit: '', text: percent },
  liquidity_score: { title: 'Score, 0 to 100', unit: '', text: (value) => number(value, 1) },
};

const WHEN: Readonly<Record<string, string>> = {
  raw: 'around the event',
  '1h': 'from before the start, by hour',
  '1d': 'by day',
};

export function picturesOf(evidence: Evidence): readonly Picture[] {
  const { event, series } = evidence;
  const own = series.filter(({ dataset }) => dataset !== 'feeds' || !event.subject_id.startsWith('peg:'));
  const wholeFirst = own.toReversed();
  return [...wholeFirst.flatMap((one) => measurePicture(evidence, one)), ...sourcesPicture(evidence)];
}

function columnOf({ type, data }: RiskEvent, { columns }: EvidenceSeries): string | undefined {
  const category = typeof data['category'] === 'string' ? `${data['category']}_score` : undefined;
  const first = type === 'liquidity.utilization.spike' ? 'utilization' : category;
  const wanted = [...(first === undefined ? [] : [first]), ...Object.keys(MEASURES)];
  return wanted.find((name) => columns[name]?.some((value) => typeof value === 'number'));
}

function measurePicture(evidence: Evidence, one: EvidenceSeries): readonly Picture[] {
  const column = columnOf(evidence.event, one);
  if (column === undefined) return [];
  const measure = MEASURES[column] ?? {
    title: caption(column),
    unit: '',
    text: (value: number | null) => number(value, 2),
  };
  const { title, unit, text } = measure;
  const withUnit = (value: number | null) =>
    isKnown(value) && unit !== '' ? `${text(value)} ${unit}` : text(value);
  const values = numbersOf(one.columns[column]);
  const full = (value: number | null) => (isKnown(value) ? inFull(value, withUnit(value)) : UNKNOWN);
  const when = WHEN[one.resolution] ?? one.resolution;
  return [
    {
      title: `${title}${column === 'price' ? quoteOf(one) : ''}, ${when}`,
      chart: {
        label: `${title} ${when}`,
        t: one.t,
        gaps: one.gaps,
        ...heldUntil(one),
        axis: withUnit,
        lines: [{ label: title, values, text: full, isStepped: true }],
        decoration: { thresholds: thresholdsOf(evidence.event, column, one), events: marksOf(evidence) },
      },
    },
  ];
}

/** The last value of an hour holds until the hour ends. */
const heldUntil = ({ t, resolution }: EvidenceSeries): Pick<TimeChart, 'until'> =>
  resolution === '1h' && t.length > 0 ? { until: (t.at(-1) ?? 0) + HOUR_S } : {};

/** The unit of the answers of a feed, from its pair. */
const quoteOf = ({ name }: EvidenceSeries): string => {
  const quote = name?.split('-').at(-1);
  return isKnown(quote) && quote !== name ? ` in ${quote}` : '';
};

const numbersOf = (values: readonly Value[] = []): readonly (number | null)[] =>
  values.map((value) => (typeof value === 'number' ? value : null));

/** The event and everything that belongs to it. */
const marksOf = ({
  event,
  course,
}: Pick<Evidence, 'event' | 'course'>): NonNullable<Decoration['events']> => [
  { t: msOf(event.ts) / 1_000, label: `this event: ${caption(event.type)}`, severity: event.severity },
  ...course.map(({ role, ts, severity }) => ({
    t: msOf(ts) / 1_000,
    label: role,
    severity: severity ?? undefined,
  })),
];

type Thresholds = NonNullable<Decoration['thresholds']>;

function thresholdsOf({ data }: RiskEvent, column: string, { columns }: EvidenceSeries): Thresholds {
  const known = (name: string) => (typeof data[name] === 'number' ? data[name] : undefined);
  if (column === 'utilization') return line(known('threshold'), (value) => `limit ${percent(value)}`);
  if (column === 'depth_usd') return line(known('median_usd'), (value) => `median ${dollars(value)}`);
  if (column !== 'deviation_bps') return [];
  const last = (name: string) => numbersOf(columns[name]).findLast(isKnown) ?? undefined;
  const enter = known('effective_enter_bps') ?? last('enter_bps');
  const sign = (known('deviation_bps') ?? -1) < 0 ? -1 : 1;
  return [
    ...line(enter, (value) => `depegged beyond ${number(value, 0)} bps`, sign),
    ...line(last('exit_bps'), (value) => `back within ${number(value, 0)} bps`, sign),
  ];
}

const line = (value: number | undefined, label: (value: number) => string, sign = 1): Thresholds =>
  value === undefined ? [] : [{ value: sign * value, label: label(value) }];

interface Source {
  readonly name: string;
  readonly series: EvidenceSeries;
}

/** All prices of one unit together: that of the asset, and each of its sources until its next answer. */
function sourcesPicture({ event, series, course }: Evidence): readonly Picture[] {
  const own = series.find(({ dataset, resolution }) => dataset === 'pegs' && resolution === 'raw');
  const sources = own === undefined ? [] : sourcesOf(event, series);
  if (own === undefined || sources.length === 0) return [];
  const all = [{ name: 'All together', series: own }, ...sources];
  const t = [...new Set(all.flatMap((one) => one.series.t))].toSorted((a, b) => a - b);
  return [
    {
      title: 'Prices of the sources, around the event',
      chart: {
        label: 'Prices of the sources around the event',
        t,
        gaps: own.gaps,
        axis: (value) => priceText(value),
        lines: all.map(({ name, series: one }, index) => ({
          label: name,
          values: lastBefore(one, t),
          text: priceText,
          isStepped: true,
          colour: index,
          isDashed: index > 0,
        })),
        decoration: { events: marksOf({ event, course }) },
      },
    },
  ];
}

/** Feeds whose answer at the event is the price of the source in its unit: others answer in another unit. */
function sourcesOf({ data, ts }: RiskEvent, series: Evidence['series']): readonly Source[] {
  const { sources } = data;
  if (!Array.isArray(sources)) return [];
  return (sources as readonly Readonly<Record<string, unknown>>[]).flatMap((source) => {
    const address = String(source['oracle_address']);
    const found = series.find(({ dataset, key }) => dataset === 'feeds' && key.endsWith(`|${address}`));
    if (found === undefined) return [];
    const [answer] = lastBefore(found, [msOf(ts) / 1_000]);
    const price = Number(source['price']);
    const isSameUnit = isKnown(answer) && Math.abs(answer - price) <= Math.abs(price) * 1e-6;
    return isSameUnit
      ? [{ name: `${found.name ?? 'source'} ${address.slice(0, 6)}…${address.slice(-4)}`, series: found }]
      : [];
  });
}

/** The last answer at each time; null before the first. */
function lastBefore({ t, columns }: EvidenceSeries, times: readonly number[]): readonly (number | null)[] {
  const values = numbersOf(columns['price']);
  return times.map((time) => values[t.findLastIndex((one) => one <= time)] ?? null);
}
