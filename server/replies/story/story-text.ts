// Figures, times and names as words of a sentence. A value that is unknown is undefined here, and then no sentence mentions it.

export type Datum = Readonly<Record<string, unknown>>;

export const numberIn = (data: Datum, name: string): number | undefined => {
  const value = data[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const textIn = (data: Datum, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A decimal string of the log as a number for display. */
export const decimalIn = (data: Datum, name: string): number | undefined => {
  const text = textIn(data, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
};

const format = (options: Intl.NumberFormatOptions) => {
  const known = new Intl.NumberFormat('en', options);
  return (value: number): string => known.format(value);
};

export const number = format({ maximumFractionDigits: 2 });
const oneDecimal = format({ maximumFractionDigits: 1 });
/** Six significant digits. */
export const price = format({ maximumSignificantDigits: 6 });
const usdExact = format({ style: 'currency', currency: 'USD' });
const usdShort = format({
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});

export const dollars = (value: number): string =>
  Math.abs(value) < 10_000 ? usdExact(value) : usdShort(value);
export const percent = (fraction: number): string => `${oneDecimal(fraction * 100)} %`;
export const points = (value: number): string => oneDecimal(value);
export const bps = (value: number): string => `${number(value)} bps`;

const grouped = new Intl.NumberFormat('en');
/** Digits of any length, in groups of three; undefined for anything else. */
export const digits = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d+$/.test(value) ? grouped.format(BigInt(value)) : undefined;

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `1 h 24 min`: the two greatest units, rounded down; `less than 1 s` is `0 s`. */
export function duration(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const first = UNITS.findIndex(([size]) => whole >= size);
  if (first === -1) return '0 s';
  const [size, unit] = UNITS[first] ?? [1, 's'];
  const [next, nextUnit] = UNITS[first + 1] ?? [1, 's'];
  const rest = Math.floor((whole % size) / next);
  return `${Math.floor(whole / size)} ${unit}${rest === 0 || unit === 's' ? '' : ` ${rest} ${nextUnit}`}`;
}

/** Unix seconds of a time in ISO 8601. */
export const secondsOf = (iso: string): number => Date.parse(iso) / 1_000;

/** `2026-11-02 00:02 UTC` */
export const moment = (time: string | number): string => {
  const ms = typeof time === 'number' ? time * 1_000 : Date.parse(time);
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
};

/** `set_cap` and `oracle.stale` without their signs. */
export const readableName = (name: string): string => name.replaceAll(/[_.]/g, ' ');

/** Addresses and hashes by both ends. */
export const short = (name: string): string =>
  name.replace(/0x([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/gi, '0x$1…$2');

/** `a`, `a and b`, `a, b and c` */
export const list = (all: readonly string[]): string =>
  all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;

/** Parts that are known, in order. */
export const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('');
