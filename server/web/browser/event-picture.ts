// Events over time, a row for each type.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { RiskEvent } from './api-shapes.ts';
import { marksOf, type Mark } from './event-marks.ts';
import { timeText, words } from './format.ts';

const WIDTH = 900;
const ROW = 20;
const LEFT = 190;
const RIGHT = 12;
/** Width of a place in a row, which has one mark. */
const PLACE = 8;
const PLACES = Math.floor((WIDTH - LEFT - RIGHT) / PLACE);

export function eventPicture(events: readonly RiskEvent[]): TemplateResult | typeof nothing {
  if (events.length === 0) return nothing;
  const { types, marks, first, last } = marksOf(events, PLACES);
  const height = types.length * ROW + 24;
  const label = `${events.length} events of ${types.length} types from ${timeText(first / 1_000)} to ${timeText(last / 1_000)} UTC`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="Events by type over time"><svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>
    ${types.map((type, row) => rowView(type, row))}
    ${marks.map(markView)}
    ${ends(height, first, last)}
  </svg></div>`;
}

const rowView = (type: string, row: number) =>
  svg`<line class="grid" x1=${LEFT} x2=${WIDTH} y1=${row * ROW + 10} y2=${row * ROW + 10}></line><text x="0" y=${row * ROW + 14}>${words(type)}</text>`;
const markView = ({ row, place, severity, count }: Mark) =>
  svg`<circle class="mark ${severity}" cx=${LEFT + (place + 0.5) * PLACE} cy=${row * ROW + 10} r=${(severity === 'info' ? 2.5 : 3.5) + Math.min(3, Math.log10(count))}><title>${count} × ${severity}${count === 1 ? '' : ' at most'}</title></circle>`;
const ends = (height: number, first: number, last: number) =>
  svg`<text x=${LEFT} y=${height - 4}>${timeText(first / 1_000)}</text><text x=${WIDTH} y=${height - 4} text-anchor="end">${timeText(last / 1_000)} UTC</text>`;
