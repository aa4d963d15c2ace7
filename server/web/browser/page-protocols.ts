// Protocols: why does a protocol have this score?
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type ComparedRow, changeColumns, WITH_CHANGES } from './figure-changes.ts';
import { countOf, figures } from './figures.ts';
import { caption, dayText, fixed, isKnown, number, percent, plainText } from './format.ts';
import { from, lengthOf } from './origin.ts';
import { panel } from './panel.ts';
import { protocolRisk } from './protocol-risk.ts';
import { seriesPanel } from './series.ts';
import { dataBadge } from './service-verdict.ts';
import { bar, type Step, sparkline, waterfall } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';

interface Overall extends ComparedRow {
  readonly protocol: string;
  readonly timestamp: string;
  readonly score: number | null;
  readonly reason: string | null;
  readonly known_components: number;
  readonly components: readonly Component[];
}

const scores = panel<readonly Overall[]>({
  id: 'scores',
  title: 'Overall scores',
  isWide: true,
  address: () => target('/v2/scores/overall', WITH_CHANGES),
  view: (rows) =>
    tableView(
      'Overall scores',
      scoreColumns(rows),
      rows.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1)),
    ),
});

const overall = columnsOf<Overall>();

/** One column per component in the responses. */
function scoreColumns(rows: readonly Overall[]): readonly Column<Overall>[] {
  const names = [...new Set(rows.flatMap(({ components }) => components.map(({ component }) => component)))];
  return [
    {
      name: 'Protocol',
      cell: ({ protocol }) => html`<a href=${link('/protocols', { protocol })}>${protocol}</a>`,
      value: ({ protocol }) => protocol,
      from: (row) => from(row, 'protocol'),
    },
    {
      name: 'Score, 0 to 1',
      isNumber: true,
      cell: ({ score, reason }) =>
        isKnown(score) ? bar(score, fixed(score, 4)) : html`<span class="reason">${reason}</span>`,
      value: ({ score }) => score,
      from: (row) => from(row, isKnown(row.score) ? 'score' : 'reason'),
    },
    ...changeColumns<Overall>('Score', { figure: 'score', text: (score) => fixed(score, 4), isDaily: true }, [
      'change_24h',
      'change_7d',
    ]),
    ...names.map((name): Column<Overall> => {
      const of = ({ components }: Overall) => components.find(({ component }) => component === name);
      return {
        name: caption(name),
        isNumber: true,
        cell: (row) => {
          const score = of(row)?.score;
          return isKnown(score) ? fixed(score, 3) : undefined;
        },
        value: (row) => of(row)?.score,
        from: (row) => from(of(row), 'score'),
      };
    }),
    overall.text('Day', 'timestamp', dayText),
  ];
}

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
  title: `Score of ${chosen() ?? 'a protocol'}, by component`,
  isWide: true,
  address: () => of('/v2/scores/overall/'),
  view: ([day]) => (day === undefined ? html`<p class="empty">No day.</p>` : dayView(day)),
  table: ([day]) => ({ rows: day?.components ?? [], columns: COMPONENT_COLUMNS }),
});

const dayView = (
  day: ReceiptOfDay,
): TemplateResult => html`<p><span data-from=${from(day, 'timestamp')}>${dayText(day.timestamp)}</span>: <strong>${isKnown(day.score) ? html`<span data-from=${from(day, 'score')}>${number(day.score, 4)}</span>` : `no score: ${day.reason}`}</strong>
  from <span data-from=${from(day, 'known_components')}>${day.known_components}</span> of ${countOf(day.components.length, lengthOf(day.components))} components ${dataBadge(day.quality_gate.verdict)}</p>
  <div class="side-by-side">${waterfall(day.components.map(stepOf), { value: day.score, from: from(day, 'score') }, 'Contribution of each component')}
  <ul class="rows">${day.components.map(componentItem)}</ul></div>
  <details class="quiet"><summary>Formula, versions and hash</summary><p data-from=${from(day, 'formula')}>${day.formula}</p><p>methodology <span data-from=${from(day, 'methodology_version')}>${day.methodology_version}</span>, policy <span data-from=${from(day, 'policy_version')}>${day.policy_version}</span></p><code>${day.input_hash}</code></details>`;

function stepOf(one: Component): Step {
  const { component: name, score, weight_used: weight } = one;
  if (!isKnown(score) || !isKnown(weight))
    return { name, value: undefined, text: 'missing', view: 'missing' };
  const view = html`<span data-from=${from(one, 'score')}>${number(score, 3)}</span> × <span data-from=${from(one, 'weight_used')}>${number(weight, 3)}</span>`;
  return { name, value: score * weight, text: `${number(score, 3)} × ${number(weight, 3)}`, view };
}

