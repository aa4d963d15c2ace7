// The validator of both programs, ajv: everything that is checked against a schema at run time.
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';

/** Keywords of our schemas that do not affect validity. */
const ANNOTATIONS = ['column', 'expected', 'inherited', 'times'];

/** With `allErrors`, checking continues after the first error. A validator keeps what it has compiled. */
export function newValidator(options: { readonly allErrors: boolean }): Ajv {
  // Optimizing the checks takes longer than it saves. Errors carry the wrong value, in which a message looks for the name that was meant.
  const made = new Ajv({ ...options, verbose: true, code: { optimize: false } });
  made.addVocabulary(ANNOTATIONS);
  // The package is CommonJS: its function is the module's `default` for Node and the module itself for the type checker.
  (addFormats as unknown as { default: (ajv: Ajv) => void }).default(made);
  return made;
}

let shared: Ajv | undefined;

/** Everything wrong with a value; empty if it is valid. Each schema is compiled once, at its first value. */
export function errorsOf(schema: TSchema, value: unknown): readonly ErrorObject[] {
  shared ??= newValidator({ allErrors: true });
  const check = shared.compile(schema);
  return check(value) ? [] : (check.errors ?? []);
}
