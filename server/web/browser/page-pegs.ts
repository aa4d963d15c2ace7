// Pegs and feeds: can I trust this price?
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { Peg } from './api-shapes.ts';
import { type ComparedRow, changeLine, WITH_CHANGES } from './figure-changes.ts';
import { countOf } from './figures.ts';
import { filterForm } from './filters.ts';
import {
  age,
  badge,
  caption,
  dayText,
  isKnown,
  lasting,
  named,
  number,
  priceText,
  serviceBadge,
  shortName,
  span,
} from './format.ts';
import { anyHeldReason, heldNote } from './missing-reason.ts';
import { from, lengthOf } from './origin.ts';
import { countOfPage, MAX_ROWS, pager } from './pager.ts';
import { panel } from './panel.ts';
import { PEG_STATES, type PegState, statesOf, worstFirst } from './peg-state.ts';
import { plainTable } from './plain-table.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

let listed: readonly Peg[] = [];

const pegs = panel<readonly (Peg & ComparedRow)[]>({
  id: 'pegs',
  title: 'Pegged assets',
  isWide: true,
  address: () => target('/v2/pegs', { limit: MAX_ROWS, cursor: param('pegs_cursor'), ...WITH_CHANGES }),
  draw: (_, all) => {
    listed = all;
    for (const { element } of [deviation, price]) element.dispatchEvent(new CustomEvent('repaint'));
  },
  view: (all, meta) => {
    const state = param('state');
    const shown = all.filter((peg) => state === undefined || statesOf(peg).some((one) => one === state));
    if (all.length === 0)
      return html`${heldNote('pegs')}<p class="empty">No pegged assets are ${anyHeldReason('pegs') === undefined ? 'tracked' : 'published'}.</p>`;
    return html`${filterForm([{ name: 'state', label: 'State', values: PEG_STATES }])}${heldNote('pegs')}
      ${meta.has_more || isKnown(param('pegs_cursor')) ? html`<p class="note">${countOfPage(all, meta, 'pegged assets')}.</p>${pager({ name: 'pegs_cursor', of: 'pegged assets' }, meta)}` : nothing}
      ${shown.length === 0 ? html`<p class="empty">None of ${countOf(all.length, lengthOf(all))} is in this state.</p>` : html`<ul class="cards">${worstFirst(shown).map(pegCard)}</ul>`}`;
  },
  table: plainTable,
});

/** The look of a state: the shape and colour of a severity. */
const LOOKS: Readonly<Record<PegState, string>> = {
  depegged: 'high',
  disputed: 'warn',
  near: 'warn',
  silent: 'stale',
  unknown: 'unknown',
  single_source: 'aging',
  pegged: 'ok',
};

/** States that say what is not known of the price, not how far it is off. */
const IS_OF_DATA: ReadonlySet<PegState> = new Set(['silent', 'unknown', 'single_source']);

const DEVIATION = { figure: 'deviation_bps', text: (value: number) => `${number(value, 1)} bps` };

function pegCard(peg: Peg & ComparedRow): TemplateResult {
  const { chain, asset_name, symbol, quote, price, deviation_bps, enter_bps, since, state } = peg;
  const isChosen = param('symbol') === asset_name && param('chain') === chain;
  return html`<li class=${state === 'depegged' ? 'is-off' : ''}>
    <a href=${link('/pegs', { chain, symbol: asset_name, state: param('state') })} aria-current=${isChosen ? 'true' : 'false'}><strong>${symbol}</strong> <span class="quiet">${chain}</span><br>
    ${statesOf(peg).map((one) => html`${IS_OF_DATA.has(one) ? serviceBadge(one, LOOKS[one]) : badge(one, LOOKS[one])} `)}<br>
    ${isKnown(deviation_bps) ? html`<span data-from=${from(peg, 'deviation_bps')}>${number(deviation_bps, 1)} bps</span>` : 'deviation not known'} <span class="quiet">of <span data-from=${from(peg, 'enter_bps')}>${number(enter_bps, 0)}</span></span><br>
    ${changeLine(peg, DEVIATION)}<br>
    <span class="quiet">${isKnown(price) ? html`<span data-from=${from(peg, 'price')}>${priceText(Number(price))}</span> ${quote}` : 'price not known'}${state === 'depegged' && isKnown(since) ? html`, for ${lasting(since)}` : ''}</span></a></li>`;
}

const isPeg = (): boolean => isKnown(param('symbol')) && isKnown(param('chain'));
const isFeed = (): boolean => isKnown(param('feed')) && isKnown(param('chain'));
const part = (name: string): string => encodeURIComponent(param(name) ?? '');
const resolution = (): string => param('resolution') ?? '1h';

