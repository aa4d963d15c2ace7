// The load on a cluster: requests without a pause, streams that reconnect, and a reader of each server that notes what it saw.
import { setTimeout as wait } from 'node:timers/promises';
import { ReturningClient } from '../end-to-end/returning-client.ts';
import type { Cluster } from './cluster.ts';

/** All are served once the first full version is published; the first look has fewer datasets. */
export const PATHS = ['/v2/data-manifest', '/v2/conditions', '/v2/datasets'];
const PAUSE_MS = 10;
const STREAMS = 6;
const MAX_SHOWN = 300;

export interface LoadFigures {
  readonly requests: number;
  readonly failed: readonly string[];
  readonly backward: readonly string[];
  readonly streams: readonly ReturningClient[];
}

export class Load {
  readonly #cluster: Cluster;
  readonly #streams: readonly ReturningClient[];
  readonly #running: Promise<unknown>[] = [];
  readonly #failed: string[] = [];
  readonly #backward: string[] = [];
  #requests = 0;
  #isOver = false;

  /** Streams begin after the event with the id `since`. */
  constructor(cluster: Cluster, key: string, since: string) {
    this.#cluster = cluster;
    const coming = { address: () => cluster.proxy, key, since };
    this.#streams = Array.from({ length: STREAMS }, () => new ReturningClient(coming));
    const noteFailure = (error: unknown) => void this.#failed.push(`stream: ${error}`);
    this.#running.push(...this.#streams.map((stream) => stream.run().catch(noteFailure)));
    this.#running.push(this.#request(key), this.#request(key));
    this.#running.push(...cluster.ports.map((_, index) => this.#watch(index, key)));
  }

  get streams(): readonly ReturningClient[] {
    return this.#streams;
  }

  get failed(): readonly string[] {
    return this.#failed;
  }

  async end(): Promise<LoadFigures> {
    this.#isOver = true;
    for (const stream of this.#streams) stream.stop();
    await Promise.all(this.#running);
    return {
      requests: this.#requests,
      failed: this.#failed,
      backward: this.#backward,
      streams: this.#streams,
    };
  }

  async #request(key: string): Promise<void> {
    while (!this.#isOver) {
      const path = PATHS[this.#requests++ % PATHS.length] ?? '/';
      try {
        const response = await fetch(this.#cluster.proxy + path, {
          headers: { Authorization: `Bearer ${key}` },
        });
        const body = await response.text();
        if (!response.ok) this.#failed.push(`${path} ${response.status} ${body.slice(0, MAX_SHOWN)}`);
      } catch (error) {
        this.#failed.push(`${path} ${error instanceof Error ? error.message : error}`);
      }
      await wait(PAUSE_MS);
    }
  }

  /** Watches one server, bypassing nginx: the data that it serves must never get older. */
  async #watch(index: number, key: string): Promise<void> {
    let newest = '';
    while (!this.#isOver) {
      const seen = await generatedAt(this.#cluster.serverUrl(index), key);
      if (seen !== undefined && seen < newest)
        this.#backward.push(`server ${index} went from ${newest} back to ${seen}`);
      newest = seen ?? newest;
      await wait(10 * PAUSE_MS);
    }
  }
}

async function generatedAt(url: string, key: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/v2/data-manifest`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as { readonly data?: { readonly generated_at?: string } };
    return data?.generated_at;
  } catch {
    return undefined;
  }
}
