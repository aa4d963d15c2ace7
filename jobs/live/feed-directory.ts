// Which feeds a registry of Chainlink lists on a chain: proxies with their decimals. Read again twice a day; its own source lands it.

import type { Urgency } from '../net/host-gate.ts';
import { NetFault } from '../net/net-fault.ts';
import type { Feed } from './evm/read-rounds.ts';
import type { ReaderTools } from './reader.ts';

const KEPT_S = 43_200;
const LIMITS = { timeoutMs: 30_000, maxBytes: 50_000_000 };
const ADDRESS = /^0x[0-9a-f]{40}$/;

export class FeedDirectory {
  readonly #known = new Map<string, { readonly at: number; readonly feeds: readonly Feed[] }>();

  /** @throws NetFault where it was never read and cannot be read now */
  async feeds(url: string, urgency: Urgency, { client, now }: ReaderTools): Promise<readonly Feed[]> {
    const known = this.#known.get(url);
    if (known !== undefined && now() - known.at < KEPT_S) return known.feeds;
    const request = { method: 'GET' as const, url, headers: {}, body: null };
    const expected = { format: 'json', protocol: 'plain' } as const;
    try {
      const { parsed } = await client.call({ request, expected, limits: LIMITS, urgency });
      const feeds = feedsIn(parsed?.document);
      this.#known.set(url, { at: now(), feeds });
      return feeds;
    } catch (error) {
      if (known !== undefined) return known.feeds;
      throw error;
    }
  }
}

/** Entries without a proxy are no contracts. @throws NetFault where there is no entry with one */
export function feedsIn(document: unknown): readonly Feed[] {
  const entries = Array.isArray(document)
    ? (document as readonly { readonly [name: string]: unknown }[])
    : [];
  const feeds = new Map<string, Feed>();
  for (const { proxyAddress, decimals } of entries) {
    const address = typeof proxyAddress === 'string' ? proxyAddress.toLowerCase() : '';
    if (ADDRESS.test(address))
      feeds.set(address, { address, decimals: typeof decimals === 'number' ? decimals : null });
  }
  if (feeds.size === 0) throw new NetFault('content', 'the directory of feeds lists no proxy.');
  return [...feeds.values()];
}
