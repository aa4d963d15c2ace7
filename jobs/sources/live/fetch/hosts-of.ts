// The hosts that a source sends requests to: those of its address for each partition, and of a chain's further nodes and directory.
import type { LiveSource } from './live-source.ts';

const PLACEHOLDER = /\$?\{([A-Za-z][A-Za-z0-9_.]*)\}/g;

/** In order, each once. Omits a host that only the environment fills in. */
export function hostsOf({ request, partitions }: Pick<LiveSource, 'request' | 'partitions'>): string[] {
  if (request === null) return [];
  const { chain } = request;
  const further = [...(chain?.nodes ?? []), ...(chain?.directory === undefined ? [] : [chain.directory])];
  const urls = partitions.flatMap(({ params }) =>
    [request.url, ...further].map((url) =>
      url.replaceAll(PLACEHOLDER, (_, name: string) => params[name] ?? '_'),
    ),
  );
  const hosts = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).host] : []));
  return [...new Set(hosts)].filter((host) => host !== '_');
}
