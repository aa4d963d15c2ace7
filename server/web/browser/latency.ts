// Daily durations: percentiles as stacked lines and as table columns.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isKnown, UNKNOWN } from './format.ts';
import { from } from './origin.ts';
import { sparkline } from './shapes.ts';
import { type Column, columnsOf } from './table.ts';

export interface LatencyDay {
  readonly day: string;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

const PERCENTILES = [
  ['p50_ms', 'Half within'],
  ['p95_ms', '95 % within'],
  ['p99_ms', '99 % within'],
] as const;
type Member = (typeof PERCENTILES)[number][0];

export const milliseconds = (ms: number): string => `${ms.toLocaleString('en')} ms`;

export function latencyColumns<T extends LatencyDay>(): readonly Column<T>[] {
  const column = columnsOf<T>();
  return PERCENTILES.map(([member, name]) => column.number(name, member, milliseconds as never));
}

/** `days` are in order; a day without measurements is a gap. A single day makes no line. */
export function latencyLines(label: string, days: readonly LatencyDay[]): TemplateResult | typeof nothing {
  const measured = days.filter(({ p50_ms }) => isKnown(p50_ms)).length;
  if (measured === 0) return nothing;
  const line = (member: Member, name: string) =>
    measured === 1
      ? nothing
      : sparkline(
          days.map((day) => day[member]),
          {
            label: `${label}, ${name}, by day, milliseconds`,
            names: days.map(({ day }) => day),
            textOf: milliseconds,
          },
        );
  return html`<div class="latency">${PERCENTILES.map(
    ([member, name]) =>
      html`<figure><figcaption><span class="name">${name}</span> ${newest(days, member)}</figcaption>${line(member, name)}</figure>`,
  )}</div>`;
}

/** The figure of the last measured day. */
function newest(days: readonly LatencyDay[], member: Member): TemplateResult {
  const last = days.findLast((day) => isKnown(day[member]));
  const value = last?.[member];
  return html`<strong data-from=${from(last, member)}>${isKnown(value) ? milliseconds(value) : UNKNOWN}</strong>${last === undefined ? nothing : html` <span class="quiet" data-from=${from(last, 'day')}>${last.day}</span>`}`;
}
