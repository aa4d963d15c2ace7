// Waits for the server to serve a version.
import type { PublishedStatus } from './announcement.ts';

const POLL_MS = 100;
/** `/v1/status` counts against the rate limit of this machine's address, which other programs may have used up. */
const REFUSED_PAUSE_MS = 1_000;

export interface Waiting {
  readonly fetch: (url: string) => Promise<Pick<Response, 'ok' | 'json'>>;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly isStopping: () => boolean;
}

/** The status of the first version that is served and is not `known`. Asks again while the server is away, empty, or refuses. */
export async function published(address: string, waiting: Waiting, known?: string): Promise<PublishedStatus> {
  for (;;) {
    if (waiting.isStopping()) throw new Error('stopped before anything was published');
    const ready = await get<{ version: string }>(waiting, `${address}/v1/ready`);
    if (ready === null || ready.version === known) {
      await waiting.pause(POLL_MS);
      continue;
    }
    const status = await get<PublishedStatus>(waiting, `${address}/v1/status`);
    if (status !== null) return status;
    await waiting.pause(REFUSED_PAUSE_MS);
  }
}

/** `null` where there is no response, or an error. */
async function get<T>({ fetch }: Waiting, url: string): Promise<T | null> {
  const response = await fetch(url).catch(() => null);
  return response?.ok ? ((await response.json()) as T) : null;
}
