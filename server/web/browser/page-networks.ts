// Networks and layer 2: is the chain behaving normally?
import { html, nothing } from 'lit-html';
import { target } from './api.ts';
import { type ComparedRow, changeColumns, WITH_CHANGES } from './figure-changes.ts';
import { caption, compact, DAY_S, dollars, fixed, isKnown, number, percent, span } from './format.ts';
import { from } from './origin.ts';
import { MAX_ROWS, pager } from './pager.ts';
import { panel } from './panel.ts';
import { seriesPanel } from './series.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';
import { weekPanel } from './week-panel.ts';

const activity = weekPanel(
  { id: 'activity', title: 'Blocks and transactions', dataset: 'network-a-transaction-statistics' },
  [
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
  ],
);

const validators = weekPanel(
  { id: 'validators', title: 'Validators and supply', dataset: 'network-a-network-statistics' },
  [
    ['num_validators', 'Validators', compact],
    ['total_stake', 'Staked, native', compact],
    ['total_supply', 'Supply, native', compact],
    ['daily_supply_change', 'Supply change, native', number],
    ['avg_validator_reward', 'Mean reward, native', (value) => number(value, 5)],
  ],
);

const sharded = weekPanel(
  { id: 'sharded', title: 'Sharded network', dataset: 'network-b-statistics', isWide: true },
  [
    ['num_validators', 'Validators', number],
    ['daily_new_tx', 'Transactions', compact],
    ['daily_new_users', 'Users, daily change', compact],
    ['gini_coeff', 'Gini coefficient', (value) => number(value, 4)],
    ['inflation_rate', 'Inflation per year', percent],
    ['staked_native_rate', 'Staked share', percent],
  ],
);

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
  from: (row: Layer2) => from(row, member),
});

/** Days with a decimal: 6.4 d, not 6 d. */
const longSpan = (seconds: number | null | undefined): string =>
  isKnown(seconds) && seconds >= DAY_S ? `${number(seconds / DAY_S, 1)} d` : span(seconds);

const LAYER2_COLUMNS = [
  {
    name: 'Network',
    cell: ({ network }: Layer2) =>
      html`<a href=${link('/networks', { network: String(network) })}>${network}</a>`,
    value: ({ network }: Layer2) => network,
  },
  {
    name: 'Validation',
    cell: (row: Layer2) => caption(row.validation_mechanism),
    value: (row: Layer2) => row.validation_mechanism,
  },
  l2('tvl_usd', 'TVL', dollars),
  l2('tx_daily', 'Transactions per day', compact),
  l2('tx_weekly', 'in 7 days', compact),
  l2('tx_monthly', 'in 30 days', compact),
  l2('fees_daily', 'Fees per day', dollars),
  l2('avg_block_time', 'Block time, s', (value) => fixed(value, 3)),
  l2('withdrawal_time_sec', 'Withdrawal', longSpan),
  l2('hard_finality', 'Hard finality', longSpan),
];

interface Fact {
  readonly network: string;
  readonly fact: string;
  readonly value: string | null;
  readonly note: string | null;
  readonly source: string | null;
  readonly checked_on: string | null;
}

/** Names of facts, and the texts of those that are numbers. */
const FACTS: Readonly<Record<string, readonly [name: string, text?: (value: number) => string]>> = {
  hard_finality: ['hard finality', longSpan],
  settlement_layer_finality: ['finality of the settlement layer', longSpan],
  soft_finality: ['soft finality', (seconds) => `${number(seconds, 3)} s`],
  withdrawal_time_sec: ['withdrawal time', longSpan],
  tx_per_sec_capacity: ['capacity', (value) => `${number(value, 3)} transactions a second`],
};

const factText = (value: string, text: ((value: number) => string) | undefined): string =>
  text === undefined || !Number.isFinite(Number(value)) ? value : text(Number(value));

const fact = columnsOf<Fact>();

