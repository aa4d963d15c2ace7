// The list of events, newest first, each with its key fields; all fields when it is opened.
import { element, shortName, shortSpan, shortTime } from '/watch/elements.js';

const MAX_EVENTS = 200;

const at = (id) => document.getElementById(id);
const list = at('events');
let isFollowed = false;

const number = (value) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const dollars = (value) =>
  value.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    maximumFractionDigits: 1,
  });

/** Key fields of `data` by priority, with their formats. */
const TELLING = [
  ['stale_age_s', (value) => `overdue by ${shortSpan(value)}`],
  ['deviation_bps', (value) => `${number(value)} bps`],
  ['deviation_pct', (value) => `${number(value)} %`],
  ['utilization', (value) => `${number(value * 100)} % used`],
  ['depth_usd', (value) => `${dollars(value)} deep`],
  ['extracted_usd', (value) => `${dollars(value)} extracted`],
  ['delta', (value) => `${number(value)} points`],
  ['regime_type', String],
  ['on_chain_event', String],
];

function gistOf(data) {
  const [field, words] = TELLING.find(([name]) => (data[name] ?? null) !== null) ?? [];
  return field === undefined ? '' : words(data[field]);
}

/** Later events are inserted above. */
export function showEvent({ event_id, severity = '', ts, type, subject_id, data }) {
  const summary = element(
    'summary',
    {},
    element('time', { datetime: ts }, shortTime(ts)),
    element('span', { class: `badge ${severity}` }, severity || '–'),
    element('code', {}, type),
    element('span', { class: 'subject', title: subject_id }, shortName(subject_id)),
    element('span', { class: 'gist' }, gistOf(data)),
  );
  const whole = JSON.stringify({ event_id, ts, subject_id, data }, null, 2);
  const details = element('details', {}, summary, element('pre', {}, element('code', {}, whole)));
  const item = element('li', { 'data-severity': severity }, details);
  item.hidden = !isChosen(severity);
  list.prepend(item);
  while (list.children.length > MAX_EVENTS) list.lastChild.remove();
  showCount();
}

const isChosen = (severity) => at('severity').value === '' || at('severity').value === severity;

function showChosen() {
  for (const item of list.children) item.hidden = !isChosen(item.dataset.severity);
  showCount();
}

/** Clears the list. `follows`: more events are being loaded. */
export function clearEvents(follows) {
  isFollowed = follows;
  list.replaceChildren();
  showCount();
}

function showCount() {
  const all = list.children.length;
  const shown = list.querySelectorAll('li:not([hidden])').length;
  at('count').textContent = isFollowed || all > 0 ? countWords(all, shown) : '';
}

function countWords(all, shown) {
  if (all === 0) return 'No event in the last day. New events appear here.';
  const which = `the newest ${all === 1 ? 'event' : `${all} events`}`;
  if (shown === 0) return `None of ${which} has this severity.`;
  return `${shown === all ? `T${which.slice(1)}` : `${shown} of ${which}`}; times in UTC.`;
}

at('severity').addEventListener('change', showChosen);
