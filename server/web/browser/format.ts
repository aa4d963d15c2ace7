// Numbers, times, durations and names as text. An unknown value is shown as such, never as zero.
import { html, type TemplateResult } from 'lit-html';

export const UNKNOWN = 'not known';
type Maybe<T> = T | null | undefined;

export const isKnown = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** Creating a format costs more than using it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

function formatted(value: number, options: Intl.NumberFormatOptions): string {
  const name = JSON.stringify(options);
  const known = formats.get(name) ?? new Intl.NumberFormat('en', options);
  formats.set(name, known);
  return known.format(value);
}

export const number = (value: Maybe<number>, digits = 2): string =>
  isKnown(value) ? formatted(value, { maximumFractionDigits: digits }) : UNKNOWN;

/** `1 gap`, `2 gaps`. */
export const quantity = (of: number, one: string, many: string): string =>
  `${number(of)} ${of === 1 ? one : many}`;

export const compact = (value: Maybe<number>): string =>
  isKnown(value) ? formatted(value, { notation: 'compact', maximumFractionDigits: 2 }) : UNKNOWN;

export const dollars = (value: Maybe<number>): string =>
  isKnown(value)
    ? formatted(value, {
        style: 'currency',
        currency: 'USD',
        notation: Math.abs(value) < 10_000 ? 'standard' : 'compact',
        minimumFractionDigits: 2,
        maximumFractionDigits: 2,
      })
    : UNKNOWN;

