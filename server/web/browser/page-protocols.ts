// Protocols: why does a protocol have this score?
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { badge, dayText, isKnown, number, percent, words } from './format.ts';
import { panel } from './panel.ts';
import { seriesPanel } from './series.ts';
import { bar, sparkline, waterfall } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { tableView } from './table.ts';

interface Score {
  readonly protocol: string;
  readonly score: number | null;
  readonly timestamp: string;
}

interface Protocol {
  readonly name: string;
  readonly days: readonly Score[];
}

/** Records of the week, newest first, by protocol. */
function byProtocol(rows: readonly Score[]): Protocol[] {
  const names = [...new Set(rows.map(({ protocol }) => protocol))];
  return names.map((name) => ({
    name,
    days: rows
      .filter(({ protocol }) => protocol === name)
      .toSorted((a, b) => b.timestamp.localeCompare(a.timestamp)),
  }));
}

const scores = panel<readonly Score[]>({
  id: 'scores',
  title: 'Overall scores',
  address: () => target('/v2/datasets/overall-scores'),
  view: (rows) =>
    tableView(
      'Overall scores',
      SCORE_COLUMNS,
      byProtocol(rows).toSorted((a, b) => (b.days[0]?.score ?? -1) - (a.days[0]?.score ?? -1)),
    ),
});

const SCORE_COLUMNS = [
  {
    name: 'Protocol',
    cell: ({ name }: Protocol) => html`<a href=${link('/protocols', { protocol: name })}>${name}</a>`,
    value: ({ name }: Protocol) => name,
  },
  {
    name: 'Score, 0 to 1',
    isNumber: true,
    cell: ({ days }: Protocol) => bar(days[0]?.score, number(days[0]?.score, 4)),
    value: ({ days }: Protocol) => days[0]?.score,
  },
  { name: 'Day', cell: ({ days }: Protocol) => dayText(days[0]?.timestamp) },
  {
    name: 'Seven days',
    cell: ({ name, days }: Protocol) =>
      sparkline(days.map(({ score }) => score).toReversed(), `Score of ${name} on ${days.length} days`),
  },
];

interface Component {
  readonly component: string;
  readonly score: number | null;
  readonly weight: number;
  readonly weight_used: number | null;
  readonly reason: string | null;
  readonly formula: string;
  readonly inputs: string | null;
  readonly oldest_input_day: string | null;
  readonly input_hash: string | null;
}

interface ReceiptOfDay {
  readonly timestamp: string;
  readonly score: number | null;
  readonly reason: string | null;
  readonly known_components: number;
  readonly known_weight: number;
  readonly formula: string;
  readonly components: readonly Component[];
  readonly quality_gate: { readonly verdict: string; readonly warnings: readonly string[] };
  readonly input_hash: string;
  readonly methodology_version: string;
  readonly policy_version: string;
}

const chosen = (): string | undefined => param('protocol');
const of = (path: string, end = '', params = {}): string | undefined => {
  const protocol = chosen();
  return protocol === undefined ? undefined : target(`${path}${encodeURIComponent(protocol)}${end}`, params);
};

const receipt = panel<readonly ReceiptOfDay[]>({
  id: 'receipt',
  title: `Score of ${chosen() ?? 'a protocol'}, part by part`,
  address: () => of('/v2/scores/overall/'),
  view: ([day]) => (day === undefined ? html`<p class="empty">No day.</p>` : dayView(day)),
  table: ([day]) => ({ rows: day?.components ?? [], columns: COMPONENT_COLUMNS }),
});

const dayView = (
  day: ReceiptOfDay,
): TemplateResult => html`<p>${dayText(day.timestamp)}: <strong>${isKnown(day.score) ? number(day.score, 4) : `no score: ${day.reason}`}</strong>
  from ${day.known_components} of ${day.components.length} components ${badge(day.quality_gate.verdict)}</p>
  ${waterfall(day.components.map(stepOf), day.score, 'Contribution of each component')}
  <ul class="rows">${day.components.map(componentItem)}</ul>
  <details class="quiet"><summary>Formula, versions and hash</summary><p>${day.formula}</p><p>methodology ${day.methodology_version}, policy ${day.policy_version}</p><code>${day.input_hash}</code></details>`;

const stepOf = ({ component, score, weight_used }: Component) =>
  isKnown(score) && isKnown(weight_used)
    ? {
        name: component,
        value: score * weight_used,
        words: `${number(score, 3)} × ${number(weight_used, 3)}`,
      }
    : { name: component, value: undefined, words: 'missing' };