/** Taken from the list of pegs, once it is loaded. */
const isDownsideOnly = (): boolean =>
  listed.some(
    ({ chain, asset_name, is_downside_only }) =>
      chain === param('chain') && asset_name === param('symbol') && is_downside_only,
  );

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
  note: () =>
    html`${rangeChoice(resolution())} <a href=${link('/contagion', { from: `asset:${param('symbol')}` })}>What falls with it</a>`,
  decoration: ({ columns }) => ({
    thresholds: ['enter_bps', 'exit_bps'].flatMap((name) => {
      const value = columns[name]?.findLast((one) => typeof one === 'number');
      return typeof value === 'number'
        ? [
            {
              value: -value,
              label: `${name === 'enter_bps' ? 'depegged beyond' : 'back within'} ${number(value)} bps`,
            },
            ...(isDownsideOnly() ? [] : [{ value, label: '' }]),
          ]
        : [];
    }),
  }),
});

/** The unit of the price, once the list that names it is there. */
function quote(): string | undefined {
  const pair = listedFeeds.find(({ feed_address }) => feed_address === param('feed'))?.pair;
  return isPeg()
    ? listed.find(({ chain, asset_name }) => chain === param('chain') && asset_name === param('symbol'))
        ?.quote
    : (pair?.split('-').at(-1) ?? undefined);
}

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
  axis: quote,
  digits: 6,
  isStepped: true,
});

interface Feed {
  readonly provider: string | null;
  readonly pair: string | null;
  readonly chain: string;
  readonly feed_address: string;
  readonly category: string | null;
  readonly heartbeat_s: number | null;
  readonly deviation_bps: number | null;
  readonly last_update_at: string | null;
  readonly status: string;
  readonly price: number | null;
}

const STATUSES = ['stale', 'unverifiable', 'unknown', 'fresh'];

let listedFeeds: readonly Feed[] = [];

const feeds = panel<readonly Feed[]>({
  id: 'feeds',
  title: 'Feeds',
  isWide: true,
  address: () =>
    isFeed()
      ? target('/v2/feeds', { chain: param('chain'), feed_address: param('feed') })
      : target('/v2/feeds', { status: param('status'), limit: MAX_ROWS, cursor: param('feeds_cursor') }),
  draw: (_, rows) => {
    listedFeeds = rows;
    price.element.dispatchEvent(new CustomEvent('repaint'));
  },
  view: (rows, meta) =>
    html`${isFeed() ? nothing : filterForm([{ name: 'status', label: 'State of feeds', values: STATUSES }])}${heldNote('feeds')}
      <p class="note">${countOfPage(rows, meta, 'feeds')}, stale ones first. ${isFeed() ? html`<a href=${link('/pegs')}>All feeds</a>` : ''}</p>
      ${pager({ name: 'feeds_cursor', of: 'feeds' }, meta)}
      ${tableView(
        'Feeds',
        FEED_COLUMNS,
        rows.toSorted((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status)),
        SHORT_PAGE,
      )}`,
});

const feedColumn = columnsOf<Feed>();

const FEED_COLUMNS: readonly Column<Feed>[] = [
  {
    name: 'Pair',
    cell: ({ pair, chain, feed_address }) =>
      html`<a href=${link('/pegs', { chain, feed: feed_address })}>${pair ?? shortName(feed_address)}</a>`,
    value: ({ pair }) => pair,
    from: (row) => (row.pair === null ? nothing : from(row, 'pair')),
  },
  feedColumn.text('Provider', 'provider'),
  feedColumn.text('Chain', 'chain'),
  feedColumn.text('State', 'status', badge),
  feedColumn.number('Price', 'price', priceText),
  feedColumn.text('Last update', 'last_update_at', age),
  feedColumn.number('Heartbeat', 'heartbeat_s', span),
  feedColumn.number('Deviation, bps', 'deviation_bps', (value) => number(value, 5)),
  feedColumn.text('Kind', 'category', caption),
  { name: 'Address', cell: (row) => named('show', row.feed_address) },
];

interface Day {
  readonly chain: string;
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
      rows.filter((row) => row.feed_address === param('feed') && row.chain === param('chain')),
    ),
});

const dayColumn = columnsOf<Day>();

const priceColumn = (name: string, member: 'last' | 'min' | 'max'): Column<Day> => ({
  name,
  isNumber: true,
  cell: ({ price }) => (isKnown(price[member]) ? priceText(price[member]) : undefined),
  value: ({ price }) => price[member],
  from: (row) => from(row.price, member),
});

const DAY_COLUMNS: readonly Column<Day>[] = [
  dayColumn.text('Day', 'timestamp', dayText),
  dayColumn.number('Updates', 'updates', number),
  priceColumn('Last', 'last'),
  priceColumn('Lowest', 'min'),
  priceColumn('Highest', 'max'),
  dayColumn.number('Longest gap', 'max_gap_s', span),
  dayColumn.number('Heartbeats missed', 'heartbeat_breaches', number),
];

showPage([deviation, price, days, pegs, feeds]);
