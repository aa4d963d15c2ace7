// Query parameters that are comma-separated names, one of which a row must have.
import { Type } from '../../schemas/define.ts';
import { parameterFailure } from './failure.ts';

const MAX_CHARACTERS = 1_000;

export const listParameter = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CHARACTERS,
      description: `Comma-separated ${what}: keep rows with any of these`,
    }),
  );

/** The names in lower case; undefined without the parameter. @throws Failure `validation_failed` for an empty name */
export function namesIn(parameter: string, text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('')) throw parameterFailure(parameter, 'contains an empty name');
  return new Set(names);
}
