// Finds the wrong members of a request, with bounded time and output: every check stops at its first error, each member has at most one,
// and at most ten are listed.

import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
import { nearestName } from '../../platform/base/nearest-name.ts';
import { ownMember } from '../../platform/base/own-member.ts';
import { counted } from '../../platform/base/plural.ts';
import { ULID_PATTERN, UTC_PATTERN } from '../../schemas/define.ts';
import { INSTANT_PATTERN } from '../define/parameters.ts';

export interface WrongField {
  readonly field: string;
  readonly problem: string;
}

const MAX_LISTED = 10;
/** Maximum length of names that the caller chose. */
const MAX_NAME_CHARACTERS = 64;

export class FieldCheck {
  readonly #whole: ValidateFunction;
  readonly #required: readonly string[];
  readonly #byName: ReadonlyMap<string, ValidateFunction>;

  /** `ajv` must stop at the first error. */
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
    return problemIn('', this.#whole.errors ?? []);
  }

  #membersOf(value: Readonly<Record<string, unknown>>): readonly WrongField[] {
    const missing = this.#required.filter((name) => !Object.hasOwn(value, name));
    const found: WrongField[] = missing.map((field) => ({ field, problem: 'is required' }));
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= MAX_LISTED) break;
      const check = this.#byName.get(name);
      if (check === undefined) found.push({ field: short(name), problem: 'is not allowed here' });
      else if (!check(member)) found.push(...problemIn(name, check.errors ?? []));
    }
    return found;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const short = (name: string): string =>
  name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;

/** With alternatives, the problem of the one that matches furthest; if several match equally far, what each of them expects there. */
function problemIn(name: string, errors: readonly ErrorObject[]): readonly WrongField[] {
  const telling = tellingErrors(errors);
  const [first = errors[0]] = telling;
  if (first === undefined) return [];
  const isOfConst = (error: ErrorObject) =>
    telling.some((one) => one.keyword === 'const' && schemaOf(one) === schemaOf(error));
  const wanted = telling.filter((error) => error.keyword !== 'type' || !isOfConst(error));
  const message = [...new Set(wanted.map(textOf))];
  const isChoice = message.length > 1 && message.every((one) => one.startsWith(MUST_BE));
  const problem = isChoice
    ? `${MUST_BE}${message.map((one) => one.slice(MUST_BE.length)).join(' or ')}`
    : (message[0] ?? textOf(first));
  return [{ field: fieldOf(name, first), problem }];
}

/** Errors of one member. Ignores alternatives that expect another value for the discriminating member. */
function tellingErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const own = errors.filter((error) => error.keyword !== 'anyOf' && !isNullWanted(error));
  const deepest = Math.max(...own.map(depthOf));
  const members = [
    ...Map.groupBy(
      own.filter((error) => depthOf(error) === deepest),
      memberOf,
    ).values(),
  ];
  const isMeant = (group: readonly ErrorObject[]) => group.some(({ keyword }) => keyword !== 'const');
  return members.find(isMeant) ?? members[0] ?? [];
}

const memberOf = (error: ErrorObject): string => `${error.instancePath}/${innerOf(error) ?? ''}`;
/** Path of the schema that contains a keyword. */
const schemaOf = ({ schemaPath }: ErrorObject): string => schemaPath.slice(0, schemaPath.lastIndexOf('/'));

const MUST_BE = 'must be ';
const depthOf = (error: ErrorObject): number =>
  error.instancePath.split('/').length + (innerOf(error) === null ? 0 : 1);
const isNullWanted = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'type' && params['type'] === 'null';

/** The name of a missing or unknown member. */
function innerOf({ params }: ErrorObject): string | null {
  const inner: unknown = params['missingProperty'] ?? params['additionalProperty'];
  return typeof inner === 'string' ? inner : null;
}

function fieldOf(name: string, error: ErrorObject): string {
  const { instancePath } = error;
  const path = `${name}${name === '' ? instancePath.slice(1) : instancePath}`;
  const parts = [short(path), short(innerOf(error) ?? '')];
  return parts.filter((part) => part !== '').join('/') || 'body';
}

// Words the problem with a member of a request.

type Params = Readonly<Record<string, unknown>>;

const KINDS: { readonly [type: string]: string } = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const INSTANT = 'must be a time in UTC, such as 2026-01-31T09:00:00Z';

const BY_PATTERN: { readonly [pattern: string]: string } = {
  [UTC_PATTERN]: INSTANT,
  [INSTANT_PATTERN]: 'must be a time in UTC, such as 2026-01-31 or 2026-01-31T09:00:00Z, or Unix seconds',
  [ULID_PATTERN]: 'must be 26 digits and capital letters, such as 01HZX3K9Q4T2V7B8N6M5P1R0SD',
  '\\S': 'must not be blank',
};

const atLeast =
  (one: string) =>
  ({ limit }: Params): string =>
    `must have at least ${counted(Number(limit), one)}`;
const atMost =
  (one: string) =>
  ({ limit }: Params): string =>
    `must have at most ${counted(Number(limit), one)}`;

/** By schema keyword; null if the validator's own words are good enough. */
const MESSAGES: { readonly [keyword: string]: (params: Params) => string | null } = {
  additionalProperties: () => 'is not allowed here',
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as readonly string[]).join(', ')}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  format: ({ format }) => (format === 'date-time' ? INSTANT : null),
  maximum: ({ limit }) => `must be at most ${limit}`,
  maxItems: atMost('item'),
  maxLength: atMost('character'),
  maxProperties: atMost('member'),
  minimum: ({ limit }) => `must be at least ${limit}`,
  minItems: atLeast('item'),
  minLength: atLeast('character'),
  minProperties: atLeast('member'),
  pattern: ({ pattern }) => BY_PATTERN[String(pattern)] ?? null,
  required: () => 'is required',
  type: ({ type }) => (KINDS[String(type)] === undefined ? null : `must be ${KINDS[String(type)]}`),
  uniqueItems: ({ i, j }) => {
    const [first, second] = [Number(i), Number(j)].sort((a, b) => a - b);
    return `has the same item twice: items ${first} and ${second}, counting from 0`;
  },
};

export function textOf({ keyword, params, data, message = 'is wrong' }: ErrorObject): string {
  const text = ownMember(MESSAGES, keyword)?.(params) ?? message;
  const meant = keyword === 'enum' ? meantValue(data, params['allowedValues']) : null;
  return meant === null ? text : `${text}; did you mean ${meant}?`;
}

/** Longer texts are no mistyped names, and comparing them takes long. */

const meantValue = (given: unknown, allowed: unknown): string | null =>
  typeof given === 'string' && given.length <= MAX_NAME_CHARACTERS && Array.isArray(allowed)
    ? nearestName(given, allowed.map(String))
    : null;
