// The query of a request as declared parameters. What is not declared is refused with the nearest name (decision 58), what comes twice
// as well: a filter that is silently ignored would return rows that were not asked for.
import type { TObject, TSchema } from 'typebox';
import { nearestName } from '../../schemas/nearest-name.ts';
import { Failure, parameterFailure } from '../define/failure.ts';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;
/** Comparing names costs the product of their lengths. */
const MAX_COMPARED = 64;

/** The parameters as text, each at most once. @throws Failure `validation_failed` */
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

/** The parameters of a schema, numbers as numbers. @throws Failure `validation_failed` */
export function readQuery(schema: TObject, search: string): Readonly<Record<string, unknown>> {
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  const query: Record<string, unknown> = {};
  for (const [name, value] of readParameters(search, Object.keys(properties)))
    query[name] = typed(properties[name], value);
  return query;
}

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
  return known.length === 0 ? ', which takes none.' : `; it takes ${known.join(', ')}.`;
}

const isNumeric = (schema: TSchema | undefined) =>
  schema !== undefined && 'type' in schema && (schema.type === 'integer' || schema.type === 'number');

const typed = (schema: TSchema | undefined, text: string): unknown =>
  isNumeric(schema) && NUMBER.test(text) ? finite(Number(text)) : text;

/** More digits than a number holds are a large number all the same, which a schema may bound or a reader clamp. */
const finite = (value: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
