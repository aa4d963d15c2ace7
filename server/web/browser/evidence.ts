// One event explained: the observations around its time, the rules that decided, and the sources of the numbers.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { CourseEvent, Evidence, RiskEvent, Rule } from './api-shapes.ts';
import { expectChart, timeChart } from './chart.ts';
import { titleOf } from './event-groups.ts';
import { gistView, subjectOf } from './event-row.ts';
import { picturesOf } from './evidence-pictures.ts';
import {
  badge,
  caption,
  isKnown,
  number,
  plainText,
  serviceBadge,
  shortName,
  timeText,
  withUnit,
} from './format.ts';
import { rememberNames } from './names.ts';
import { from } from './origin.ts';
import { type Panel, panel } from './panel.ts';
import { link, param } from './state.ts';
import { type Link, subjectLinks } from './subject-links.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';

type EvidenceSeries = Evidence['series'][number];

const address = (end = ''): string | undefined => {
  const id = param('id');
  const isLost = document.getElementById('no-event') !== null;
  return id === undefined || isLost ? undefined : target(`/v2/events/${encodeURIComponent(id)}${end}`);
};

const one = panel<RiskEvent>({
  id: 'event',
  title: 'Event as published',
  isWide: true,
  address: () => address(),
  view: (event, meta) => {
    rememberNames(meta);
    return html`<p>${titleOf(event)}: <span class="name">${subjectOf(event)}</span>, <span data-from=${from(event, 'ts')}>${timeText(event.ts)} UTC</span> ${gistView(event)}</p>
    <details><summary>Figures of the event</summary>${tableView(
      'Figures of the event',
      DATA_COLUMNS,
      Object.entries(event.data).map(([name, value]): Datum => [name, value, event.data]),
    )}</details>
    <details class="quiet"><summary>Ids</summary><p>event <code>${event.event_id}</code></p><p>subject <code>${event.subject_id}</code></p></details>`;
  },
});

type Datum = readonly [name: string, value: unknown, data: object];

const DATA_COLUMNS: readonly Column<Datum>[] = [
  { name: 'Figure', cell: ([name]) => caption(name), value: ([name]) => name },
  {
    name: 'Value',
    cell: ([name, value]) => valueView(name, value),
    from: ([name, value, data]) => (typeof value === 'object' && value !== null ? nothing : from(data, name)),
  },
];

/** A value of an event. Lists of records are shown as tables, not as text for programs. */
function valueView(name: string, value: unknown): unknown {
  if (!isKnown(value)) return undefined;
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== 'object')) return value.join(', ') || 'none';
    return recordsView(name, value as readonly Rec[]);
  }
  if (typeof value === 'object') return recordsView(name, [value as Rec]);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /(timestamp|_at)$/.test(name)) return `${timeText(value)} UTC`;
  return typeof value === 'number' ? number(value, 8) : shortName(String(value));
}

type Rec = Readonly<Record<string, unknown>>;

function recordsView(name: string, records: readonly Rec[]): TemplateResult {
  const members = [...new Set(records.flatMap((one) => Object.keys(one)))];
  const columns = members.map(
    (member): Column<Rec> => ({
      name: caption(member),
      cell: (one) => valueView(member, one[member]),
      from: (one) => (typeof one[member] === 'object' && one[member] !== null ? nothing : from(one, member)),
    }),
  );
  return tableView(caption(name), columns, records, SHORT_PAGE);
}

