// Text templates: `{name}` is filled in from the request's values, `${NAME}` from the environment. Secrets never reach stored data.

export type Values = { readonly [name: string]: string };

const PLACE = /\{([a-z][a-z0-9_.]*)\}/g;
const SECRET = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/** Names of the environment variables that a value uses, at any depth. */
export const secretsIn = (value: unknown): readonly string[] => [
  ...new Set(textsIn(value).flatMap((text) => [...text.matchAll(SECRET)].map((match) => match[1] ?? ''))),
];

/** Names of the placeholders, at any depth. */
export const placesIn = (value: unknown): readonly string[] => [
  ...new Set(
    textsIn(value).flatMap((text) =>
      [...text.replaceAll(SECRET, '').matchAll(PLACE)].map((match) => match[1] ?? ''),
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
  return text.replaceAll(/\$?\{([A-Za-z][A-Za-z0-9_.]*)\}/g, (whole, name: string) => {
    if (whole.startsWith('$')) return whole;
    const value = values[name];
    if (value === undefined) throw new Error(`there is no value for {${name}} in "${text}"`);
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
  const [, numeric] = /^=number (.+)$/.exec(text) ?? [];
  if (numeric === undefined) return filled(text, values);
  const number = Number(filled(numeric, values));
  if (!Number.isFinite(number)) throw new Error(`"${text}" does not become a number`);
  return number;
}

/** Fills in secrets. @throws Error for a missing one. */
export const withSecrets = (text: string, secrets: Values): string =>
  text.replaceAll(SECRET, (_, name: string) => {
    const value = secrets[name];
    if (value === undefined || value === '') throw new Error(`${name} is not set`);
    return value;
  });

/** The text with every secret's value replaced by its name, even where a response repeats it. */
export function withoutSecrets(text: string, secrets: Values): string {
  let clean = text;
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < 4) continue;
    clean = clean.replaceAll(value, `\${${name}}`).replaceAll(encodeURIComponent(value), `\${${name}}`);
  }
  return clean;
}
