// Pages to embed elsewhere: a peg, and a lending market, each with seven days as a chart. What is held back, late or without a source says
// so and shows nothing as good.
import type { TObject } from 'typebox';
import { foldAddresses } from '../../../platform/base/fold-addresses.ts';
import { DAY_S } from '../../../platform/base/time.ts';
import { type Static, Strict, Type } from '../../../schemas/define.ts';
import { LENDING_SERIES } from '../../../schemas/lending.ts';
import { PEG_SERIES } from '../../../schemas/oracle-series.ts';
import type { SeriesDefinition, SeriesGap } from '../../../schemas/series.ts';
import { type DatasetEntry, datasetsAsOf } from '../../../snapshots/layout.ts';
import { heldDataset } from '../../../snapshots/verdict.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../../define/endpoint.ts';
import { Failure } from '../../define/failure.ts';
import { currentVersion, missingDocument, servedVersion } from '../../define/missing-data.ts';
import { asOfParameter } from '../../define/parameters.ts';
import { bps, duration, moment, percent } from '../../replies/story/story-text.ts';
import { servicesThen } from '../../replies/verdict.ts';
import { readSeries } from '../../series/read-series.ts';
import type { Services } from '../../services.ts';
import { HTML, openPage, plainType } from '../file-endpoint.ts';
import { embedChart } from './embed-chart.ts';
import { type Embed, type EmbedContext, embedReply, missingEmbed, THEMES } from './embed-page.ts';

const WINDOW_S = 7 * DAY_S;

const EmbedQuery = Strict({
  theme: Type.Optional(Type.Enum([...THEMES], { description: 'Colours; default: those of the reader' })),
  as_of: asOfParameter,
});

type Row = Readonly<Record<string, unknown>>;

interface Subject {
  /** Key of its document. */
  readonly key: string;
  readonly name: string;
  /** Page about it. */
  readonly page: string;
}

interface EmbedKind<P extends TObject> {
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly definition: SeriesDefinition;
  /** The column to draw, and its values as text. */
  readonly column: string;
  readonly text: (value: number) => string;
  readonly subjectOf: (params: Static<P>) => Subject;
  readonly titleOf: (row: Row) => string;
  /** What holds, of a row that is not late. */
  readonly stateOf: (row: Row) => Embed['state'];
  /** Values that are drawn as limits. */
  readonly limitsOf: (row: Row) => readonly number[];
}

const embedEndpoint = <P extends TObject>(kind: EmbedKind<P>): Endpoint =>
  defineEndpoint<P, typeof EmbedQuery>({
    ...openPage,
    path: kind.path,
    summary: kind.summary,
    isBrowsed: true,
    mediaTypes: [plainType(HTML)],
    params: kind.params,
    query: EmbedQuery,
    errors: ['invalid_request', 'internal_error'],
    async handle({ params, query: { theme, as_of } }, services): Promise<Reply> {
      const { dataset } = kind.definition;
      const subject = kind.subjectOf(params);
      const context: EmbedContext = { services, theme, as_of: undefined };
      try {
        const then = as_of === undefined ? services : await servicesThen(services, { as_of }, [dataset]);
        const { manifest } = currentVersion(then);
        const shown = { ...context, as_of: datasetsAsOf(manifest) };
        return embedReply(await embedOf(kind, subject, then), shown);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'not_found') return missingEmbed(error.message, context);
        if (error.code !== 'unavailable') throw error;
        return embedReply(unknownEmbed(subject, error), context);
      }
    },
    mirror: () => [],
  });

/** Held back, or not published yet. */
const unknownEmbed = ({ name, page }: Subject, { message }: Failure): Embed => ({
  title: name,
  state: { text: `Not known: ${message}`, sign: 'unknown' },
  chart: undefined,
  notes: [],
  page,
});

/** @throws Failure `not_found`, or `unavailable` if it is held back or not published yet */
async function embedOf<P extends TObject>(
  kind: EmbedKind<P>,
  { key, page }: Subject,
  services: Services,
): Promise<Embed> {
  const { dataset } = kind.definition;
  const { manifest } = currentVersion(services);
  const held = heldDataset(manifest, dataset);
  if (held !== undefined) throw new Failure('unavailable', held.message);
  const loaded = currentVersion(services).dataset(dataset);
  const document = loaded?.documents.get(key);
  if (loaded === undefined || document === undefined)
    throw missingDocument(servedVersion(services), dataset, key);
  const row = JSON.parse(document.toString()) as Row;
  const { status } = services.freshness(loaded.entry);
  const { chart, completeness } = await history(kind, { key, row, services, entry: loaded.entry });
  const late = { text: 'Not known now: the data is late', sign: 'unknown' } as const;
  return {
    title: kind.titleOf(row),
    state: status === 'fresh' ? kind.stateOf(row) : late,
    chart,
    notes: [status === 'unknown' ? 'Its age is not known' : `The data is ${status}`, completeness],
    page,
  };
}

interface HistoryRequest {
  readonly key: string;
  readonly row: Row;
  readonly services: Services;
  readonly entry: DatasetEntry;
}

async function history<P extends TObject>(
  { definition: { dataset }, column, text, limitsOf }: EmbedKind<P>,
  { key, row, services, entry }: HistoryRequest,
): Promise<{ readonly chart: Embed['chart']; readonly completeness: string }> {
  const to = Math.floor(Date.parse(datasetsAsOf(currentVersion(services).manifest)) / 1_000);
  const from = to - WINDOW_S;
  // Read from further back, because a feed may answer once a day only.
  const range = { resolution: '1h', from: from - WINDOW_S, to } as const;
  const source = { dataset, entry, key, columns: [column] };
  const { t, columns, gaps } = await readSeries(services.series, source, range);
  const first = t.findIndex((second) => second >= from);
  const times = first === -1 ? [] : t.slice(first);
  const values = (columns[column] ?? [])
    .slice(t.length - times.length)
    .map((value) => (typeof value === 'number' ? value : null));
  const shown = gaps.filter((gap) => gap.to > from);
  const chart = embedChart({ t: times, values, gaps: shown, from, to, limits: limitsOf(row), text });
  const begins = Math.min(...t.slice(0, 1), ...gaps.map((gap) => gap.from));
  return {
    chart,
    completeness: completenessOf({ from, to, begins, gaps: shown, isEmpty: chart === undefined }),
  };
}

