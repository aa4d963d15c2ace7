// Yields: what pays for which risk? The parameters of the address are those of the API.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { filterForm, textFilter } from './filters.ts';
import { badge, dollars, isKnown, number, points, span, timeText, words } from './format.ts';
import { panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar, type Dot, scatter } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param, setParams } from './state.ts';
import { tableView } from './table.ts';

interface Factor {
  readonly category: string;
  readonly score: number | null;
  readonly weight: number;
  readonly reason: string | null;
}

interface Opportunity {
  readonly id: string;
  readonly name: string;
  readonly venue: string;
  readonly chain: string;
  readonly asset: string;
  readonly strategy: string;
  readonly netApy: number | null;
  readonly baseApy: number | null;
  readonly rewardApy: number | null;
  readonly apyMean30d: number | null;
  readonly tvlUsd: number | null;
  readonly availableLiquidityUsd: number | null;
  readonly riskScore: number | null;
  readonly riskBand: string | null;
  readonly riskFactors: readonly Factor[];
  readonly riskAdjustedApy: number | null;
  readonly withdrawalState: string | null;
  readonly lockupSeconds: number | null;
  readonly updatedAt: string | null;
}

const PARAMETERS = [
  'filter[chain]',
  'filter[venue]',
  'filter[asset]',
  'filter[strategy]',
  'filter[riskBand]',
  'filter[minApy]',
  'filter[maxApy]',
  'filter[minTvl]',
  'search',
  'sort',
  'page[cursor]',
];

const listAddress = (): string =>
  target('/v2/yield/opportunities', {
    'page[limit]': 100,
    ...Object.fromEntries(PARAMETERS.map((name) => [name, param(name)])),
  });

const opportunities = panel<readonly Opportunity[]>({
  id: 'opportunities',
  title: 'Opportunities',
  isWide: true,
  address: () => (param('id') === undefined ? listAddress() : undefined),
  view: (rows, meta) => html`${filters(rows)}
    <p class="note">${number(rows.length)} of ${number(meta.total)} opportunities${pager(meta.cursor ?? null, meta.has_more ?? false)}</p>
    ${rows.length === 0 ? html`<p class="empty">No opportunity fits these filters.</p>` : html`${picture(rows)}${tableView('Opportunities', COLUMNS, rows)}`}`,
});

const SORTS = ['-tvlUsd', '-netApy', '-riskAdjustedApy', 'riskScore', '-riskScore', 'name'];

const filters = (rows: readonly Opportunity[]): TemplateResult =>
  filterForm(
    [
      { name: 'filter[chain]', label: 'Chain', values: rows.map(({ chain }) => chain) },
      { name: 'filter[venue]', label: 'Venue', values: rows.map(({ venue }) => venue) },
      { name: 'filter[strategy]', label: 'Strategy', values: rows.map(({ strategy }) => strategy) },
      { name: 'filter[riskBand]', label: 'Risk', values: ['low', 'medium', 'high', 'critical'] },
      { name: 'sort', label: 'Order', values: SORTS },
    ],
    html`${textFilter({ name: 'search', label: 'Name or asset' })}${textFilter({ name: 'filter[minApy]', label: 'Minimum APY, %', type: 'number' })}${textFilter({ name: 'filter[minTvl]', label: 'Minimum TVL, USD', type: 'number' })}`,
  );

const pager = (cursor: string | null, hasMore: boolean): unknown =>
  html`${
    hasMore && cursor !== null
      ? html` <button type="button" @click=${() => setParams({ 'page[cursor]': cursor }, false)}>Next</button>`
      : ''
  }${isKnown(param('page[cursor]')) ? html` <button type="button" @click=${() => setParams({ 'page[cursor]': undefined })}>First page</button>` : ''}`;

/** A row whose return or risk is not known is in the table only. */
function picture(rows: readonly Opportunity[]): TemplateResult {
  const dots = rows.flatMap(({ netApy, riskScore, name, riskBand }): Dot[] =>
    isKnown(netApy) && isKnown(riskScore) ? [{ x: riskScore, y: netApy, name, group: riskBand ?? '' }] : [],
  );
  const missing = rows.length - dots.length;
  return html`${scatter(dots, { label: `Net APY against risk score of ${dots.length} opportunities; the table has every value`, x: 'risk score, 0 to 100', y: 'net APY, %' })}
    ${missing === 0 ? '' : html`<p class="note">${missing} opportunities have no known return or risk and are in the table only.</p>`}`;
}

