// Waits for the server to serve a version, and prints the reason when that takes long.
import type { PublishedStatus } from './announcement.ts';

const POLL_MS = 100;
/** `/v1/status` counts against the rate limit of this machine's address, which other programs may have used up. */
const REFUSED_PAUSE_MS = 1_000;
const SILENT_MS = 10_000;

export interface WaitTools {
  readonly fetch: (url: string) => Promise<Pick<Response, 'ok' | 'status' | 'json'>>;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly isStopping: () => boolean;
  readonly say: (line: string) => void;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
}

type Got<T> = { readonly body: T } | { readonly refusal: string };

/** Returns the status of the first served version other than `known`. Retries while the server is down, empty or refusing. */
export async function published(
  address: string,
  waiting: WaitTools,
  known?: string,
): Promise<PublishedStatus> {
  const pause = pausesOf(waiting);
  for (;;) {
    if (waiting.isStopping()) throw new Error('Stopped before anything was published.');
    const ready = await get<{ version: string }>(waiting, `${address}/v1/ready`);
    if ('refusal' in ready || ready.body.version === known) {
      await pause(POLL_MS, 'refusal' in ready ? ready.refusal : `no version after ${known} yet`);
      continue;
    }
    const status = await get<PublishedStatus>(waiting, `${address}/v1/status`);
    if ('body' in status) return status.body;
    await pause(REFUSED_PAUSE_MS, status.refusal);
  }
}

/** Returns a pause that prints the reason once after ten seconds of waiting for the same reason. Hanging requests count as waiting. */
function pausesOf({ pause, say, steadyMs }: WaitTools) {
  let cause = '';
  let sinceMs = steadyMs();
  let hasSaid = false;
  return async (milliseconds: number, reason: string): Promise<void> => {
    await pause(milliseconds);
    if (reason !== cause) {
      // The first reason applies from the start, a later one from the pause that just ended.
      sinceMs = cause === '' ? sinceMs : steadyMs() - milliseconds;
      [cause, hasSaid] = [reason, false];
    }
    if (hasSaid || steadyMs() - sinceMs < SILENT_MS) return;
    hasSaid = true;
    say(`Still waiting for published data: ${reason}.`);
  };
}

async function get<T>({ fetch }: WaitTools, url: string): Promise<Got<T>> {
  const response = await fetch(url).catch(() => null);
  if (response === null) return { refusal: `${url} does not respond` };
  const body = await response.json().catch(() => null);
  if (response.ok) return { body: body as T };
  const message = (body as { error?: { message?: string } } | null)?.error?.message;
  return {
    refusal: `${url} responds with ${response.status}${message === undefined ? '' : `, ${message.replace(/\.$/, '')}`}`,
  };
}