interface Coverage {
  readonly from: number;
  readonly to: number;
  /** Beginning of what is known of the history, Unix seconds. */
  readonly begins: number;
  readonly gaps: readonly SeriesGap[];
  /** No value is known. */
  readonly isEmpty: boolean;
}

/** Time before the history begins is not a gap, and is not covered. */
function completenessOf({ from, to, begins, gaps, isEmpty }: Coverage): string {
  if (isEmpty) return 'No value of the last 7 days is known';
  const missing = coveredBy(gaps, { from, to });
  const gone = missing === 0 ? 'nothing is missing' : `${duration(missing)} are missing`;
  return begins > from
    ? `The history begins on ${moment(begins)}; since then ${gone}`
    : `Of the last 7 days ${gone}`;
}

/** Seconds of the range in any of the gaps, which may overlap. */
function coveredBy(
  gaps: readonly { readonly from: number; readonly to: number }[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let [sum, end] = [0, from];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const [first, last] = [Math.max(gap.from, end), Math.min(gap.to, to)];
    if (last > first) sum += last - first;
    end = Math.max(end, last);
  }
  return sum;
}

const textIn = (row: Row, name: string): string => (typeof row[name] === 'string' ? row[name] : '');
const numberIn = (row: Row, name: string): number | undefined =>
  typeof row[name] === 'number' ? row[name] : undefined;
const unknown = (why: string): Embed['state'] => ({ text: `Not known: ${why}`, sign: 'unknown' });
const signed = (value: number): string => bps(value).replace('-', '−');

const PEG_SIGNS: Readonly<Record<string, Embed['state']['sign']>> = {
  pegged: 'good',
  disputed: 'warn',
  depegged: 'bad',
};

export const embedPeg = embedEndpoint({
  path: '/embed/pegs/:chain/:name',
  summary: 'A peg with its deviation over seven days, for pages of others',
  params: Strict({
    chain: Type.String({ maxLength: 100 }),
    name: Type.String({ description: 'Name of the asset, as in `GET /v2/pegs`', maxLength: 200 }),
  }),
  definition: PEG_SERIES,
  column: 'deviation_bps',
  text: signed,
  subjectOf: ({ chain, name }) => ({
    key: `${chain.toLowerCase()}|${foldAddresses(name)}`,
    name: `${name} on ${chain}`,
    page: `/pegs?${new URLSearchParams({ chain: chain.toLowerCase(), symbol: foldAddresses(name) })}`,
  }),
  titleOf: (row) => `${textIn(row, 'symbol')} against ${textIn(row, 'quote')}, ${textIn(row, 'chain')}`,
  stateOf(row) {
    const [state, deviation] = [textIn(row, 'state'), numberIn(row, 'deviation_bps')];
    if (row['source_status'] !== 'live') return unknown('no live source');
    if (deviation === undefined || PEG_SIGNS[state] === undefined) return unknown('no price');
    const sources = numberIn(row, 'sources');
    const from = sources === undefined ? '' : ` (${sources === 1 ? '1 source' : `${sources} sources`})`;
    return { text: `${state}, ${signed(deviation)}${from}`, sign: PEG_SIGNS[state] };
  },
  limitsOf(row) {
    const enter = numberIn(row, 'enter_bps');
    if (enter === undefined) return [];
    return row['is_downside_only'] === true ? [-enter] : [-enter, enter];
  },
});

export const embedMarket = embedEndpoint({
  path: '/embed/markets/:chain/:market',
  summary: 'A lending market with its utilization over seven days, for pages of others',
  params: Strict({
    chain: Type.String({ maxLength: 100 }),
    market: Type.String({ description: 'Id of the market, as in `GET /v2/lending/markets`', maxLength: 200 }),
  }),
  definition: LENDING_SERIES,
  column: 'utilization',
  text: percent,
  subjectOf: ({ chain, market }) => ({
    key: `${chain.toLowerCase()}|${foldAddresses(market)}`,
    name: `Market ${market} on ${chain}`,
    page: `/lending?${new URLSearchParams({ chain: chain.toLowerCase(), market: foldAddresses(market) })}`,
  }),
  titleOf: (row) =>
    [textIn(row, 'name') || textIn(row, 'market_id'), textIn(row, 'protocol'), textIn(row, 'chain')]
      .filter((part) => part !== '')
      .join(', '),
  stateOf(row) {
    const utilization = numberIn(row, 'utilization');
    if (row['state_status'] !== 'fresh') return unknown('its state is not fresh');
    if (utilization === undefined) return unknown('no utilization');
    const flags = [
      row['is_utilization_high'] === true ? 'high' : undefined,
      row['is_depth_collapsed'] === true ? 'its depth has collapsed' : undefined,
    ].filter((flag) => flag !== undefined);
    // Both must be known to say that neither holds.
    const isKnown = row['is_utilization_high'] !== null && row['is_depth_collapsed'] !== null;
    return {
      text: [`${percent(utilization)} utilized`, ...flags].join(', '),
      sign: flags.length > 0 ? 'bad' : isKnown ? 'good' : 'unknown',
    };
  },
  limitsOf: () => [],
});
