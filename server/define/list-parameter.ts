// Query parameters that are comma lists of names, of which a row must have one.
import { Type } from '../../schemas/define.ts';
import { parameterFailure } from './failure.ts';

const MAX_CHARACTERS = 1_000;

export const listParameter = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CHARACTERS,
      description: `Comma list of ${what}: keep any of these`,
    }),
  );

/** The names in lower case; undefined without the parameter. @throws Failure `validation_failed` for an empty name */
export function namesIn(parameter: string, text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('')) throw parameterFailure(parameter, 'names nothing in a place of its list');
  return new Set(names);
}
