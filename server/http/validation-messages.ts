// Words the problem with a member of a request.
import type { ErrorObject } from 'ajv';
import { counted } from '../../platform/base/plural.ts';
import { ULID_PATTERN, UTC_PATTERN } from '../../schemas/define.ts';
import { nearestName } from '../../platform/base/nearest-name.ts';
import { INSTANT_PATTERN } from '../define/parameters.ts';

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
const WORDS: { readonly [keyword: string]: (params: Params) => string | null } = {
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
  const text = WORDS[keyword]?.(params) ?? message;
  const meant = keyword === 'enum' ? meantValue(data, params['allowedValues']) : null;
  return meant === null ? text : `${text}; did you mean ${meant}?`;
}

/** Longer texts are no mistyped names, and comparing them takes long. */
const MAX_NAME_CHARACTERS = 64;

const meantValue = (given: unknown, allowed: unknown): string | null =>
  typeof given === 'string' && given.length <= MAX_NAME_CHARACTERS && Array.isArray(allowed)
    ? nearestName(given, allowed.map(String))
    : null;
