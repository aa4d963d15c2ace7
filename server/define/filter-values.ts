// Values of filters. One that nothing has selects nothing, and an empty list reads like “nothing is wrong”: a value outside a closed set is
// refused, and one of an open set, such as an id, is named in the answer.
import type { TSchema } from 'typebox';
import { nearestName } from '../../platform/base/nearest-name.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import { type Failure, parameterFailure } from './failure.ts';

/** A value of a parameter that selects by one of the facets of a list. */
export interface FilterValue {
  readonly parameter: string;
  readonly facet: string;
  readonly value: string;
}

/** The member of `meta` that names values of filters which nothing has; absent if there are none. */
export const unmatchedMember = (found: readonly FilterValue[]) =>
  found.length === 0 ? {} : { unmatched: found.map(namedValue) };

/** The member of `meta` that names values of filters which could not be looked up; absent if there are none. */
export const uncheckedMember = (found: readonly FilterValue[]) =>
  found.length === 0 ? {} : { unchecked: found.map(namedValue) };

const namedValue = ({ parameter, value }: FilterValue) => ({ parameter, value });

/** @throws Failure `validation_failed` that names the first value which is not possible, and those that are */
export function refuseOthers(
  parameter: string,
  given: Iterable<string> | undefined,
  possible: readonly string[],
): void {
  for (const value of given ?? [])
    if (!possible.includes(value))
      throw strangeValue({ parameter, value }, { possible, why: `must be any of ${possible.join(', ')}` });
}

const MAX_SHOWN = 64;

/** `possible`: among which the nearest one is named. */
export function strangeValue(
  { parameter, value }: Pick<FilterValue, 'parameter' | 'value'>,
  { possible, why }: { readonly possible: readonly string[]; readonly why: string },
): Failure {
  const isShort = value.length <= MAX_SHOWN;
  const near = isShort ? nearestName(value, possible) : null;
  const shown = JSON.stringify(isShort ? value : `${value.slice(0, MAX_SHOWN)}…`);
  return parameterFailure(
    parameter,
    `${why}, not ${shown}${near === null ? '' : `; the nearest is ${near}`}`,
  );
}

/** With what the subjects of events begin. */
export const SUBJECT_KINDS: readonly string[] = [
  ...new Set(EVENT_CATALOGUE.map(({ subject }) => subject.split(':')[0] ?? '')),
].sort();

/** Whether an event may be about it. */
export const isSubject = (subject: string): boolean => SUBJECT_KINDS.includes(subject.split(':')[0] ?? '');

interface Shape {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
}

/** Every value that a member of a row can have, in lower case, if its schema lists them; undefined for an open set. */
export function closedValues(row: TSchema, member: string): readonly string[] | undefined {
  return valuesOf((row as Shape).properties?.[member]);
}

function valuesOf(schema: TSchema | undefined): readonly string[] | undefined {
  const { type, enum: listed, anyOf } = (schema ?? {}) as Shape;
  if (listed !== undefined) return listed.map((value) => String(value).toLowerCase());
  if (type === 'boolean') return ['true', 'false'];
  const kinds = (anyOf ?? []).filter((one) => (one as Shape).type !== 'null').map(valuesOf);
  return kinds.length === 0 || kinds.includes(undefined)
    ? undefined
    : kinds.flatMap((values) => values ?? []);
}