const componentItem = (
  one: Component,
): TemplateResult => html`<li><details><summary>${one.component}: ${isKnown(one.score) ? html`<span data-from=${from(one, 'score')}>${number(one.score, 6)}</span>` : html`<span class="unknown">${one.reason}</span>`} <span class="quiet">weight <span data-from=${from(one, 'weight')}>${percent(one.weight, 0)}</span></span></summary>
  <p class="quiet" data-from=${from(one, 'formula')}>${one.formula}</p>
  <ul class="quiet" data-from=${isKnown(one.inputs) ? from(one, 'inputs') : nothing}>${(one.inputs ?? '')
    .split(';')
    .filter(Boolean)
    .map((input) => html`<li>${input.replace('=', ' = ')}</li> `)}</ul>
  <p class="quiet">oldest input ${isKnown(one.oldest_input_day) ? html`<span data-from=${from(one, 'oldest_input_day')}>${one.oldest_input_day}</span>` : 'from the day itself'}; <code>${one.input_hash ?? 'no inputs'}</code></p></details></li>`;

const component = columnsOf<Component>();

const COMPONENT_COLUMNS: readonly Column<Component>[] = [
  component.text('Component', 'component'),
  component.number('Score', 'score'),
  component.number('Weight', 'weight'),
  component.number('Weight used', 'weight_used'),
  component.text('Inputs', 'inputs'),
];

const PARTS = ['liquidity', 'security', 'decentralization', 'tokenomics', 'development', 'social'];

const history = seriesPanel({
  id: 'history',
  title: `Score of ${chosen() ?? 'a protocol'} and its components, 90 days`,
  address: () => of('/v2/scores/overall/', '/history', { resolution: '1d' }),
  columns: ['score', ...PARTS],
  dashed: PARTS,
  unit: 'number',
});

type Figures = Readonly<Record<string, unknown>>;

const governance = panel<readonly Figures[]>({
  id: 'governance',
  title: 'Governance',
  address: () => of('/v2/data/governance/'),
  view: ([day]) =>
    figuresOf(day, [
      ['total_proposals', 'proposals', number],
      ['active_proposals', 'open for voting', number],
      ['total_voters', 'voters', number],
      ['participation_rate', 'possible voters who voted', (share) => percent(share, 2)],
      ['nakamoto_coefficient', 'voters with more than half of the power', number],
      ['top10_power_share', 'power of the ten largest', percent],
      ['power_gini', 'Gini coefficient of the power, 0 to 1', (value) => number(value, 4)],
      ['power_hhi', 'concentration of the power (HHI), 0 to 1', (value) => number(value, 4)],
    ]),
  table: ([day = {}]) => ({
    rows: Object.keys(day).filter((name) => typeof day[name] !== 'object' || day[name] === null),
    columns: figureColumns(day),
  }),
});

const figureColumns = (day: Figures): readonly Column<string>[] => [
  { name: 'Figure', cell: caption, value: (name) => name },
  {
    name: 'Value',
    isNumber: true,
    cell: (name) => plainText(day[name] as string | number | boolean | null),
    from: (name) => from(day, name),
  },
];

type GovernanceFigure = readonly [
  member: string,
  name: string,
  text: (value: number | null | undefined) => string,
];

const figuresOf = (day: Figures | undefined, all: readonly GovernanceFigure[]): TemplateResult =>
  day === undefined
    ? html`<p class="empty">No day.</p>`
    : html`<p class="note" data-from=${from(day, 'timestamp')}>${dayText(day['timestamp'] as number | string)}</p>${figures(
        all.map(([member, name, text]) => ({
          name,
          text: text(day[member] as number | null | undefined),
          from: from(day, member),
        })),
      )}`;

interface Development {
  readonly path: string;
  readonly score: number | null;
  readonly timestamp: string;
}

const ofChosen = (rows: readonly Development[]): readonly Development[] =>
  rows.filter(({ path }) => path === chosen()).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));

const developed = columnsOf<Development>();
const DEVELOPMENT_COLUMNS: readonly Column<Development>[] = [
  developed.text('Day', 'timestamp', dayText),
  developed.number('Score', 'score'),
];

const development = panel<readonly Development[]>({
  id: 'development',
  title: 'Development score, from 0 to 1',
  address: () => (chosen() === undefined ? undefined : target('/v2/datasets/development-protocols')),
  view: (rows) => {
    const own = ofChosen(rows);
    const last = own.at(-1);
    return last === undefined
      ? html`<p class="empty">No repositories of this protocol are tracked.</p>`
      : html`<p class="note" data-from=${from(last, 'timestamp')}>${dayText(last.timestamp)}</p><p><strong data-from=${from(last, 'score')}>${number(last.score, 4)}</strong></p>${sparkline(
          own.map(({ score }) => score),
          {
            label: `Development score on ${own.length} days`,
            names: own.map(({ timestamp }) => dayText(timestamp)),
            textOf: (score) => number(score, 4),
          },
        )}`;
  },
  table: (rows) => ({ rows: ofChosen(rows), columns: DEVELOPMENT_COLUMNS }),
});

const social = seriesPanel({
  id: 'social',
  title: 'Messages and users per day on Discord',
  address: () => of('/v2/scores/social/discord/', '/history', { resolution: '1d' }),
  columns: ['daily_message_count', 'messages', 'number_of_unique_users', 'users'],
  unit: 'number',
  axis: () => 'messages and users a day',
});

showPage([protocolRisk, receipt, scores, history, governance, development, social]);
