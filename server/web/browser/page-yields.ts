// Yields: is the yield worth the risk? The URL parameters are those of the API.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type ComparedRow, changeColumns, pointsOfPercent, WITH_CHANGES } from './figure-changes.ts';
import { type Figure, figures } from './figures.ts';
import { filterForm, textFilter } from './filters.ts';
import { age, badge, caption, dollars, isKnown, number, points, span } from './format.ts';
import { heldNote, missingRow } from './missing-reason.ts';
import { from } from './origin.ts';
import { countOfPage, pager } from './pager.ts';
import { panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar, type Dot, scatter } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';
import { troublesView } from './vault-texts.ts';
import { DOUBTS, doubtsOf, type YieldDoubts } from './yield-texts.ts';

interface Factor {
  readonly category: string;
  readonly score: number | null;
  readonly weight: number;
  readonly reason: string | null;
}

interface Opportunity extends ComparedRow, YieldDoubts {
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
  readonly uncoveredDebtLowUsd: number | null;
  readonly uncoveredDebtHighUsd: number | null;
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
    ...WITH_CHANGES,
    ...Object.fromEntries(PARAMETERS.map((name) => [name, param(name)])),
  });

const opportunities = panel<readonly Opportunity[]>({
  id: 'opportunities',
  title: 'Opportunities',
  isWide: true,
  address: () => (param('id') === undefined ? listAddress() : undefined),
  view: (rows, meta) => html`${filters(rows)}${heldNote('yield-opportunities')}
    <p class="note">${countOfPage(rows, meta, 'opportunities')}</p>${pager({ name: 'page[cursor]', of: 'opportunities' }, meta)}
    ${rows.length === 0 ? html`<p class="empty">No opportunity matches these filters.</p>` : html`${picture(rows)}${tableView('Opportunities', COLUMNS, rows)}`}`,
});

/** Defaults of the API. */
const DEFAULT_SORT = '-tvlUsd';
const SORTS: Readonly<Record<string, string>> = {
  '-tvlUsd': 'largest TVL',
  '-netApy': 'highest APY',
  '-riskAdjustedApy': 'highest risk-adjusted APY',
  riskScore: 'lowest risk',
  '-riskScore': 'highest risk',
  name: 'name',
};

const filters = (rows: readonly Opportunity[]): TemplateResult =>
  filterForm(
    [
      { name: 'filter[chain]', label: 'Chain', values: rows.map(({ chain }) => chain) },
      { name: 'filter[venue]', label: 'Venue', values: rows.map(({ venue }) => venue) },
      { name: 'filter[strategy]', label: 'Strategy', values: rows.map(({ strategy }) => strategy) },
      { name: 'filter[riskBand]', label: 'Risk', values: ['low', 'medium', 'high', 'critical'] },
      {
        name: 'sort',
        label: 'Order',
        values: Object.keys(SORTS).filter((sort) => sort !== DEFAULT_SORT),
        none: SORTS[DEFAULT_SORT] ?? '',
        textOf: (sort) => SORTS[sort] ?? sort,
      },
    ],
    html`${textFilter({ name: 'search', label: 'Name or asset' })}${textFilter({ name: 'filter[minApy]', label: 'Minimum APY, %', type: 'number' })}${textFilter({ name: 'filter[minTvl]', label: 'Minimum TVL, USD', type: 'number' })}`,
  );

/** A row whose return or risk is unknown appears only in the table. */
function picture(rows: readonly Opportunity[]): TemplateResult {
  const dots = rows.flatMap(({ netApy, riskScore, name, riskBand }): Dot[] =>
    isKnown(netApy) && isKnown(riskScore) ? [{ x: riskScore, y: netApy, name, group: riskBand ?? '' }] : [],
  );
  const missing = rows.length - dots.length;
  return html`${scatter(dots, { label: `Net APY against risk score of ${dots.length} opportunities; the table has every value`, x: 'risk score, 0 to 100', y: 'net APY, %' })}
    ${missing === 0 ? '' : html`<p class="note"><span data-derived>${missing}</span> opportunities have no known return or risk and appear only in the table.</p>`}`;
}

const column = columnsOf<Opportunity>();

/** The API orders the rows. Sortable headings would order a single page. */
const unsorted = (one: Column<Opportunity>): Column<Opportunity> => {
  const { value: _, ...rest } = one;
  return rest;
};

