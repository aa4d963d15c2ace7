// The parameters of a query: @start, @end and @now. A query has no other input.
export const PARAMETERS = ['start', 'end', 'now'] as const;

/** Values of the parameters, Unix seconds: the model covers start ≤ t < end as of now. */
export type Parameters = { readonly [name in (typeof PARAMETERS)[number]]: number };

/** For a query whose result does not depend on time. */
export const NO_TIME: Parameters = { start: 0, end: 0, now: 0 };

/** Literals, quoted names and comments keep their @; everything else that looks like a parameter is one. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|@([A-Za-z_]\w*)/g;

/** Replaces parameters with numbers. Throws on an unknown parameter, and on a value that is not a whole number. */
export function renderParameters(sql: string, values: Parameters): string {
  return sql.replace(TOKEN, (token, name?: string) => {
    if (name === undefined) return token;
    const value = (values as { readonly [name: string]: number | undefined })[name];
    if (value === undefined)
      throw new Error(
        `@${name} is not a parameter: the parameters are ${PARAMETERS.map((p) => `@${p}`).join(', ')}.`,
      );
    if (!Number.isSafeInteger(value))
      throw new Error(`@${name} is ${value}, which is not a whole number of seconds.`);
    return `cast(${value} as bigint)`;
  });
}

const LITERAL_OR_GAP = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(?:--[^\n]*|\/\*[\s\S]*?\*\/|\s)+/g;

/** The SQL without comments and with single spaces; this is the text that is hashed. */
export const withoutComments = (sql: string): string =>
  sql.replace(LITERAL_OR_GAP, (token) => (/^['"]/.test(token) ? token : ' ')).trim();
