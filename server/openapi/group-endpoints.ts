// Groups endpoints for OpenAPI: patterns that differ only in parameter names are one path there, with one operation that describes all of
// them.
import type { Endpoint, Method } from '../define/endpoint.ts';

export interface EndpointGroup {
  /** `/v2/webhooks/{id}` */
  readonly path: string;
  readonly method: Method;
  /** Names of the parameters in the path, each with its position among `/`-separated parts. */
  readonly names: ReadonlyMap<number, string>;
  /** In the order in which they are tried. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
}

export function groupEndpoints(endpoints: readonly Endpoint[]): EndpointGroup[] {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>();
  for (const endpoint of endpoints) {
    const key = `${endpoint.method} ${endpoint.path.replace(/:[a-z0-9_]+/g, ':')}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [endpoint]);
    else group.push(endpoint);
  }
  return [...groups.values()].map(groupOf);
}

function groupOf(endpoints: [Endpoint, ...Endpoint[]]): EndpointGroup {
  const [first] = endpoints;
  const patterns = endpoints.map(({ path }) => path.split('/'));
  const names = new Map<number, string>();
  for (const [index, part] of first.path.split('/').entries()) {
    if (!part.startsWith(':')) continue;
    names.set(index, [...new Set(patterns.map((pattern) => pattern[index]?.slice(1)))].join('_or_'));
  }
  const path = first.path
    .split('/')
    .map((part, index) => (names.has(index) ? `{${names.get(index)}}` : part))
    .join('/');
  return { path, method: first.method, names, endpoints };
}

const VERBS = { GET: 'get', POST: 'post', PATCH: 'update', DELETE: 'delete' } as const;

/** `getDataOraclePairs` for `GET /data/oracle/{provider}/pairs`: the words of the path, with a parameter only at its end; or the endpoint's own. */
export function operationId({
  method,
  path,
  endpoints: [{ operation }],
}: Omit<EndpointGroup, 'names'>): string {
  if (operation !== undefined) return operation;
  const parts = path.split('/').slice(1);
  const last = parts.at(-1) ?? '';
  const terms = parts.filter((part) => !part.startsWith('{'));
  const by = last.startsWith('{') ? ['by', ...last.slice(1, -1).split('_')] : [];
  return (
    VERBS[method] +
    [...terms, ...by]
      .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
      .map(capital)
      .join('')
  );
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