const FACT_COLUMNS: readonly Column<Fact>[] = [
  fact.text('Network', 'network'),
  {
    name: 'Fact',
    cell: ({ fact: name }) => FACTS[name]?.[0] ?? caption(name),
    value: ({ fact: name }) => name,
  },
  {
    name: 'Value',
    cell: ({ fact: name, value }) => (isKnown(value) ? factText(value, FACTS[name]?.[1]) : undefined),
    value: ({ value }) => value,
    from: (row) => from(row, 'value'),
  },
  {
    name: 'Note',
    cell: (row) => row.note ?? '–',
    from: (row) => (row.note === null ? nothing : from(row, 'note')),
  },
  {
    name: 'Source',
    cell: ({ source }) =>
      source?.startsWith('https://')
        ? html`<a href=${source} rel="noreferrer">${new URL(source).host}</a>`
        : (source ?? undefined),
    from: (row) => from(row, 'source'),
  },
  fact.text('Checked', 'checked_on'),
];

const facts = panel<readonly Fact[]>({
  id: 'facts',
  title: 'Facts about layer-2 networks',
  isWide: true,
  address: () => target('/v2/datasets/layer2-registry'),
  view: (rows) => tableView('Facts about layer-2 networks', FACT_COLUMNS, rows),
});

interface Network extends ComparedRow {
  readonly network: string;
  readonly kind: string;
  readonly day: string | null;
  readonly days: number;
  readonly transactions: number | null;
  readonly blocks: number | null;
  readonly block_time_s: number | null;
  readonly validators: number | null;
  readonly fees_usd: number | null;
  readonly tvl_usd: number | null;
}

const network = columnsOf<Network>();

const NETWORK_COLUMNS: readonly Column<Network>[] = [
  {
    name: 'Network',
    cell: ({ network: name }) => html`<a href=${link('/networks', { network: name })}>${name}</a>`,
    value: ({ network: name }) => name,
    from: (row) => from(row, 'network'),
  },
  network.text('Kind', 'kind', caption),
  network.text('Day', 'day'),
  network.number('Transactions', 'transactions', compact),
  ...changeColumns<Network>('Transactions', { figure: 'transactions', text: compact, isDaily: true }, [
    'change_24h',
  ]),
  network.number('Blocks', 'blocks', compact),
  network.number('Block time, s', 'block_time_s', (value) => fixed(value, 3)),
  network.number('Validators', 'validators', compact),
  ...changeColumns<Network>('Validators', { figure: 'validators', text: compact, isDaily: true }),
  network.number('Fees', 'fees_usd', dollars),
  network.number('TVL', 'tvl_usd', dollars),
  ...changeColumns<Network>('TVL', { figure: 'tvl_usd', text: dollars, isDaily: true }, ['change_24h']),
  network.number('Days on record', 'days', number),
];

const networks = panel<readonly Network[]>({
  id: 'networks',
  title: 'Networks on their last complete day',
  isWide: true,
  note: 'Each kind of network has the figures that its sources deliver; other figures are not known.',
  address: () => target('/v2/networks', { limit: MAX_ROWS, cursor: param('cursor'), ...WITH_CHANGES }),
  view: (rows, meta) =>
    html`${pager({ name: 'cursor', of: 'networks' }, meta)}${tableView('Networks', NETWORK_COLUMNS, rows)}`,
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
  axis: () => 'transactions a day',
});

const value = seriesPanel({
  id: 'value',
  title: `Value locked on ${param('network') ?? 'the network'}, 90 days`,
  address: historyAddress,
  columns: ['tvl_usd'],
  unit: 'usd',
});

/** Separate from the chart of value locked, next to which fees would be invisible. */
const fees = seriesPanel({
  id: 'fees',
  title: `Fees on ${param('network') ?? 'the network'}, 90 days`,
  address: historyAddress,
  columns: ['fees_usd'],
  unit: 'usd',
});

showPage([transactions, value, fees, networks, layer2, activity, validators, sharded, facts]);
