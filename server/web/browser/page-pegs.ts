// Pegs and oracles: is this price good?
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { Peg } from './api-shapes.ts';
import { age, badge, isKnown, named, number, span, timeText } from './format.ts';
import { filterForm } from './filters.ts';
import { panel } from './panel.ts';
import { PEG_STATES, type PegState, statesOf, worstFirst } from './peg-state.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { tableView } from './table.ts';

const pegs = panel<readonly Peg[]>({
  id: 'pegs',
  title: 'Pegged assets',
  isWide: true,
  address: () => target('/v2/pegs'),
  view: (all) => {
    const state = param('state');
    const shown = all.filter((peg) => state === undefined || statesOf(peg).some((one) => one === state));
    if (all.length === 0) return html`<p class="empty">No pegged asset is tracked.</p>`;
    return html`${filterForm([{ name: 'state', label: 'State', values: PEG_STATES }])}
      ${shown.length === 0 ? html`<p class="empty">None of ${all.length} is in this state.</p>` : html`<ul class="cards">${worstFirst(shown).map(pegCard)}</ul>`}`;
  },
});

/** How a state looks: the shape and colour of a severity. */
const LOOKS: Readonly<Record<PegState, string>> = {
  depegged: 'high',
  disputed: 'warn',
  near: 'warn',
  silent: 'warn',
  unknown: 'unknown',
  single_source: 'info',
  pegged: 'ok',
};

function pegCard(peg: Peg): TemplateResult {
  const { chain, asset_name, symbol, quote, price, deviation_bps, enter_bps, since, state } = peg;
  const isChosen = param('symbol') === asset_name && param('chain') === chain;
  return html`<li class=${state === 'depegged' ? 'is-off' : ''}>
    <a href=${link('/pegs', { chain, symbol: asset_name, state: param('state') })} aria-current=${isChosen ? 'true' : 'false'}><strong>${symbol}</strong> <span class="quiet">${chain}</span><br>
    ${statesOf(peg).map((one) => html`${badge(one, LOOKS[one])} `)}<br>
    ${isKnown(deviation_bps) ? `${number(deviation_bps, 1)} bps` : 'deviation not known'} <span class="quiet">of ${number(enter_bps, 0)}</span><br>
    <span class="quiet">${isKnown(price) ? `${number(Number(price), 5)} ${quote}` : 'price not known'}${state === 'depegged' && isKnown(since) ? html`, since ${age(since)}` : ''}</span></a></li>`;
}

const isPeg = (): boolean => isKnown(param('symbol')) && isKnown(param('chain'));
const isFeed = (): boolean => isKnown(param('feed')) && isKnown(param('chain'));
const part = (name: string): string => encodeURIComponent(param(name) ?? '');
const resolution = (): string => param('resolution') ?? '1h';

const deviation = seriesPanel({
  id: 'deviation',
  title: `Deviation of ${param('symbol') ?? ''} from its peg`,
  address: () =>
    isPeg()
      ? target(`/v2/pegs/${part('chain')}/${part('symbol')}/series`, { resolution: resolution() })
      : undefined,
  columns: ['deviation_bps'],
  unit: 'bps',
  isStepped: true,
  note: rangeChoice(),
  decoration: ({ columns }) => ({
    thresholds: ['enter_bps', 'exit_bps'].flatMap((name) => {
      const value = columns[name]?.findLast((one) => typeof one === 'number');
      return typeof value === 'number'
        ? [
            {
              value: -value,
              label: `${name === 'enter_bps' ? 'depegged' : 'back'} beyond ${number(value)} bps`,
            },
            { value, label: '' },
          ]
        : [];
    }),
  }),
});

const price = seriesPanel({
  id: 'price',
  title: `Price of ${param('symbol') ?? 'the feed'}`,
  address: () => {
    if (isPeg())
      return target(`/v2/pegs/${part('chain')}/${part('symbol')}/series`, { resolution: resolution() });
    return isFeed()
      ? target(`/v2/feeds/${part('chain')}/${part('feed')}/series`, { resolution: resolution() })
      : undefined;
  },
  columns: ['price'],
  quiet: ['reference'],
  unit: 'number',
  digits: 6,
  isStepped: true,
});

