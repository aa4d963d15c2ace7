// Posts spans to a collector over HTTP: a few connections, no redirect, no proxy, bounded in time and in what is read of the answer.
import { Agent, request } from 'undici';
import type { ExporterDeps } from './exporter.ts';

const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_RETRY_AFTER_MS = 300_000;

/** `headers`: by name, sent with every request. */
export function postSpans(
  url: string,
  headers: Readonly<Record<string, string>>,
  nowMs: () => number,
): ExporterDeps['post'] {
  const dispatcher = new Agent({ connections: 1, connect: { timeout: CONNECT_MS } });
  return async (body, signal) => {
    const response = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      retryAfterMs: typeof retryAfter === 'string' ? retryAfterMs(retryAfter, nowMs()) : undefined,
      body: await beginningOf(response.body),
    };
  };
}

/** Seconds or a date, at most five minutes; undefined if it is neither. */
function retryAfterMs(text: string, nowMs: number): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
