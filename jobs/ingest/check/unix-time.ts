// Times that are counted since 1970, and the unit they are counted in: a number in another unit than its mapping says is a time in 1970 or
// tens of thousands of years away, and is refused with the form that reads it.
import { literal } from '../../engine/sql-text.ts';
import { plainSql } from './numbers.ts';

interface Unit {
  readonly plural: string;
  readonly perSecond: number;
}

const UNITS: { readonly [form: string]: Unit } = {
  unix_s: { plural: 'seconds', perSecond: 1 },
  unix_ms: { plural: 'milliseconds', perSecond: 1e3 },
  unix_us: { plural: 'microseconds', perSecond: 1e6 },
  unix_ns: { plural: 'nanoseconds', perSecond: 1e9 },
};

/** The end of the year 9999, seconds. */
const END_S = 253_402_300_800;
/** 1973-03-03: as seconds, the same digits are beyond the year 5000. Counts of seconds themselves have no lower bound. */
const START_S = 1e8;

/** SQL of a number in a text. */
const numberSql = (text: string): string => `try_cast(${plainSql({}, text)} as double)`;

const isPlausible = (number: string, { perSecond }: Unit): string => {
  const start = perSecond === 1 ? 'true' : `(${number} = 0 or ${number} >= ${START_S * perSecond})`;
  return `${start} and ${number} < ${END_S * perSecond}`;
};

/** SQL of the seconds in a text of this form, floored; null if the form is no such count, or the number is counted in another unit. */
export function unixSecondsSql(text: string, form: string): string | null {
  const unit = UNITS[form];
  if (unit === undefined) return null;
  const number = numberSql(text);
  // Nanoseconds have more digits than a double.
  const whole = `try_cast(try_cast(${plainSql({}, text)} as decimal(38, 0)) as hugeint)`;
  const seconds =
    unit.perSecond > 1e3 ? `${whole} // ${unit.perSecond}` : `floor(${number} / ${unit.perSecond})`;
  return `case when ${isPlausible(number, unit)} then try_cast(${seconds} as bigint) end`;
}

/** Why a number is no time of this form: the condition, and SQL of the words. */
export function otherUnitRules(text: string, form: string): readonly (readonly [string, string])[] {
  const unit = UNITS[form];
  if (unit === undefined) return [];
  const number = numberSql(text);
  const read = `read as ${unit.plural} it is `;
  const date = `strftime(make_timestamp(cast(floor(${number} / ${unit.perSecond} * 1e6) as bigint)), '%Y-%m-%d')`;
  const advice = (other: string) =>
    `; if these are ${UNITS[other]?.plural}, give "time": "${other}" in its mapping`;
  return Object.entries(UNITS).flatMap(([other, { perSecond }]) => {
    if (other === form) return [];
    const isOther = `${isPlausible(number, { plural: '', perSecond })} and ${number} > 0`;
    const message =
      perSecond < unit.perSecond
        ? `concat(${literal(read)}, ${date}, ${literal(advice(other))})`
        : literal(`${read}beyond the year 9999${advice(other)}`);
    return [[isOther, message] as const];
  });
}