const explained = panel<Evidence>({
  id: 'evidence',
  title: 'What happened',
  isWide: true,
  address: () => address('/evidence'),
  view: (evidence) => {
    const { series, sources, gaps } = evidence;
    const pictures = picturesOf(evidence);
    return html`${storyView(evidence)}
    ${pictures.length === 0 ? nothing : html`<p class="note">▼ marks this event and what belongs to it. Dashed lines across a chart are thresholds; where it is hatched, there is no data.</p>`}
    ${pictures.map(({ title, chart }, index) => html`<h3>${title}</h3><div class="chart" data-picture=${index}></div>${chart.lines.length < 2 ? nothing : html`<ul class="legend">${chart.lines.map(({ label }, line) => html`<li class="line-${line}"><span class="name">${label}</span></li>`)}</ul>`}`)}
    ${gaps.length === 0 ? nothing : html`<h3>What is missing</h3><ul>${gaps.map((gap) => html`<li>${gap}</li>`)}</ul>`}
    ${rulesView(evidence)}
    ${series.map((one) => pointsView(one))}
    ${sources.length === 0 ? nothing : html`<details><summary>Sources of the points</summary><ul>${sources.map(({ name, kind }) => html`<li>${name} <span class="quiet">${kind}</span></li>`)}</ul></details>`}`;
  },
  draw: (element, evidence) => {
    const pictures = picturesOf(evidence);
    for (const location of element.querySelectorAll<HTMLElement>('[data-picture]')) {
      const shown = pictures[Number(location.dataset['picture'])];
      if (shown !== undefined) timeChart(location, shown.chart);
    }
  },
});

const SPACING: Readonly<Record<string, string>> = { raw: 'as observed', '1h': 'by hour', '1d': 'by day' };

function pointsView(one: EvidenceSeries): TemplateResult {
  const title = `${caption(one.dataset)}${one.name === null ? '' : ` ${one.name}`}, ${SPACING[one.resolution] ?? one.resolution}`;
  return html`<details><summary>Points: ${title}</summary>${tableView(
    `${one.dataset} ${one.key} ${one.resolution}`,
    seriesColumns(one),
    one.t.map((_, index) => index),
  )}</details>`;
}

const ROLES: Readonly<Record<Rule['role'], string>> = {
  threshold: 'Where it fires',
  confirmation: 'What else must hold',
  cooldown: 'How long it is then suppressed',
};

const rulesView = (evidence: Evidence): TemplateResult =>
  html`<details><summary>Rules that decided <span class="quiet">${evidence.policy_version === null ? 'not known' : html`policy <span data-from=${from(evidence, 'policy_version')}>${evidence.policy_version}</span>`}</span></summary>${tableView(
    'Rules',
    RULE_COLUMNS,
    evidence.rules.filter(({ applies }) => applies),
  )}</details>`;

const RULE_COLUMNS: readonly Column<Rule>[] = [
  {
    name: 'Rule',
    cell: (rule) => html`${rule.meaning ?? caption(rule.name)}<br><code>${rule.name}</code>`,
    value: ({ name }) => name,
  },
  {
    name: 'Value',
    isNumber: true,
    cell: ({ value, unit }) => withUnit(value, unit),
    from: (row) => from(row, 'value'),
  },
  { name: 'Decides', cell: ({ role }) => ROLES[role], value: ({ role }) => role },
];

const seriesColumns = ({ t, columns }: EvidenceSeries) => [
  {
    name: 'Time, UTC',
    cell: (at: number) => timeText(t[at]),
    value: (at: number) => t[at],
    from: (at: number) => from(t, at),
  },
  ...Object.keys(columns).map((name) => ({
    name: caption(name),
    isNumber: true,
    cell: (at: number) => plainText(columns[name]?.[at]),
    value: (at: number) => columns[name]?.[at],
    from: (at: number) => from(columns[name], at),
  })),
];

if (address() !== undefined) expectChart();

export const evidence: readonly Panel[] = [explained, one];

