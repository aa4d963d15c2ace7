// Paths in which the value of a parameter is missing: `/scores/overall/`, `/v2/webhooks//deliveries`. They are malformed, not unknown (7.2).
import type { Endpoint } from '../define/endpoint.ts';

export interface Incomplete {
  readonly endpoint: Endpoint;
  /** Names of the parameters without a value. */
  readonly missing: readonly string[];
}

/** The first endpoint whose pattern the path has but for values that are missing, one with this method before others. */
export function incompletePath(
  endpoints: readonly Endpoint[],
  path: string,
  method: string,
): Incomplete | undefined {
  const given = path.split('/');
  // The first part is what precedes the first slash.
  if (!given.includes('', 1)) return undefined;
  const fitting = endpoints.flatMap((endpoint) => lacking(endpoint, given) ?? []);
  const read = method === 'HEAD' ? 'GET' : method;
  return fitting.find(({ endpoint }) => endpoint.method === read) ?? fitting[0];
}

function lacking(endpoint: Endpoint, given: readonly string[]): Incomplete | undefined {
  const parts = endpoint.path.split('/');
  if (parts.length !== given.length) return undefined;
  const missing: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isParameter = part.startsWith(':');
    if (isParameter && given[index] === '') missing.push(part.slice(1));
    if (!isParameter && part !== given[index]) return undefined;
  }
  return missing.length === 0 ? undefined : { endpoint, missing };
}
