// Readers of the soak: the example request of every GET of the API, again and again, and calculations on demand.
import { setTimeout as wait } from 'node:timers/promises';
import { errors, Pool } from 'undici';
import { systemCode } from '../../../platform/storage/disk.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { openApiDocument } from '../../../server/openapi/document.ts';
import { groupsOf } from '../../../server/web/docs-groups.ts';
import { requestOf } from '../../../server/web/request-samples.ts';

const PAGES = ['/', '/pegs', '/oracles', '/lending', '/vaults', '/yields', '/events', '/status', '/coverage'];
const EXIT = `/v2/liquidity/${encodeURIComponent('bsc:0xeb5fdea656f8c2d23556b6ef130893b5ac556021')}/exit-monte-carlo`;
const POSITION = {
  kind: 'borrow',
  rules: 'aave-v3.3',
  collateral: [
    {
      asset: 'ETH',
      amount_usd: 100_000,
      liquidation_threshold: 0.83,
      liquidation_bonus: 0.05,
      protocol_fee: 0.1,
    },
  ],
  debt: [{ asset: 'USDC', amount_usd: 70_000 }],
};

/** Paths of all GETs with the example values of their parameters, and pages. */
function examplePaths(): readonly string[] {
  const document = openApiDocument(ENDPOINTS);
  const requests = groupsOf(document)
    .flatMap(({ operations }) => operations)
    .map((located) => requestOf(located, document.components));
  return [...requests.filter(({ method }) => method === 'GET').map(({ target }) => target), ...PAGES];
}

/** Closed by the server, before its answer or in the middle of it. */
const isCut = (error: unknown): boolean =>
  error instanceof errors.SocketError || ['ECONNRESET', 'EPIPE'].includes(systemCode(error) ?? '');

const MAX_ATTEMPTS = 20;
const RETRY_MS = 200;

interface SoakRequest {
  readonly path: string;
  readonly body?: object;
}

export class SoakReaders {
  #pool: Pool | undefined;
  readonly #url: string;
  readonly #connections: number;
  readonly #keys: readonly string[];
  #paths: readonly string[] = [];
  #next = 0;
  /** Requests that were repeated because their connection was cut. */
  cuts = 0;
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();

  constructor(url: string, { keys, connections }: { keys: readonly string[]; connections: number }) {
    this.#url = url;
    this.#connections = connections;
    this.#keys = keys;
  }

  /** Chooses the paths that exist in the demo; the examples of the others name an event or a webhook of another installation. */
  async choosePaths(): Promise<number> {
    const found: string[] = [];
    for (const path of examplePaths()) if ((await this.#ask({ path })) === 200) found.push(path);
    this.#paths = found;
    this.statuses.clear();
    return found.length;
  }

  /**
   * This many requests over all connections, and one calculation of each kind. The connections are new: when the clock is put ahead, the
   * server closes those that were idle.
   */
  async read(requests: number, turn: number): Promise<void> {
    await this.close();
    let left = requests;
    const reader = async () => {
      while (left-- > 0) await this.#ask({ path: this.#paths[this.#next++ % this.#paths.length] ?? '/' });
    };
    const readers = Array.from({ length: this.#connections }, reader);
    const exit = { position_usd: 1e6, paths: 100, horizon_hours: 1, seed: turn };
    const run = {
      scenario_id: 'oracle_freeze_6h',
      positions: [{ ...POSITION, debt: [{ asset: 'USDC', amount_usd: 70_000 + turn }] }],
    };
    await Promise.all([
      ...readers,
      this.#ask({ path: EXIT, body: exit }),
      this.#ask({ path: '/v2/simulator/run', body: run }),
    ]);
  }

  /** Asks again if the connection was cut: a server that sees the clock put ahead during a request takes it for one that is too slow. */
  async #ask(request: SoakRequest, attempts = MAX_ATTEMPTS): Promise<number> {
    try {
      return await this.#askOnce(request);
    } catch (error) {
      if (!isCut(error) || attempts === 1) throw error;
      this.cuts += 1;
      await wait(RETRY_MS);
      return this.#ask(request, attempts - 1);
    }
  }

  async #askOnce({ path, body }: SoakRequest): Promise<number> {
    const key = this.#keys[this.#next % this.#keys.length];
    this.#pool ??= new Pool(this.#url, { connections: this.#connections });
    const { statusCode, body: answer } = await this.#pool.request({
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.dump({ limit: Number.MAX_SAFE_INTEGER });
    this.statuses.set(statusCode, (this.statuses.get(statusCode) ?? 0) + 1);
    return statusCode;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }
}
