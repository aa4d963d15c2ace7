// Text templates: `{name}` is filled in from the request's values, `${NAME}` from the environment. Secrets never reach stored data.

export type Values = { readonly [name: string]: string };

/** Names of other forms have no value, and are refused with the configuration. */
const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_.-]*)\}/g;
const SECRET = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/** Names of the environment variables that a value uses, at any depth. */
export const secretsIn = (value: unknown): readonly string[] => [
  ...new Set(textsIn(value).flatMap((text) => [...text.matchAll(SECRET)].map((match) => match[1] ?? ''))),
];

/** `${name}` in another form than that of an environment variable, at any depth. */
export const strangeSecretsIn = (value: unknown): readonly string[] => [
  ...new Set(textsIn(value).flatMap((text) => text.replaceAll(SECRET, '').match(/\$\{[^{}]*\}/g) ?? [])),
];

/** Names of the placeholders, at any depth. */
export const placesIn = (value: unknown): readonly string[] => [
  ...new Set(
    textsIn(value).flatMap((text) =>
      [...text.replaceAll(/\$\{[^{}]*\}/g, '').matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''),
    ),
  ),
];

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** @throws Error for a placeholder without a value, which is a mistake in the source's definition. */
export function filled(text: string, values: Values): string {
  return text.replaceAll(/\$?\{([A-Za-z][A-Za-z0-9_.-]*)\}/g, (whole, name: string) => {
    if (whole.startsWith('$')) return whole;
    const value = values[name];
    if (value === undefined) throw new Error(`There is no value for {${name}} in "${text}".`);
    return value;
  });
}

/** Fills a JSON value at any depth. A text `=number {page}` becomes a number. */
export function filledJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return filledText(value, values);
  if (Array.isArray(value)) return value.map((one) => filledJson(one, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledJson(one, values)]));
}

function filledText(text: string, values: Values): unknown {
  const [, numeric] = /^=number (.+)$/s.exec(text) ?? [];
  if (numeric === undefined) return filled(text, values);
  const number = Number(filled(numeric, values));
  if (!Number.isFinite(number)) throw new Error(`"${text}" does not become a number.`);
  return number;
}

/** Fills in secrets. A name that is none of them stays: it is text that a response contained. */
export const withSecrets = (text: string, secrets: Values, written = (value: string) => value): string =>
  text.replaceAll(SECRET, (whole, name: string) =>
    secrets[name] === undefined ? whole : written(secrets[name]),
  );

/** Headers with their values filled in. */
export const headersWith = (headers: Values, fill: (text: string) => string): Values =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), fill(text)]));
