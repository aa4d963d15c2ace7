// One event in a list or a table: when, how severe, what and about which subject, with its figures in words and its id one click away.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { RiskEvent } from './api-shapes.ts';
import { type EventGroup, newestFirst, titleOf } from './event-groups.ts';
import { badge, caption, dollars, isKnown, number, percent, span, timeText } from './format.ts';
import { nameOf } from './names.ts';
import { from } from './origin.ts';
import type { TableOf } from './panel.ts';
import { link } from './state.ts';
import { namingParts } from './subject-parts.ts';
import { columnsOf } from './table.ts';

/** Key fields of `data` by priority, with their formats. */
const TELLING: readonly (readonly [field: string, text: (value: never) => string])[] = [
  ['stale_age_s', (value: number) => `overdue by ${span(value)}`],
  ['deviation_bps', (value: number) => `${number(value, 1)} bps`],
  ['deviation_pct', (value: number) => `${number(value, 1)} %`],
  ['utilization', (value: number) => `${percent(value)} used`],
  ['depth_usd', (value: number) => `${dollars(value)} deep`],
  ['extracted_usd', (value: number) => `${dollars(value)} extracted`],
  ['delta', (value: number) => `${number(value, 1)} points`],
  ['regime_type', (value: string) => caption(value)],
  ['on_chain_event', (value: string) => caption(value)],
];

/** The most informative figure of the event, in words. */
export function gistOf({ data }: RiskEvent): string {
  const [field, text] = gistField(data) ?? [];
  return field === undefined || text === undefined ? '' : text(data[field] as never);
}

const gistField = (data: RiskEvent['data']) => TELLING.find(([name]) => isKnown(data[name]));

export const gistView = (event: RiskEvent): TemplateResult | typeof nothing =>
  gistOf(event) === ''
    ? nothing
    : html`<span class="quiet" data-from=${from(event.data, gistField(event.data)?.[0] ?? '')}>${gistOf(event)}</span>`;

const NAMES = [
  'asset_symbol',
  'observed_feed',
  'market_name',
  'vault_name',
  'name',
  'curator_name',
  'pair',
  'symbol',
  'protocol',
];

/** A name from the event's own data; if there is none, the shortened id. */
export function subjectOf({ data, subject_id, chain }: RiskEvent): string {
  const known = NAMES.map((name) => data[name]).find((value) => typeof value === 'string' && value !== '');
  const name = known ?? namingParts(subject_id, chain).map(nameOf).join(', ');
  if (name === '') return chain ?? subject_id;
  return `${name}${isKnown(chain) ? ` on ${chain}` : ''}`;
}

/** The newest event of a group, and how often it was repeated. */
export const groupRow = ({
  event,
  count,
  isRetracted,
}: EventGroup): TemplateResult => html`<li class="event" data-severity=${event.severity}>
  <time datetime=${event.ts} class="quiet" data-from=${from(event, 'ts')}>${timeText(event.ts)}</time> ${badge(event.severity)}
  <a href=${link('/events', { id: event.event_id })}>${titleOf(event)}</a> <span class="name">${subjectOf(event)}</span>${count === 1 ? nothing : html` <a href=${link('/events', { type: event.type, subject: event.subject_id })} data-derived>× ${count}</a>`}
  ${gistView(event)}${isRetracted ? html` <strong data-derived>retracted</strong>` : nothing}</li>`;

const column = columnsOf<RiskEvent>();

/** Events as a table: when, how severe, what, about which subject, and the most informative figure. */
export const eventTable = (all: readonly RiskEvent[]): TableOf<RiskEvent> => ({
  rows: newestFirst(all),
  columns: [
    column.text('Time, UTC', 'ts', timeText),
    column.text('Severity', 'severity', badge),
    {
      name: 'Type',
      cell: titleOf,
      value: titleOf,
      from: (row) => from(row, 'type'),
    },
    {
      name: 'Subject',
      cell: (row) => html`<span class="name">${subjectOf(row)}</span>`,
      value: (row) => subjectOf(row),
    },
    { name: 'Figure', cell: (row) => (gistOf(row) === '' ? '–' : gistView(row)) },
  ],
});