const COLUMNS = [
  {
    name: 'Opportunity',
    cell: ({ id, name }: Opportunity) => html`<a href=${link('/yields', { id })}>${name}</a>`,
  },
  { name: 'Chain', cell: (row: Opportunity) => row.chain },
  {
    name: 'Net APY',
    isNumber: true,
    cell: (row: Opportunity) => (isKnown(row.netApy) ? points(row.netApy) : undefined),
  },
  {
    name: 'Mean of 30 days',
    isNumber: true,
    cell: (row: Opportunity) => (isKnown(row.apyMean30d) ? points(row.apyMean30d) : undefined),
  },
  {
    name: 'Adjusted for risk',
    isNumber: true,
    cell: (row: Opportunity) => (isKnown(row.riskAdjustedApy) ? points(row.riskAdjustedApy) : undefined),
  },
  {
    name: 'TVL',
    isNumber: true,
    cell: (row: Opportunity) => (isKnown(row.tvlUsd) ? dollars(row.tvlUsd) : undefined),
  },
  { name: 'Risk', cell: (row: Opportunity) => html`${badge(row.riskBand)} ${number(row.riskScore, 1)}` },
  { name: 'Exit', cell: (row: Opportunity) => words(row.withdrawalState) },
];

const oneAddress = (end = '', params = {}): string | undefined => {
  const id = param('id');
  return id === undefined
    ? undefined
    : target(`/v2/yield/opportunities/${encodeURIComponent(id)}${end}`, params);
};

const one = panel<Opportunity>({
  id: 'opportunity',
  title: 'Opportunity',
  isWide: true,
  address: () => oneAddress(),
  view: (row) => html`<p><a href=${link('/yields')}>All opportunities</a></p><h3>${row.name}</h3>
    <div class="figures">${[
      ['Net APY', points(row.netApy)],
      ['Base APY', points(row.baseApy)],
      ['Reward APY', points(row.rewardApy)],
      ['TVL', dollars(row.tvlUsd)],
      ['Withdrawable', dollars(row.availableLiquidityUsd)],
      ['Lockup', span(row.lockupSeconds)],
      ['Updated, UTC', timeText(row.updatedAt)],
    ].map(
      ([name, value]) => html`<div><span class="quiet">${name}</span><strong>${value}</strong></div>`,
    )}</div>
    <p>${badge(row.riskBand)} risk score ${number(row.riskScore)} of 100, made of:</p>
    ${tableView('Risk factors', FACTOR_COLUMNS, row.riskFactors)}
    <details class="quiet"><summary>Id</summary><code>${row.id}</code></details>`,
});

const FACTOR_COLUMNS = [
  {
    name: 'Factor',
    cell: ({ category }: Factor) => words(category),
    value: ({ category }: Factor) => category,
  },
  {
    name: 'Score, 0 to 100',
    isNumber: true,
    cell: ({ score }: Factor) => bar(isKnown(score) ? score / 100 : undefined, number(score, 1)),
    value: ({ score }: Factor) => score,
  },
  {
    name: 'Weight',
    isNumber: true,
    cell: ({ weight }: Factor) => weight,
    value: ({ weight }: Factor) => weight,
  },
  { name: 'Why it is missing', cell: ({ reason }: Factor) => reason ?? '–' },
];

const resolution = (): string => (param('resolution') === 'raw' ? 'raw' : '1d');

const apy = seriesPanel({
  id: 'apy',
  title: 'APY over time',
  note: rangeChoice(),
  address: () => oneAddress('/history', { resolution: resolution() }),
  columns: ['apy', 'base', 'reward', 'net_apy', 'base_apy', 'reward_apy'],
  unit: 'percent',
});

const tvl = seriesPanel({
  id: 'tvl',
  title: 'Value locked over time',
  address: () => oneAddress('/history', { resolution: resolution() }),
  columns: ['tvl_usd'],
  unit: 'usd',
});

showPage([one, apy, tvl, opportunities]);
