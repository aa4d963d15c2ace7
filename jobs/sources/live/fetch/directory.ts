// Published lists of contracts on a chain: feeds of Chainlink, vaults of Morpho. Each is read again twice a day; if that fails, the last
// copy is used.
import type { NetClient } from '../http/client.ts';
import type { Urgency } from '../http/host-gate.ts';
import { NetFault } from '../http/net-fault.ts';
import { type Values, withSecrets } from '../http/template.ts';
import type { ChainSection } from '../evm/chain-section.ts';
import type { ListedContracts } from '../evm/chain-task.ts';
import type { Feed } from '../evm/feed-abi.ts';
import type { ReadingSize } from './reading-size.ts';

const KEPT_S = 43_200;
const TIMEOUT_MS = 30_000;
const ADDRESS = /^0x[0-9a-f]{40}$/;

interface ListRequest {
  readonly urgency: Urgency;
  readonly tools: {
    readonly client: NetClient;
    readonly secrets: Values;
    /** Unix seconds. */
    readonly now: () => number;
    readonly size: ReadingSize;
  };
}

export class Directory {
  readonly #cached = new Map<string, { readonly at: number; readonly document: unknown }>();

  /** The contracts that the directory of a source lists; none without one. */
  contractsOf(
    { id, directory }: Pick<ChainSection, 'id' | 'directory'>,
    request: ListRequest,
  ): ListedContracts {
    const listed = async <T>(read: (document: unknown) => readonly T[]): Promise<readonly T[]> =>
      directory === undefined ? [] : this.list(directory, read, request);
    return { feeds: () => listed(feedsIn), vaults: () => listed((document) => vaultsIn(document, id)) };
  }

  /** What `read` finds in the list. @throws NetFault if the list cannot be read now and there is no copy */
  async list<T>(url: string, read: (document: unknown) => T, { urgency, tools }: ListRequest): Promise<T> {
    const known = this.#cached.get(url);
    if (known !== undefined && tools.now() - known.at < KEPT_S) return read(known.document);
    const address = withSecrets(url, tools.secrets);
    const request = { method: 'GET' as const, url: address, headers: {}, body: null };
    const expected = { format: 'json', protocol: 'plain' } as const;
    try {
      const { parsed } = await tools.size.call(tools.client, {
        request,
        expected,
        timeoutMs: TIMEOUT_MS,
        urgency,
      });
      const found = read(parsed?.document);
      this.#cached.set(url, { at: tools.now(), document: parsed?.document });
      return found;
    } catch (error) {
      if (known !== undefined) return read(known.document);
      throw error;
    }
  }
}

type Entries = readonly { readonly [name: string]: unknown }[];

const entriesOf = (document: unknown): Entries =>
  (Array.isArray(document) ? document : []).filter(
    (one) => typeof one === 'object' && one !== null,
  ) as Entries;

/** Entries without a proxy are not contracts. @throws NetFault if no entry has one */
export function feedsIn(document: unknown): readonly Feed[] {
  const feeds = new Map<string, Feed>();
  for (const { proxyAddress, decimals } of entriesOf(document)) {
    const address = typeof proxyAddress === 'string' ? proxyAddress.toLowerCase() : '';
    if (ADDRESS.test(address))
      feeds.set(address, { address, decimals: typeof decimals === 'number' ? decimals : null });
  }
  if (feeds.size === 0) throw new NetFault('content', 'the directory of feeds lists no proxy.');
  return [...feeds.values()];
}

/** Vaults of one chain, even those no longer marked as listed, which still have depositors. @throws NetFault if there are none */
export function vaultsIn(document: unknown, chainId: number): readonly string[] {
  const addresses = entriesOf(document)
    .filter((entry) => entry['chainId'] === chainId)
    .map(({ address }) => (typeof address === 'string' ? address.toLowerCase() : ''))
    .filter((address) => ADDRESS.test(address));
  if (addresses.length === 0)
    throw new NetFault('content', `the directory lists no vault of chain ${chainId}.`);
  return [...new Set(addresses)].sort();
}
