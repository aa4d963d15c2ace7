// Results of calculations as pictures and tables: contribution bars, a fan of probabilities, before and after.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { type Figure, figures } from './figures.ts';
import { badge, caption, dollars, isKnown, number, percent, points, serviceBadge } from './format.ts';
import { from } from './origin.ts';
import { readPoints } from './point-reader.ts';
import { bar } from './shapes.ts';
import { type Column, columnsOf, tableView } from './table.ts';

interface GapOf {
  readonly gap: string;
  readonly subject: string | null;
  readonly share: number | null;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Concentration {
  readonly parts: readonly { readonly key: string; readonly amount_usd: number; readonly share: number }[];
  readonly unknown_share: number;
  readonly effective_number: number | null;
}

interface ValueAtRisk {
  readonly confidence: number;
  readonly var_usd: number | null;
  readonly var_ci95: Range | null;
  readonly expected_shortfall: { readonly value_usd: number } | null;
  readonly covered_share: number;
  readonly attribution: readonly OpportunityRisk[];
  readonly gaps: readonly GapOf[];
}

interface OpportunityRisk {
  readonly opportunity_id: string;
  readonly var_usd: number | null;
  readonly expected_shortfall_usd: number | null;
}

export interface Portfolio {
  readonly snapshot: { readonly version: string; readonly as_of: string };
  readonly totals: {
    readonly amount_usd: number;
    readonly net_apy_pct: { readonly value: number | null };
    readonly expected_yield_usd: number | null;
  };
  readonly risk: { readonly score: number | null; readonly band: string | null };
  readonly var: ValueAtRisk | null;
  readonly liquidity: {
    readonly withdrawable_usd: number | null;
    readonly withdrawable_share: number | null;
    readonly gaps: readonly GapOf[];
  } | null;
  readonly gaps: readonly GapOf[];
  readonly concentration: Readonly<Record<'by_venue' | 'by_chain' | 'by_asset' | 'by_issuer', Concentration>>;
  readonly positions: readonly { readonly opportunity_id: string; readonly name: string }[];
}

export interface Exit {
  readonly exit_probability: { readonly value: number } | null;
  readonly exit_probability_by_hour:
    | readonly { readonly hour: number; readonly value: number; readonly ci95: Range }[]
    | null;
  readonly time_to_exit_hours: { readonly p50: number | null; readonly p95: number | null } | null;
  readonly slippage_bps: { readonly mean: number; readonly p95: number | null } | null;
  readonly proceeds_usd: {
    readonly mean: number;
    readonly p05: number | null;
    readonly p50: number | null;
  } | null;
  readonly stranded_usd: { readonly mean: number } | null;
  readonly withdrawable_usd: number | null;
  readonly gaps: readonly GapOf[];
  readonly warnings: readonly string[];
}

interface SimulatedState {
  readonly value_usd: number | null;
  readonly health_factor: number | null;
  readonly withdrawable_usd: number | null;
}

export interface Simulation {
  readonly totals: {
    readonly value_before_usd: number | null;
    readonly value_after_usd: number | null;
    readonly loss_usd: number | null;
    readonly attribution: Readonly<Record<string, number | null>>;
    readonly covered_share: number;
  };
  readonly positions: readonly {
    readonly id: string;
    readonly before: SimulatedState | null;
    readonly after: SimulatedState | null;
    readonly loss_usd: number | null;
  }[];
  readonly timeline: readonly { readonly hour: number; readonly value_usd: number | null }[];
  readonly events_that_would_fire:
    | readonly { readonly type: string; readonly hour: number; readonly severity: string | null }[]
    | null;
  readonly gaps: readonly GapOf[];
  readonly warnings: readonly string[];
}

type Amount = number | null | undefined;

/** A figure for a member, whose parent may not have been computed. */
const figure = <T extends object>(
  name: unknown,
  text: (value: Amount) => string,
  [holder, member]: readonly [T | null, keyof T & string],
): Figure => ({
  name,
  text: text(holder?.[member] as Amount),
  from: from(holder, member),
});

const gapsView = (gaps: readonly GapOf[]): TemplateResult | typeof nothing =>
  gaps.length === 0
    ? nothing
    : html`<details class="quiet"><summary><span data-derived>${gaps.length} gaps</span></summary><ul>${gaps.map(({ gap, subject, share }) => html`<li>${caption(gap)}${isKnown(subject) ? html`: <span class="name">${subject}</span>` : ''}${isKnown(share) ? html`, share <span data-derived>${percent(share)}</span>` : ''}</li>`)}</ul></details>`;

export function portfolioView(one: Portfolio): TemplateResult {
  const { var: risk, liquidity } = one;
  return html`${figures([
    figure('Amount', dollars, [one.totals, 'amount_usd']),
    figure('Net APY', points, [one.totals.net_apy_pct, 'value']),
    figure('Expected yield', dollars, [one.totals, 'expected_yield_usd']),
    figure(html`Risk ${badge(one.risk.band)}`, number, [one.risk, 'score']),
    figure(
      html`Value at risk${risk === null ? nothing : html`, <span data-from=${from(risk, 'confidence')}>${percent(risk.confidence, 0)}</span>`}`,
      dollars,
      [risk, 'var_usd'],
    ),
    figure('Expected shortfall', dollars, [risk?.expected_shortfall ?? null, 'value_usd']),
    figure('Withdrawable now', dollars, [liquidity, 'withdrawable_usd']),
  ])}
  ${risk === null ? nothing : valueAtRisk(risk, one)}
  <h3>Concentration</h3>${(['by_venue', 'by_chain', 'by_asset', 'by_issuer'] as const).map((name) => concentration(caption(name), one.concentration[name]))}
  ${gapsView([...one.gaps, ...(risk?.gaps ?? []), ...(liquidity?.gaps ?? [])])}`;
}

const valueAtRisk = (risk: ValueAtRisk, { positions }: Portfolio): TemplateResult =>
  html`<p class="note">Value at risk covers <span data-from=${from(risk, 'covered_share')}>${percent(risk.covered_share)}</span> of the amount${risk.var_ci95 === null ? nothing : html`; its confidence interval is <span data-from=${from(risk.var_ci95, 'from')}>${dollars(risk.var_ci95.from)}</span> to <span data-from=${from(risk.var_ci95, 'to')}>${dollars(risk.var_ci95.to)}</span>`}.</p>
  <h3>Contribution to the value at risk</h3>${contributions(positions, risk)}`;

function contributions(positions: Portfolio['positions'], { attribution }: ValueAtRisk): TemplateResult {
  const names = new Map(positions.map(({ opportunity_id, name }) => [opportunity_id, name]));
  const total = Math.max(...attribution.map(({ var_usd }) => Math.abs(var_usd ?? 0)), 1);
  const share = (value: number | null) => (isKnown(value) ? Math.abs(value) / total : undefined);
  const columns: readonly Column<OpportunityRisk>[] = [
    { name: 'Position', cell: ({ opportunity_id: id }) => names.get(id) ?? id },
    {
      name: 'Value at risk',
      isNumber: true,
      cell: ({ var_usd }) => bar(share(var_usd), dollars(var_usd)),
      value: ({ var_usd }) => var_usd,
      from: (row) => from(row, 'var_usd'),
    },
    {
      name: 'Expected shortfall',
      isNumber: true,
      cell: (row) => dollars(row.expected_shortfall_usd),
      value: (row) => row.expected_shortfall_usd,
      from: (row) => from(row, 'expected_shortfall_usd'),
    },
  ];
  return tableView('Contribution to the value at risk', columns, attribution);
}

const concentration = (name: string, all: Concentration): TemplateResult =>
  html`<p>${name}: ${all.parts.map((part) => html`${bar(part.share, html`<span class="name">${part.key}</span> <span data-from=${from(part, 'share')}>${percent(part.share)}</span>`)} `)}${all.unknown_share > 0 ? html`<span class="unknown"><span data-from=${from(all, 'unknown_share')}>${percent(all.unknown_share)}</span> not known</span>` : nothing}</p>`;

export const exitView = (one: Exit): TemplateResult =>
  html`${figures([
    figure('Probability of exit', percent, [one.exit_probability, 'value']),
    figure('Median hours', number, [one.time_to_exit_hours, 'p50']),
    figure(html`<span data-derived>95 %</span> left after, hours`, number, [one.time_to_exit_hours, 'p95']),
    figure('Mean slippage, bps', number, [one.slippage_bps, 'mean']),
    figure('Mean proceeds', dollars, [one.proceeds_usd, 'mean']),
    figure('Mean stranded', dollars, [one.stranded_usd, 'mean']),
    figure('Withdrawable now', dollars, [one, 'withdrawable_usd']),
  ])}${isKnown(one.exit_probability_by_hour) ? fan(one.exit_probability_by_hour) : nothing}${warningsView(one.warnings)}${gapsView(one.gaps)}`;

/** The probability by hour within its 95 % interval. */
function fan(hours: NonNullable<Exit['exit_probability_by_hour']>): TemplateResult {
  const x = (index: number) => 40 + (index / Math.max(1, hours.length - 1)) * 590;
  const y = (value: number) => 170 - value * 150;
  const path = (values: readonly number[], start: string) =>
    values.map((value, index) => `${index === 0 ? start : 'L'}${x(index)} ${y(value)}`).join('');
  const band = `${path(
    hours.map(({ ci95 }) => ci95.to),
    'M',
  )}${hours
    .toReversed()
    .map(({ ci95 }, index) => `L${x(hours.length - 1 - index)} ${y(ci95.from)}`)
    .join('')}Z`;
  const picture = html`<svg class="scatter" viewBox="0 0 640 200" aria-hidden="true">
    ${[0, 0.5, 1].map((tick) => svg`<line class="grid" x1="40" x2="630" y1=${y(tick)} y2=${y(tick)}></line><text x="34" y=${y(tick) + 4} text-anchor="end">${percent(tick, 0)}</text>`)}
    <path class="fan" d=${band}></path><path class="fan-line" d=${path(
      hours.map(({ value }) => value),
      'M',
    )}></path>
    <text x="40" y="192">hour 0</text><text x="630" y="192" text-anchor="end">hour ${hours.at(-1)?.hour ?? 0}</text></svg>`;
  const texts = hours.map(
    ({ hour, value, ci95 }) =>
      `Hour ${hour}: ${percent(value, 2)}, within ${percent(ci95.from, 2)} to ${percent(ci95.to, 2)}`,
  );
  const label = 'Probability of exit by hour, with its 95 % interval';
  return html`${readPoints(picture, { label, texts, span: [40 / 640, 630 / 640] })}
    <details><summary class="quiet">Table</summary>${tableView('Probability of exit by hour', HOUR_COLUMNS, hours)}</details>`;
}

type Hour = NonNullable<Exit['exit_probability_by_hour']>[number];
const hourColumn = columnsOf<Hour>();
const HOUR_COLUMNS: readonly Column<Hour>[] = [
  hourColumn.number('Hour', 'hour'),
  hourColumn.number('Probability', 'value', (value) => percent(value, 2)),
  {
    name: '95 % interval',
    cell: ({ ci95 }) =>
      html`<span data-from=${from(ci95, 'from')}>${percent(ci95.from, 2)}</span> to <span data-from=${from(ci95, 'to')}>${percent(ci95.to, 2)}</span>`,
  },
];

const warningsView = (all: readonly string[]): TemplateResult | typeof nothing =>
  all.length === 0
    ? nothing
    : html`<ul>${all.map((one) => html`<li>${serviceBadge('warn')} <span data-derived>${caption(one)}</span></li>`)}</ul>`;

type Position = Simulation['positions'][number];

const simulated = (
  name: string,
  stateOf: (row: Position) => SimulatedState | null,
  member: 'value_usd' | 'withdrawable_usd',
): Column<Position> => ({
  name,
  isNumber: true,
  cell: (row) => dollars(stateOf(row)?.[member]),
  from: (row) => from(stateOf(row), member),
});

const POSITION_COLUMNS: readonly Column<Position>[] = [
  { name: 'Position', cell: ({ id }) => id },
  simulated('Before', ({ before }) => before, 'value_usd'),
  simulated('After', ({ after }) => after, 'value_usd'),
  simulated('Withdrawable after', ({ after }) => after, 'withdrawable_usd'),
  columnsOf<Position>().number('Loss', 'loss_usd', dollars),
];

const causeColumns = (
  causes: Simulation['totals']['attribution'],
): readonly Column<readonly [string, number | null]>[] => [
  { name: 'Cause', cell: ([name]) => caption(name), value: ([name]) => name },
  {
    name: 'USD',
    isNumber: true,
    cell: ([, value]) => (isKnown(value) ? dollars(value) : undefined),
    value: ([, value]) => value,
    from: ([name]) => from(causes, name),
  },
];

/** Why the loss of a position is not known: the gaps of the run. */
function notKnown({ positions, gaps }: Simulation): TemplateResult | typeof nothing {
  const left = positions.filter(({ loss_usd }) => !isKnown(loss_usd));
  if (left.length === 0) return nothing;
  const reasons = gaps.filter(({ gap }) => gap !== 'detectors_unavailable');
  return html`<p class="unknown">The loss of ${left.map(({ id }) => html`<span class="name">${id}</span> `)}is not known: ${reasons.map(({ gap, subject }, index) => html`${index === 0 ? '' : '; '}${caption(gap)}${isKnown(subject) ? html` (<span class="name">${subject}</span>)` : ''}`)}.</p>`;
}

export const simulationView = (one: Simulation): TemplateResult => html`${figures([
  figure('Value before', dollars, [one.totals, 'value_before_usd']),
  figure('Value after', dollars, [one.totals, 'value_after_usd']),
  figure('Loss', dollars, [one.totals, 'loss_usd']),
  figure('Covered', percent, [one.totals, 'covered_share']),
])}
  <h3>Causes of the loss</h3>${tableView(
    'Causes of the loss',
    causeColumns(one.totals.attribution),
    Object.entries(one.totals.attribution),
  )}
  <h3>Before and after</h3>${notKnown(one)}${tableView('Before and after', POSITION_COLUMNS, one.positions)}
  <h3>Events that would fire</h3>${
    one.events_that_would_fire === null
      ? html`<p class="unknown">Not known: the detectors are not running.</p>`
      : html`<ul>${one.events_that_would_fire.map(({ type, hour, severity }) => html`<li><span data-derived>hour ${hour}</span>: ${badge(severity)} ${caption(type)}</li>`)}</ul>`
  }${warningsView(one.warnings)}${gapsView(one.gaps)}`;
