// Networks and layer 2: is the chain behaving normally?
import { html } from 'lit-html';
import { target } from './api.ts';
import { compact, dayText, dollars, isKnown, msOf, number, percent, span, words } from './format.ts';
import { panel } from './panel.ts';
import { seriesPanel } from './series.ts';
import { sparkline } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { tableView } from './table.ts';

type Day = Readonly<Record<string, unknown>> & {
  readonly network: string;
  readonly timestamp: string | number;
};
type Figure = readonly [name: string, heading: string, text: (value: number | null | undefined) => string];

const figureOf = (row: Day, path: string): number | null | undefined => {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined,
      row,
    );
  return typeof value === 'string' ? Number(value) : (value as number | null | undefined);
};

/** The latest day of each figure, with a line over the days before. */
function weekPanel(id: string, title: string, dataset: string, figures: readonly Figure[]) {
  return panel<readonly Day[]>({
    id,
    title,
    address: () => target(`/v2/datasets/${dataset}`),
    view: (rows, meta) => {
      const all = rows.toSorted((a, b) => msOf(a.timestamp) - msOf(b.timestamp));
      const partial = meta['partial_day'];
      const days = all.filter(({ timestamp }) => dayText(timestamp) !== partial);
      const last = days.at(-1);
      if (last === undefined) return html`<p class="empty">No complete day.</p>`;
      return html`<p class="note"><a href=${link('/networks', { network: last.network })}>${last.network}</a>, ${dayText(last.timestamp)}; the lines are ${days.length} complete days</p>
        <div class="figures">${figures.map(
          ([path, heading, text]) =>
            html`<div><span class="quiet">${heading}</span><strong>${text(figureOf(last, path))}</strong>${sparkline(
              days.map((day) => figureOf(day, path) ?? null),
              `${heading} on ${days.length} days`,
            )}</div>`,
        )}</div>`;
    },
    table: (rows) => ({
      rows: rows.toSorted((a, b) => msOf(b.timestamp) - msOf(a.timestamp)),
      columns: [
        { name: 'Day', cell: (row: Day) => dayText(row.timestamp), value: (row: Day) => msOf(row.timestamp) },
        ...figures.map(([path, name]) => ({
          name,
          isNumber: true,
          cell: (row: Day) => figureOf(row, path),
          value: (row: Day) => figureOf(row, path),
        })),
      ],
    }),
  });
}

const activity = weekPanel('activity', 'Blocks and transactions', 'network-a-transaction-statistics', [
  ['daily_new_tx', 'Transactions', compact],
  ['daily_num_blocks_created', 'Blocks', compact],
  [
    'average_block_creation_time',
    'Block time',
    (value) => (isKnown(value) ? `${number(value)} s` : number(value)),
  ],
  ['daily_block_num_stats.base_fee.avg_value', 'Base fee, gwei', number],
  ['daily_block_num_stats.native_burnt.total_value', 'Burnt, native', number],
  ['daily_new_contract', 'New contracts', compact],
]);

const validators = weekPanel('validators', 'Validators and supply', 'network-a-network-statistics', [
  ['num_validators', 'Validators', compact],
  ['total_stake', 'Staked, native', compact],
  ['total_supply', 'Supply, native', compact],
  ['daily_supply_change', 'Supply change', number],
  ['avg_validator_reward', 'Mean reward', (value) => number(value, 5)],
]);

const sharded = weekPanel('sharded', 'Sharded network', 'network-b-statistics', [
  ['num_validators', 'Validators', number],
  ['daily_new_tx', 'Transactions', compact],
  ['daily_new_users', 'New users', compact],
  ['gini_coeff', 'Gini coefficient', (value) => number(value, 4)],
  ['inflation_rate', 'Inflation a year', percent],
  ['staked_native_rate', 'Staked share', percent],
]);

type Layer2 = Readonly<Record<string, number | null>> & {
  readonly network: string & null;
  readonly validation_mechanism: string & null;
};

const layer2 = panel<readonly Layer2[]>({
  id: 'layer2',
  title: 'Layer-2 networks',
  isWide: true,
  address: () => target('/v2/datasets/layer2-statistics'),
  view: (rows) => tableView('Layer-2 networks', LAYER2_COLUMNS, rows),
});

const l2 = (member: string, name: string, text: (value: number | null | undefined) => string) => ({
  name,
  isNumber: true,
  cell: (row: Layer2) => (isKnown(row[member]) ? text(row[member]) : undefined),
  value: (row: Layer2) => row[member],
});

const LAYER2_COLUMNS = [
  {
    name: 'Network',
    cell: ({ network }: Layer2) =>
      html`<a href=${link('/networks', { network: String(network) })}>${network}</a>`,
    value: ({ network }: Layer2) => network,
  },
  {
    name: 'Validation',
    cell: (row: Layer2) => words(row.validation_mechanism),
    value: (row: Layer2) => row.validation_mechanism,
  },
  l2('tvl_usd', 'TVL', dollars),
  l2('tx_daily', 'Transactions a day', compact),
  l2('tx_weekly', 'in 7 days', compact),
  l2('tx_monthly', 'in 30 days', compact),
  l2('fees_daily', 'Fees a day', dollars),
  l2('avg_block_time', 'Block time, s', (value) => number(value, 3)),
  l2('withdrawal_time_sec', 'Withdrawal', span),
  l2('hard_finality', 'Hard finality', span),
];

interface Fact {
  readonly network: string;
  readonly fact: string;
  readonly value: string | null;
  readonly note: string | null;
  readonly source: string | null;
  readonly checked_on: string | null;
}

const facts = panel<readonly Fact[]>({
  id: 'facts',
  title: 'Facts about layer-2 networks',
  isWide: true,
  address: () => target('/v2/datasets/layer2-registry'),
  view: (rows) =>
    tableView(
      'Facts about layer-2 networks',
      [
        { name: 'Network', cell: (row: Fact) => row.network, value: (row: Fact) => row.network },
        { name: 'Fact', cell: (row: Fact) => words(row.fact), value: (row: Fact) => row.fact },
        { name: 'Value', cell: (row: Fact) => row.value },
        { name: 'Note', cell: (row: Fact) => row.note ?? '–' },
        {
          name: 'Source',
          cell: (row: Fact) =>
            row.source?.startsWith('https://')
              ? html`<a href=${row.source} rel="noreferrer">${new URL(row.source).host}</a>`
              : row.source,
        },
        { name: 'Checked', cell: (row: Fact) => row.checked_on, value: (row: Fact) => row.checked_on },
      ],
      rows,
    ),
});

const historyAddress = () => {
  const network = param('network');
  return network === undefined
    ? undefined
    : target(`/v2/networks/${encodeURIComponent(network)}/history`, { resolution: '1d' });
};

const transactions = seriesPanel({
  id: 'transactions',
  title: `Transactions on ${param('network') ?? 'the network'}, 90 days`,
  address: historyAddress,
  columns: ['transactions', 'tx_daily', 'daily_new_tx', 'tx'],
  unit: 'number',
});

const value = seriesPanel({
  id: 'value',
  title: `Value and fees on ${param('network') ?? 'the network'}, 90 days`,
  address: historyAddress,
  columns: ['tvl_usd', 'fees_daily', 'fees_usd'],
  unit: 'usd',
});

showPage([transactions, value, layer2, activity, validators, sharded, facts]);
