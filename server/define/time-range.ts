// Query parameters that are instants, as ISO 8601 in UTC or as Unix seconds.
import { Type } from '../../schemas/define.ts';
import { parameterFailure } from './failure.ts';

const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME = 'T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?Z';
const ISO = `${DAY}(${TIME})?`;
const SECONDS = '[0-9]{1,11}';
/** The pattern of an instant in a query. */
export const INSTANT_PATTERN = `^(${ISO}|${SECONDS})$`;
const IS_SECONDS = new RegExp(`^${SECONDS}$`);
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

interface GivenRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The parameters `from` and `to`. @throws Failure `validation_failed`, also for an empty range */
export function secondsBetween({ from: begin, to: end }: GivenRange) {
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
