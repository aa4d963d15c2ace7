// Query parameters that several endpoints share: instants as ISO 8601 in UTC or as Unix seconds, a number of days, lists of names, `as_of`, versions.
import { isoOf } from '../../platform/base/time.ts';
import { Type } from '../../schemas/define.ts';
import { parameterFailure } from './failure.ts';

const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME = 'T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?Z';
const ISO = `${DAY}(${TIME})?`;
const SECONDS = '[0-9]{1,11}';
/** The pattern of an instant in a query. */
export const INSTANT_PATTERN = `^(${ISO}|${SECONDS})$`;
const IS_SECONDS = new RegExp(`^${SECONDS}$`);
const MAX_LIST_CHARACTERS = 1_000;
const IS_ISO = new RegExp(`^${ISO}$`);

export const instantParameter = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description}: ISO 8601 in UTC (\`2026-01-31\`, \`2026-01-31T09:00:00Z\`) or Unix seconds`,
      examples: ['2026-01-31T09:00:00Z'],
      maxLength: 40,
      pattern: INSTANT_PATTERN,
    }),
  );

const ULID_TEXT = '[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}';
const IS_ULID = new RegExp(`^${ULID_TEXT}$`);

/** A version, by its name or by a time. */
export const momentParameter = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description}: a time as ISO 8601 in UTC or Unix seconds, which selects the newest version that is not later, or the name of a version`,
      examples: ['2026-01-31T09:00:00Z', '01HZX3K9Q4T2V7B8N6M5P1R0SD'],
      maxLength: 40,
      pattern: `^(${ISO}|${SECONDS}|${ULID_TEXT})$`,
    }),
  );

/** The moment that the parameter names; undefined without it. @throws Failure `validation_failed` */
export function momentOf(
  parameter: string,
  text: string | undefined,
): { readonly version?: string; readonly as_of?: string } | undefined {
  if (text !== undefined && IS_ULID.test(text)) return { version: text.toUpperCase() };
  const seconds = secondsOf(parameter, text);
  return seconds === undefined ? undefined : { as_of: isoOf(seconds) };
}

/** Unix seconds; undefined without the parameter. @throws Failure `validation_failed` */
function secondsOf(parameter: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = IS_SECONDS.test(text) ? Number(text) : isoSeconds(text);
  if (Number.isNaN(seconds))
    throw parameterFailure(
      parameter,
      'is neither ISO 8601 in UTC, such as 2026-01-31T09:00:00Z, nor Unix seconds',
    );
  return seconds;
}

/** The parameters `from` and `to`. @throws Failure `validation_failed`, also for an empty range */
export function secondsBetween({
  from: begin,
  to: end,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}) {
  const [from, to] = [secondsOf('from', begin), secondsOf('to', end)];
  if (from !== undefined && to !== undefined && from > to)
    throw parameterFailure('from', 'is after to: the range is empty');
  return { from, to };
}

/** NaN if the text is not an instant. Rejects a day that its month does not have, which would be read as a day of the next month. */
function isoSeconds(text: string): number {
  const ms = IS_ISO.test(text) ? Date.parse(text) : Number.NaN;
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text.slice(0, 10);
  return isDay ? ms / 1000 : Number.NaN;
}

/** The parameter of daily counts: the number of days. */
export const daysParameter = ({ max, default: usual }: { readonly max: number; readonly default: number }) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: max, default: usual, description: 'Number of days, up to today' }),
  );

/** Comma-separated names, one of which a row must have. `possible`: all that a row can have, stated unless `what` does. */
export const listParameter = (what: string, possible: readonly string[] = []) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_LIST_CHARACTERS,
      description: `Comma-separated ${what}${statedIn(what, possible)}: keep rows with any of these`,
    }),
  );

const statedIn = (what: string, possible: readonly string[]): string =>
  possible.length === 0 || what.includes('`') ? '' : ` (${possible.map((one) => `\`${one}\``).join(', ')})`;

/** The names in lower case; undefined without the parameter. @throws Failure `validation_failed` for an empty name */
export function namesIn(parameter: string, text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('')) throw parameterFailure(parameter, 'contains an empty name');
  return new Set(names);
}

/** Requests data as it was published at an earlier time (decision 64). */
export const asOfParameter = Type.Optional(
  Type.String({
    description: 'Use the newest version that is not later than this time',
    format: 'date-time',
    pattern: 'Z$',
  }),
);