const componentItem = (
  one: Component,
): TemplateResult => html`<li><details><summary>${one.component}: ${isKnown(one.score) ? number(one.score, 6) : html`<span class="unknown">${one.reason}</span>`} <span class="quiet">weight ${percent(one.weight, 0)}</span></summary>
  <p class="quiet">${one.formula}</p>
  <ul class="quiet">${(one.inputs ?? '')
    .split(';')
    .filter(Boolean)
    .map((input) => html`<li>${input.replace('=', ' = ')}</li>`)}</ul>
  <p class="quiet">oldest input ${one.oldest_input_day ?? 'of the day itself'}; <code>${one.input_hash ?? 'no inputs'}</code></p></details></li>`;

const COMPONENT_COLUMNS = [
  { name: 'Component', cell: (row: Component) => row.component, value: (row: Component) => row.component },
  {
    name: 'Score',
    isNumber: true,
    cell: (row: Component) => row.score,
    value: (row: Component) => row.score,
  },
  {
    name: 'Weight',
    isNumber: true,
    cell: (row: Component) => row.weight,
    value: (row: Component) => row.weight,
  },
  {
    name: 'Weight used',
    isNumber: true,
    cell: (row: Component) => row.weight_used,
    value: (row: Component) => row.weight_used,
  },
  { name: 'Inputs', cell: (row: Component) => row.inputs },
];

const history = seriesPanel({
  id: 'history',
  title: `Score of ${chosen() ?? 'a protocol'} and its components, 90 days`,
  address: () => of('/v2/scores/overall/', '/history', { resolution: '1d' }),
  columns: ['score'],
  quiet: ['liquidity', 'security', 'decentralization', 'tokenomics', 'development', 'social'],
  unit: 'number',
});

type Figures = Readonly<Record<string, unknown>>;

const governance = panel<readonly Figures[]>({
  id: 'governance',
  title: 'Governance',
  address: () => of('/v2/data/governance/'),
  view: ([day]) =>
    figuresOf(day, [
      'total_proposals',
      'active_proposals',
      'participation_rate',
      'nakamoto_coefficient',
      'top10_power_share',
      'power_gini',
      'power_hhi',
      'total_voters',
    ]),
  table: ([day]) => ({
    rows: Object.entries(day ?? {}).filter(([, value]) => typeof value !== 'object'),
    columns: FIGURE_COLUMNS,
  }),
});

const FIGURE_COLUMNS = [
  {
    name: 'Figure',
    cell: ([name]: [string, unknown]) => words(name),
    value: ([name]: [string, unknown]) => name,
  },
  { name: 'Value', isNumber: true, cell: ([, value]: [string, unknown]) => value },
];

const figuresOf = (day: Figures | undefined, names: readonly string[]): TemplateResult =>
  day === undefined
    ? html`<p class="empty">No day.</p>`
    : html`<p class="note">${dayText(day['timestamp'] as number | string)}</p><div class="figures">${names.map(
        (name) => {
          const value = day[name] as number | null | undefined;
          return html`<div><span class="quiet">${words(name)}</span><strong>${number(value, 4)}</strong></div>`;
        },
      )}</div>`;

interface Development {
  readonly path: string;
  readonly score: number | null;
  readonly timestamp: string;
}

const development = panel<readonly Development[]>({
  id: 'development',
  title: 'Development',
  address: () => (chosen() === undefined ? undefined : target('/v2/datasets/development-protocols')),
  view: (rows) => {
    const own = rows
      .filter(({ path }) => path === chosen())
      .toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
    const last = own.at(-1);
    return last === undefined
      ? html`<p class="empty">No repository of this protocol is tracked.</p>`
      : html`<p class="note">${dayText(last.timestamp)}</p><p><strong>${number(last.score, 4)}</strong> of 1</p>${sparkline(
          own.map(({ score }) => score),
          `Development score on ${own.length} days`,
        )}`;
  },
});

const social = seriesPanel({
  id: 'social',
  title: 'Messages and sentiment',
  address: () => of('/v2/scores/social/discord/', '/history', { resolution: '1d' }),
  columns: ['daily_message_count', 'messages', 'number_of_unique_users', 'users'],
  unit: 'number',
});

showPage([receipt, scores, history, governance, development, social]);
