// The validator of both programs: whatever is checked against a schema while they run is checked by ajv.
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';

/** Keywords by which our schemas say more than what is valid. */
const ANNOTATIONS = ['column', 'expected', 'inherited', 'times'];

/** `allErrors`: checks go on after the first error. It keeps what it has compiled. */
export function newValidator(options: { readonly allErrors: boolean }): Ajv {
  // Optimizing the checks takes longer than it saves.
  const made = new Ajv({ ...options, code: { optimize: false } });
  made.addVocabulary(ANNOTATIONS);
  // The package is CommonJS: its function is the module's `default` for Node and the module itself for the type checker.
  (addFormats as unknown as { default: (ajv: Ajv) => void }).default(made);
  return made;
}

let shared: Ajv | undefined;

/** All that is wrong with a value; empty where it is as the schema says. Compiled at the first value, once for each schema. */
export function errorsOf(schema: TSchema, value: unknown): readonly ErrorObject[] {
  shared ??= newValidator({ allErrors: true });
  const check = shared.compile(schema);
  return check(value) ? [] : (check.errors ?? []);
}
