// Finds the wrong members of a request, with bounded time and output: every check ends at its first error, each member has at most
// one, and ten are listed.
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
import { wordsOf } from './problem-words.ts';

export interface WrongField {
  readonly field: string;
  readonly problem: string;
}

const MAX_LISTED = 10;
/** Limit for names that the caller chose. */
const MAX_NAME_CHARACTERS = 64;

export class FieldCheck {
  readonly #whole: ValidateFunction;
  readonly #required: readonly string[];
  readonly #byName: ReadonlyMap<string, ValidateFunction>;

  /** `ajv` ends at the first error. */
  constructor(ajv: Ajv, schema: TObject) {
    this.#whole = ajv.compile(schema);
    this.#required = schema.required ?? [];
    this.#byName = new Map(
      Object.entries(schema.properties).map(([name, property]) => [name, ajv.compile(property)]),
    );
  }

  accepts(value: unknown): boolean {
    return this.#whole(value);
  }

  /** The problems of a rejected value. */
  problemsOf(value: unknown): readonly WrongField[] {
    const found = isObject(value) ? this.#membersOf(value) : [];
    if (found.length > 0) return found.slice(0, MAX_LISTED);
    this.#whole(value);
    return (this.#whole.errors ?? []).slice(0, 1).map((error) => problem('', error));
  }

  #membersOf(value: Readonly<Record<string, unknown>>): readonly WrongField[] {
    const missing = this.#required.filter((name) => !Object.hasOwn(value, name));
    const found: WrongField[] = missing.map((field) => ({ field, problem: 'is required' }));
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= MAX_LISTED) break;
      const check = this.#byName.get(name);
      if (check === undefined) found.push({ field: short(name), problem: 'is not known here' });
      else if (!check(member))
        found.push(...(check.errors ?? []).slice(0, 1).map((error) => problem(name, error)));
    }
    return found;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const short = (name: string): string =>
  name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;

const problem = (name: string, error: ErrorObject): WrongField => ({
  field: fieldOf(name, error),
  problem: wordsOf(error),
});

function fieldOf(name: string, { instancePath, params }: ErrorObject): string {
  const inner: unknown = params['missingProperty'] ?? params['additionalProperty'];
  const path = `${name}${name === '' ? instancePath.slice(1) : instancePath}`;
  const parts = [short(path), typeof inner === 'string' ? short(inner) : ''];
  return parts.filter((part) => part !== '').join('/') || 'body';
}
