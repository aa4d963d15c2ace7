// Small building blocks over TypeBox that every schema uses: nullable values, instants, days, exact decimals.
// Resources are defined elsewhere, each in the file named after it.
import Type, { type Static, type TSchema } from 'typebox';

export type { Static, TSchema };
export { Type };

/** `schema` or JSON null. Null means "not known", never 0. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** How an instant ends: its zone is always UTC. */
export const UTC_PATTERN = 'Z$';

/** An instant as ISO 8601 in UTC with a trailing `Z`, for example `2026-01-31T09:00:00Z`. */
export const IsoTime = (description: string) =>
  Type.String({ description, format: 'date-time', pattern: UTC_PATTERN, examples: ['2026-01-31T09:00:00Z'] });

/** An instant as whole seconds since 1970-01-01T00:00:00Z. */
export const UnixSeconds = (description: string) => Type.Integer({ description, minimum: 0 });

/** An exact amount as decimal digits in a string, because it may not fit a double. */
export const DecimalString = (description: string) =>
  Type.String({ description, pattern: '^-?[0-9]+(\\.[0-9]+)?$', examples: ['0.9971'] });

export const ULID_PATTERN = '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';

/** A 26-character ULID in Crockford base 32, upper case. */
export const Ulid = (description: string, more: { readonly maxLength?: number } = {}) =>
  Type.String({
    description,
    ...more,
    pattern: ULID_PATTERN,
    examples: ['01HZX3K9Q4T2V7B8N6M5P1R0SD'],
  });

export const PARTIAL_DAY_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

/** Member of `meta` for daily records (decision 57). */
export const PartialDay = Type.Optional(
  Type.String({
    description:
      'UTC day whose records in the data change until it ends; absent if every record is of a complete day',
    pattern: PARTIAL_DAY_PATTERN,
    examples: ['2026-01-31'],
  }),
);

/** An object that rejects unknown members. */
export const Strict = <P extends Record<string, TSchema>>(properties: P, description?: string) =>
  Type.Object(properties, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });

const Milliseconds = (share: string, of: string) =>
  Nullable(
    Type.Number({
      minimum: 0,
      description: `Milliseconds that ${share} of ${of} did not exceed, accurate to 9 % from 0.125 on; null if there were none`,
    }),
  );

/** `of`: what took the time, such as `requests`. */
export const percentileProperties = (of: string) => ({
  p50_ms: Milliseconds('50 %', of),
  p95_ms: Milliseconds('95 %', of),
  p99_ms: Milliseconds('99 %', of),
});