/** With a fixed number of decimals, for columns whose decimal points are aligned. */
export const fixed = (value: Maybe<number>, digits: number): string =>
  isKnown(value)
    ? formatted(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : UNKNOWN;

/** A price with six significant digits, or with all its integer digits and two decimals. */
export const priceText = (value: Maybe<number>): string =>
  isKnown(value)
    ? formatted(value, {
        maximumSignificantDigits: 6,
        maximumFractionDigits: 2,
        roundingPriority: 'morePrecision',
      })
    : UNKNOWN;

/** A fraction as percent. */
export const percent = (fraction: Maybe<number>, digits = 1): string =>
  isKnown(fraction) ? `${fixed(fraction * 100, digits)} %` : UNKNOWN;

export const points = (value: Maybe<number>, digits = 2): string =>
  isKnown(value) ? `${fixed(value, digits)} %` : UNKNOWN;

/** A rounded or shortened number with all its digits, as published. */
export function inFull(value: number, shown: string): string {
  const all = number(value, 8);
  return shown.includes(all) ? shown : `${shown} (${all})`;
}

/** A value with its unit, as conditions and rules publish them. */
export function withUnit(value: Maybe<number | string | boolean>, unit: Maybe<string>, digits = 2): string {
  if (!isKnown(value)) return UNKNOWN;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (unit === 'flag') return value === 0 ? 'no' : 'yes';
  if (unit === 'seconds' || unit === 's') return span(value);
  if (unit === 'usd' || unit === 'USD') return dollars(value);
  if (unit === 'fraction' || unit === 'share') return `${number(value * 100, 1)} %`;
  return `${number(value, digits)}${isKnown(unit) && unit !== 'number' ? ` ${unit === 'percent' ? '%' : unit}` : ''}`;
}

/** A table value as published; undefined if unknown. */
export function plainText(value: Maybe<number | string | boolean>): string | undefined {
  if (!isKnown(value)) return undefined;
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

type Time = string | number;

/** Milliseconds of an ISO text, of Unix seconds, or of a day such as `22-11-2026`. */
export function msOf(time: Time): number {
  if (typeof time === 'number') return time * 1_000;
  const day = /^(\d{2})-(\d{2})-(\d{4})$/.exec(time);
  if (day !== null) return Date.parse(`${day[3]}-${day[2]}-${day[1]}T00:00:00Z`);
  const text = time.replace(' ', 'T');
  return Date.parse(/Z|[+-]\d{2}:\d{2}$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}

/** `2026-03-01 12:00` in UTC. */
export function timeText(time: Maybe<Time>): string {
  if (!isKnown(time)) return UNKNOWN;
  const ms = msOf(time);
  return Number.isNaN(ms) ? String(time) : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** `2026-03-01 12:00:35` in UTC. */
export const secondText = (seconds: Maybe<number>): string =>
  isKnown(seconds) ? new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ') : UNKNOWN;

export const dayText = (time: Maybe<Time>): string => (isKnown(time) ? timeText(time).slice(0, 10) : UNKNOWN);

export const HOUR_S = 3_600;
export const DAY_S = 24 * HOUR_S;

/** Seconds per unit, its name, and the seconds from which it is used, so that no `60 min` or `24 h` appear. */
const UNITS: readonly (readonly [size: number, unit: string, from: number])[] = [
  [DAY_S, 'd', 84_600],
  [HOUR_S, 'h', 3_570],
  [60, 'min', 60],
];

/** Formats seconds, for example `5 min`. */
export function span(seconds: Maybe<number>): string {
  if (!isKnown(seconds)) return UNKNOWN;
  const [size, unit] = UNITS.find(([, , from]) => Math.abs(seconds) >= from) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}

/** Milliseconds by which the service's clock is ahead of this one. */
let aheadMs = 0;
export function setClock(ahead: number): void {
  aheadMs = ahead;
}
export const serviceClock = (nowMs: number): number => nowMs + aheadMs;

/** An age that the page keeps current. */
export const age = (time: Maybe<Time>): TemplateResult | string => relative(time, 'age');
/** How long something has lasted: an age without `ago`. */
export const lasting = (time: Maybe<Time>): TemplateResult | string => relative(time, 'lasting');
export const due = (time: Maybe<Time>): TemplateResult | string => relative(time, 'due');
/** From when something is possible: a time that has come says nothing of what was done since. */
export const opening = (time: Maybe<Time>): TemplateResult | string => relative(time, 'opening');

function relative(time: Maybe<Time>, kind: 'age' | 'due' | 'lasting' | 'opening'): TemplateResult | string {
  if (!isKnown(time)) return UNKNOWN;
  const iso = new Date(msOf(time)).toISOString();
  return html`<time datetime=${iso} title="${timeText(time)} UTC" data-distance=${kind}>${timeText(time)} UTC</time>`;
}

/** Shortens addresses and hashes to both ends. */
export const shortName = (name: string): string =>
  name.replace(/0x([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/gi, '0x$1…$2');

/** `liquidity_score` and `oracle.stale` as words, `tvl_usd` as `TVL, USD`. */
export const caption = (name: Maybe<string>): string =>
  isKnown(name)
    ? name
        .replaceAll(/[_.]/g, ' ')
        .replace(/(?<=\S) (usd|bps)$/, ', $1')
        .replaceAll(/\b(?:ap[ry]|hhi|mev|tvl|usd)\b/g, (letters) => letters.toUpperCase())
    : UNKNOWN;

/** Severities and levels of risk: pointed or round, filled, in warm colours. Nothing else looks like them. */
const RISK_SHAPES: Readonly<Record<string, string>> = {
  critical: '◆',
  high: '▲',
  warn: '●',
  medium: '●',
  info: '○',
  low: '○',
};

/** States of the service and of its data: squares in cold colours, ticks and crosses. */
const STATE_SHAPES: Readonly<Record<string, string>> = {
  ok: '✓',
  pass: '✓',
  fresh: '✓',
  aging: '◪',
  warn: '◪',
  degraded: '◪',
  stale: '■',
  fail: '■',
  unknown: '□',
};

/** The severity of a risk as a word with a shape and a colour, which may be those of another one. */
export const badge = (word: Maybe<string>, look: Maybe<string> = word): TemplateResult =>
  html`<span class="badge ${isKnown(look) ? look : 'unknown'}"><span aria-hidden="true">${RISK_SHAPES[look ?? ''] ?? ''}</span> ${caption(word)}</span>`;

/** The state of the service, of a source or of data, which is not a risk: another form, other colours, other shapes. */
export const serviceBadge = (word: Maybe<string>, look: Maybe<string> = word): TemplateResult =>
  html`<span class="data-state ${isKnown(look) ? look : 'unknown'}"><span aria-hidden="true">${STATE_SHAPES[look ?? 'unknown'] ?? '□'}</span> ${caption(word)}</span>`;

/** A name with its id one click away. */
export const named = (name: string, id: string): TemplateResult =>
  html`<details class="named"><summary>${name}</summary><code>${id}</code></details>`;

/** The start of each UTC day from one time to another, inclusive; Unix seconds. */
export function daysBetween(from: number, to: number): readonly number[] {
  const first = Math.floor(from / DAY_S);
  return Array.from({ length: Math.floor(to / DAY_S) - first + 1 }, (_, index) => (first + index) * DAY_S);
}
