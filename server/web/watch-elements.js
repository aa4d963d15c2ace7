// Creates elements, and formats times, durations and names. Data from the API is inserted as text, never as markup.
const SVG = 'http://www.w3.org/2000/svg';

/** `element('p', {class: 'x'}, 'text', child)` */
export const element = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const badge = (word) => element('span', { class: `badge ${word}` }, word);

/** `2026-03-01 12:00` in UTC. */
export const shortTime = (iso) => (iso ? iso.slice(0, 16).replace('T', ' ') : '–');

/** Seconds of a unit, its name, and the seconds from which it is used: no `60 min`, no `24 h`. */
const UNITS = [
  [86_400, 'd', 84_600],
  [3_600, 'h', 3_570],
  [60, 'min', 60],
];

/** Formats seconds, for example `5 min`. */
export function shortSpan(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const [size, unit] = UNITS.find(([, , from]) => Math.abs(seconds) >= from) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}

/** Shortens addresses and hashes to both ends. */
export const shortName = (name) => name.replace(/0x([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/gi, '0x$1…$2');

/** A time relative to now; `showAges` keeps the text current. `kind`: `age` or `due`. */
export const distance = (iso, kind) =>
  iso ? element('time', { datetime: iso, title: `${shortTime(iso)} UTC`, 'data-distance': kind }) : '–';

const WORDS = {
  age: (seconds) => `${shortSpan(Math.max(0, seconds))} ago`,
  due: (seconds) => (seconds > 0 ? `${shortSpan(seconds)} late` : `in ${shortSpan(-seconds)}`),
};

/** `nowMs`: the service's clock. */
export function showAges(nowMs) {
  for (const time of document.querySelectorAll('[data-distance]'))
    time.textContent = WORDS[time.dataset.distance](Math.round((nowMs - Date.parse(time.dateTime)) / 1_000));
}
