// Parses the query of a request into declared parameters. Unknown parameters are refused with the nearest name (decision 58), and so are
// repeated ones, because silently ignoring a filter would return rows that were not requested.
import type { TObject, TSchema } from 'typebox';
import { nearestName } from '../../platform/base/nearest-name.ts';
import { Failure, parameterFailure } from '../define/failure.ts';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;
/** Maximum length of compared names, because the cost is the product of their lengths. */
const MAX_COMPARED = 64;

/** The parameters as text, each given at most once. @throws Failure `validation_failed` */
export function readParameters(search: string, known: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (search === '') return found;
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (found.has(name)) throw parameterFailure(name, 'is given more than once');
    found.set(name, value);
  }
  return found;
}

/** The parameters of a schema, with numbers converted. @throws Failure `validation_failed` */
export function readQuery(
  schema: TObject,
  search: string,
  ignoresUnknown = false,
): Readonly<Record<string, unknown>> {
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  const known = Object.keys(properties);
  const query: Record<string, unknown> = {};
  const given = ignoresUnknown ? knownOf(search, known) : readParameters(search, known);
  for (const [name, value] of given) query[name] = typed(properties[name], value);
  return query;
}

const knownOf = (search: string, known: readonly string[]): ReadonlyMap<string, string> =>
  new Map([...new URLSearchParams(search)].filter(([name]) => known.includes(name)));

function unknownParameter(name: string, known: readonly string[]): Failure {
  const suggestion = name.length > MAX_COMPARED ? null : nearestName(name, known);
  const parameter = name.length > MAX_COMPARED ? `${name.slice(0, MAX_COMPARED)}…` : name;
  const problem = 'is not a parameter of this endpoint';
  return new Failure('validation_failed', `${parameter} ${problem}${adviceOf(suggestion, known)}`, {
    details: {
      parameter,
      ...(suggestion !== null && { suggestion }),
      known_parameters: known,
      fields: [{ field: parameter, problem }],
    },
  });
}

function adviceOf(suggestion: string | null, known: readonly string[]): string {
  if (suggestion !== null) return `; did you mean ${suggestion}?`;
  return known.length === 0 ? ', which accepts no parameters.' : `; it accepts ${known.join(', ')}.`;
}

const isNumeric = (schema: TSchema | undefined) =>
  schema !== undefined && 'type' in schema && (schema.type === 'integer' || schema.type === 'number');

const typed = (schema: TSchema | undefined, text: string): unknown =>
  isNumeric(schema) && NUMBER.test(text) ? finite(Number(text)) : text;

/** Clamps infinite numbers to the largest finite ones, which a schema may reject or a reader may clamp further. */
const finite = (value: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