interface Feed {
  readonly provider: string;
  readonly pair: string;
  readonly chain: string;
  readonly feed_address: string;
  readonly category: string | null;
  readonly heartbeat_s: number | null;
  readonly deviation_bps: number | null;
  readonly last_update_at: string | null;
  readonly status: string | null;
}

const feeds = panel<readonly Feed[]>({
  id: 'feeds',
  title: 'Feeds',
  isWide: true,
  address: () => target('/v2/datasets/oracle-pairs'),
  view: (rows) => {
    const status = param('status');
    const shown = rows.filter(
      (row) =>
        (status === undefined || row.status === status) &&
        (param('feed') === undefined || row.feed_address === param('feed')),
    );
    return html`${shown.length < rows.length ? html`<p class="note">${shown.length} of ${rows.length} feeds. <a href=${link('/pegs')}>All feeds</a></p>` : ''}${tableView('Feeds', FEED_COLUMNS, shown)}`;
  },
});

const FEED_COLUMNS = [
  {
    name: 'Pair',
    cell: ({ pair, chain, feed_address }: Feed) =>
      html`<a href=${link('/pegs', { chain, feed: feed_address })}>${pair}</a>`,
    value: ({ pair }: Feed) => pair,
  },
  { name: 'Chain', cell: ({ chain }: Feed) => chain, value: ({ chain }: Feed) => chain },
  { name: 'State', cell: ({ status }: Feed) => badge(status), value: ({ status }: Feed) => status },
  {
    name: 'Last update',
    cell: (row: Feed) => age(row.last_update_at),
    value: (row: Feed) => row.last_update_at,
  },
  {
    name: 'Heartbeat',
    isNumber: true,
    cell: (row: Feed) => span(row.heartbeat_s),
    value: (row: Feed) => row.heartbeat_s,
  },
  {
    name: 'Deviation, bps',
    isNumber: true,
    cell: (row: Feed) => row.deviation_bps,
    value: (row: Feed) => row.deviation_bps,
  },
  { name: 'Kind', cell: (row: Feed) => row.category, value: (row: Feed) => row.category },
  { name: 'Address', cell: (row: Feed) => named('show', row.feed_address) },
];

interface Day {
  readonly pair: string;
  readonly feed_address: string;
  readonly timestamp: string;
  readonly updates: number | null;
  readonly max_gap_s: number | null;
  readonly heartbeat_breaches: number | null;
  readonly deviation_triggers: number | null;
  readonly max_deviation_bps: number | null;
  readonly price: { readonly min: number | null; readonly max: number | null; readonly last: number | null };
}

const days = panel<readonly Day[]>({
  id: 'days',
  title: 'Behaviour by day',
  isWide: true,
  address: () => (isFeed() ? target('/v2/datasets/oracle-parameters') : undefined),
  view: (rows) =>
    tableView(
      'Behaviour by day',
      DAY_COLUMNS,
      rows.filter((row) => row.feed_address === param('feed')),
    ),
});

const DAY_COLUMNS = [
  {
    name: 'Day',
    cell: (row: Day) => timeText(row.timestamp).slice(0, 10),
    value: (row: Day) => row.timestamp,
  },
  { name: 'Updates', isNumber: true, cell: (row: Day) => row.updates, value: (row: Day) => row.updates },
  {
    name: 'Last',
    isNumber: true,
    cell: ({ price: { last } }: Day) => number(last, 6),
    value: ({ price: { last } }: Day) => last,
  },
  {
    name: 'Lowest',
    isNumber: true,
    cell: ({ price: { min } }: Day) => number(min, 6),
    value: ({ price: { min } }: Day) => min,
  },
  {
    name: 'Highest',
    isNumber: true,
    cell: ({ price: { max } }: Day) => number(max, 6),
    value: ({ price: { max } }: Day) => max,
  },
  {
    name: 'Longest gap',
    isNumber: true,
    cell: (row: Day) => span(row.max_gap_s),
    value: (row: Day) => row.max_gap_s,
  },
  {
    name: 'Heartbeats missed',
    isNumber: true,
    cell: ({ heartbeat_breaches: count, updates }: Day) =>
      isKnown(count) && isKnown(updates) ? bar(count / Math.max(1, updates), String(count)) : count,
    value: (row: Day) => row.heartbeat_breaches,
  },
];

showPage([deviation, price, days, pegs, feeds]);