const COLUMNS: readonly Column<Opportunity>[] = [
  {
    name: 'Opportunity',
    cell: ({ id, name }: Opportunity) => html`<a href=${link('/yields', { id })}>${name}</a>`,
    from: (row: Opportunity) => from(row, 'name'),
  },
  column.text('Chain', 'chain'),
  column.number('Net APY', 'netApy', points),
  ...changeColumns<Opportunity>(
    'Net APY',
    { figure: 'netApy', text: points, changeText: pointsOfPercent, isDaily: true },
    ['change_24h'],
  ),
  column.number('30-day mean', 'apyMean30d', points),
  column.number('Risk-adjusted', 'riskAdjustedApy', points),
  column.number('TVL', 'tvlUsd', dollars),
  ...changeColumns<Opportunity>('TVL', { figure: 'tvlUsd', text: dollars, isDaily: true }, ['change_24h']),
  {
    name: 'Risk',
    cell: (row: Opportunity) =>
      html`${badge(row.riskBand)} <span data-from=${from(row, 'riskScore')}>${number(row.riskScore, 1)}</span>`,
  },
  column.text('Exit', 'withdrawalState', caption),
  {
    name: 'In doubt',
    help: 'Each is explained on the page of the opportunity',
    cell: (row: Opportunity) => doubtsOf(row).map(caption).join(', ') || 'nothing known',
  },
].map(unsorted);

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
  missing: () => missingRow('This opportunity', 'yield-opportunities', param('id') ?? ''),
  view: (row) => html`<p><a href=${link('/yields')}>All opportunities</a></p><h3>${row.name}</h3>
    ${troublesView(doubtsOf(row).map((name) => DOUBTS[name] ?? caption(name)))}
    ${figures([
      { name: 'Net APY', text: points(row.netApy), from: from(row, 'netApy') },
      { name: 'Base APY', text: points(row.baseApy), from: from(row, 'baseApy') },
      { name: 'Reward APY', text: points(row.rewardApy), from: from(row, 'rewardApy') },
      { name: 'TVL', text: dollars(row.tvlUsd), from: from(row, 'tvlUsd') },
      {
        name: 'Withdrawable',
        text: dollars(row.availableLiquidityUsd),
        from: from(row, 'availableLiquidityUsd'),
      },
      ...uncoveredDebt(row),
      {
        name: 'Lockup',
        text: row.lockupSeconds === 0 ? 'none' : span(row.lockupSeconds),
        from: from(row, 'lockupSeconds'),
      },
      { name: 'Updated', text: age(row.updatedAt), from: from(row, 'updatedAt') },
    ])}
    <p>Risk band ${badge(row.riskBand)}, risk score <span data-from=${from(row, 'riskScore')}>${number(row.riskScore)}</span>, from its factors, each between 0 and 100:</p>
    ${tableView('Risk factors', factorColumns(row.riskFactors), row.riskFactors)}
    <details class="quiet"><summary>Id</summary><code>${row.id}</code></details>`,
});

/** Only of a market or vault that is followed. */
function uncoveredDebt(row: Opportunity): readonly Figure[] {
  const { uncoveredDebtLowUsd: low, uncoveredDebtHighUsd: high, flags } = row;
  if (!isKnown(low) && !isKnown(high) && !flags.includes('uncovered_debt_unknown')) return [];
  return [
    { name: 'Debt not covered, at least', text: dollars(low), from: from(row, 'uncoveredDebtLowUsd') },
    { name: 'Debt not covered, at most', text: dollars(high), from: from(row, 'uncoveredDebtHighUsd') },
  ];
}

const factor = columnsOf<Factor>();

/** Only missing factors have a reason. */
const factorColumns = (all: readonly Factor[]): readonly Column<Factor>[] => [
  factor.text('Factor', 'category', caption),
  factor.number('Score, 0 to 100', 'score', (score) => bar(score / 100, number(score, 1))),
  factor.number('Weight', 'weight'),
  ...(all.some(({ reason }) => isKnown(reason))
    ? [{ name: 'Why it is missing', cell: ({ reason }: Factor) => reason ?? '–' }]
    : []),
];

const resolution = (): string => (param('resolution') === 'raw' ? 'raw' : '1d');

const apy = seriesPanel({
  id: 'apy',
  title: 'APY over time',
  note: () => rangeChoice(resolution(), ['raw', '1d']),
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
