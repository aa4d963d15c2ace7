// Paths without the value of a parameter: `/scores/overall/`, `/v2/webhooks//deliveries`. They are malformed, not unknown (7.2).
import type { Endpoint } from '../define/endpoint.ts';

export interface Incomplete {
  readonly endpoint: Endpoint;
  /** Names of the parameters without a value. */
  readonly missing: readonly string[];
}

/** The first endpoint whose pattern matches the path except for missing values. Endpoints with this method take precedence. */
export function incompletePath(
  endpoints: readonly Endpoint[],
  path: string,
  method: string,
): Incomplete | undefined {
  const given = path.split('/');
  // The first part is the text before the first slash.
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
