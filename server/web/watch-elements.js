// Makes elements. Whatever comes from the API goes in as text and never as markup.
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

/** `2026-03-01 12:00` in UTC. */
export const shortTime = (iso) => (iso ? iso.slice(0, 16).replace('T', ' ') : '–');

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `5 min`, of seconds. */
export function shortSpan(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const [size, unit] = UNITS.find(([size]) => Math.abs(seconds) >= size) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}
