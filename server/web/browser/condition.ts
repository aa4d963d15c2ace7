// One open condition: its subject, since when, and its value at the start, at its worst and now.
import { html, nothing, type TemplateResult } from 'lit-html';
import { badge, isKnown, lasting, withUnit, caption } from './format.ts';
import { from } from './origin.ts';
import { link } from './state.ts';

export interface Condition {
  readonly id: string;
  readonly event_id: string | null;
  readonly type: string;
  readonly severity: string;
  readonly title: string;
  readonly chain: string | null;
  readonly subject_id: string;
  readonly subject_name: string | null;
  readonly since: string | number | null;
  readonly measure: string | null;
  readonly unit: string | null;
  readonly value_start: number | null;
  readonly value_worst: number | null;
  readonly value_now: number | null;
  readonly rule: readonly {
    readonly name: string;
    readonly value: number | string;
    readonly unit: string | null;
  }[];
  readonly evidence_url: string | null;
}

export const conditionItem = (
  one: Condition,
): TemplateResult => html`<li class="condition" data-condition=${one.id}>
  <span>${badge(one.severity)}</span>
  <span><strong data-from=${from(one, 'title')}>${one.title}</strong><br><span class="quiet">${caption(one.type)}, for ${lasting(one.since)}</span></span>
  <span>${values(one)}${rule(one)}${evidence(one)}</span></li>`;

const VALUES = [
  ['start', 'value_start'],
  ['worst', 'value_worst'],
  ['now', 'value_now'],
] as const;

function values(one: Condition): TemplateResult | typeof nothing {
  if (!isKnown(one.measure)) return nothing;
  return html`<span class="values"><span class="quiet">${caption(one.measure)}</span>${VALUES.map(
    ([name, member]) =>
      html`<span><small>${name}</small> <strong data-value=${name} data-from=${from(one, member)}>${withUnit(one[member], one.unit)}</strong></span>`,
  )}</span>`;
}

const rule = ({ rule: all }: Condition): TemplateResult | typeof nothing =>
  all.length === 0
    ? nothing
    : html`<details class="quiet"><summary>Rule</summary><ul>${all.map((one) => html`<li>${caption(one.name)}: <span data-from=${from(one, 'value')}>${withUnit(one.value, one.unit)}</span></li>`)}</ul></details>`;

const evidence = ({ event_id, subject_id }: Condition): TemplateResult =>
  isKnown(event_id)
    ? html`<a href=${link('/events', { id: event_id })}>Explain this alert</a>`
    : html`<details class="quiet"><summary>Subject</summary><code>${subject_id}</code></details>`;
