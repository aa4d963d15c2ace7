// One open condition: its subject, since when, its value at the start, at its worst and now, and what it affects.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Condition, Reach } from './api-shapes.ts';
import { badge, dollars, isKnown, lasting, number, percent, withUnit, caption } from './format.ts';
import { from } from './origin.ts';
import { link } from './state.ts';
import { subjectLinks } from './subject-links.ts';

export const conditionItem = (
  one: Condition,
): TemplateResult => html`<li class="condition" data-condition=${one.id}>
  <span>${badge(one.severity)}</span>
  <span><strong data-from=${from(one, 'title')}>${one.title}</strong><br><span class="quiet">${caption(one.type)}, for ${lasting(one.since)}</span>${reach(one)}</span>
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
  )}${multiple(one)}</span>`;
}

const multiple = (one: Condition): TemplateResult | typeof nothing =>
  isKnown(one.band_multiple)
    ? html`<span><strong data-from=${from(one, 'band_multiple')}>${number(one.band_multiple, 1)}</strong> <small>× the threshold</small></span>`
    : nothing;

const KINDS = [
  ['markets', 'market', 'markets'],
  ['vaults', 'vault', 'vaults'],
  ['yields', 'yield', 'yields'],
] as const;

/** What is affected, what may be, and the dollars, with the share that they leave out. */
function reach({ reach: all }: Condition): TemplateResult | typeof nothing {
  if (all === null) return nothing;
  const counts = KINDS.map(([kind, one, many], index) => {
    const unknown = all[`${kind}_unknown`];
    const more = isKnown(unknown) && unknown > 0;
    return html`${index === 0 ? '' : ', '}<span data-from=${from(all, kind)}>${number(all[kind])}</span> ${all[kind] === 1 ? one : many}${more ? html` (<span data-from=${from(all, `${kind}_unknown`)}>${number(unknown)}</span> not known)` : nothing}`;
  });
  return html`<br><span class="quiet reach">Affects ${counts}; ${supplied(all)}</span>`;
}

function supplied(all: Reach): TemplateResult {
  const { usd, usd_unknown_share } = all;
  if (!isKnown(usd)) return html`dollars <span data-from=${from(all, 'usd')}>${dollars(usd)}</span>`;
  const isPart = !isKnown(usd_unknown_share) || usd_unknown_share > 0;
  return html`<span data-from=${from(all, 'usd')}>${dollars(usd)}</span> supplied${isPart ? html`, <span data-from=${from(all, 'usd_unknown_share')}>${percent(usd_unknown_share, 0)}</span> of the markets not in it` : nothing}`;
}

const rule = ({ rule: all }: Condition): TemplateResult | typeof nothing =>
  all.length === 0
    ? nothing
    : html`<details class="quiet"><summary>Rule</summary><ul>${all.map((one) => html`<li>${caption(one.name)}: <span data-from=${from(one, 'value')}>${withUnit(one.value, one.unit)}</span></li>`)}</ul></details>`;

/** Why it is open, and pages about its subject. */
function evidence({ event_id, subject_id }: Condition): TemplateResult {
  const explained = isKnown(event_id)
    ? [{ text: 'Explain this alert', href: link('/events', { id: event_id }) }]
    : [];
  const all = [...explained, ...subjectLinks(subject_id)];
  return all.length === 0
    ? html`<details class="quiet"><summary>Subject</summary><code>${subject_id}</code></details>`
    : html`<span class="links">${all.map(({ text, href }) => html`<a href=${href}>${text}</a> `)}</span>`;
}