/** The story of an event: its headline with the doubts next to it, what belongs to it, and where to look next. */
function storyView({ event, story, course }: Evidence): TemplateResult {
  const retraction = course.find(({ role }) => role === 'retraction');
  return html`<p><a href=${link('/events')}>All events</a></p>
    ${retraction === undefined ? nothing : html`<p class="retracted" role="note"><strong>Retracted.</strong> What this event reported did not happen. <a href=${link('/events', { id: retraction.event_id })}>The event that retracts it</a></p>`}
    <div class="story"><p class="headline">${badge(event.severity)} <span data-from=${from(story, 'headline')}>${story.headline}</span></p>
      ${story.doubts.length === 0 ? nothing : html`<ul class="doubts">${story.doubts.map((doubt, index) => html`<li>${serviceBadge('doubt', 'warn')} <span data-from=${from(story.doubts, index)}>${doubt}</span></li>`)}</ul>`}</div>
    ${story.further.length === 0 ? nothing : html`<p>${story.further.map((text, index) => html`<span data-from=${from(story.further, index)}>${text}</span> `)}</p>`}
    ${course.length === 0 ? nothing : html`<ul class="rows course">${course.map(courseItem)}</ul>`}
    ${linksView(event)}`;
}

const COURSE_ROLES: Readonly<Record<CourseEvent['role'], string>> = {
  start: 'Start',
  escalation: 'Escalation',
  end: 'End',
  recovery: 'Recovery',
  retraction: 'Retraction',
  retracted: 'The event that it retracts',
};

const courseItem = (one: CourseEvent): TemplateResult =>
  html`<li><time datetime=${one.ts} class="quiet" data-from=${from(one, 'ts')}>${timeText(one.ts)}</time> ${badge(one.severity)} <a href=${link('/events', { id: one.event_id })}>${COURSE_ROLES[one.role]}</a></li>`;

const ADDRESS = /^0x[0-9a-f]+$/i;

/** Pages about what the event concerns. */
function linksOf({ subject_id, chain, data, protocol, type }: RiskEvent): readonly Link[] {
  const [resource = ''] = subject_id.split(':');
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined);
  const on = chain ?? text('chain');
  const market = text('market_id');
  const feed = text('oracle_address');
  const vault = text('vault_address');
  const opportunity = text('opportunity_id');
  return [
    ...(['peg', 'vault', 'assumption'].includes(resource) ? subjectLinks(subject_id) : []),
    ...marketsOf(data).map((id) => ({
      text: 'Oracle of a market',
      href: link('/oracles', { chain: on, market: id }),
    })),
    ...(feed !== undefined && isKnown(on)
      ? [{ text: 'Feed', href: link('/pegs', { chain: on, feed }) }]
      : []),
    ...(market !== undefined && (ADDRESS.test(market) || resource === 'liquidity') && isKnown(on)
      ? [{ text: 'Market', href: link('/lending', { chain: on, market }) }]
      : []),
    ...(vault === undefined || resource === 'vault' || !isKnown(on)
      ? []
      : [{ text: 'Vault', href: link('/lending', { chain: on, vault }) }]),
    ...(opportunity === undefined ? [] : [{ text: 'Yield', href: link('/yields', { id: opportunity }) }]),
    ...(isKnown(protocol) ? [{ text: 'Protocol', href: link('/protocols', { protocol }) }] : []),
    ...(type === 'regime.shift' ? [{ text: 'Market regime', href: `${link('/')}#regime` }] : []),
    { text: 'Events of the same subject', href: link('/events', { subject: subject_id }) },
    { text: 'Events of the same type', href: link('/events', { type }) },
  ];
}

/** The largest of those that an event of an oracle names. */
function marketsOf({ markets, assumption, contract_address }: RiskEvent['data']): readonly string[] {
  const isOfOracle = isKnown(assumption) || isKnown(contract_address);
  if (!isOfOracle || !Array.isArray(markets)) return [];
  return (markets as readonly { readonly market_id?: string }[])
    .slice(0, 1)
    .flatMap(({ market_id }) => market_id ?? []);
}

const linksView = (event: RiskEvent): TemplateResult =>
  html`<p class="links">${linksOf(event).map(({ text, href }) => html`<a class="named" href=${href}>${text}</a> `)}</p>`;
