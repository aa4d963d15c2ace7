// A server in a child process and load upon it, for the benchmarks of the server: responses, errors, latencies and the child's CPU time.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { Client } from 'undici';

export interface Child {
  readonly url: string;
  /** Headers of every request to the child: a key, if it requires one. */
  readonly headers: Record<string, string>;
  usage(): Promise<{ cpu_seconds: number; rss_bytes: number }>;
  stop(): Promise<void>;
}

export async function startChild(kind: 'bare' | 'ours', argument: string): Promise<Child> {
  const child: ChildProcess = fork(new URL('./serve-child.ts', import.meta.url), [kind, argument]);
  const [{ port, key }] = (await once(child, 'message')) as [{ port: number; key?: string }];
  return {
    url: `http://127.0.0.1:${port}`,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    async usage() {
      const answer = once(child, 'message');
      child.send('usage');
      return (await answer)[0];
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

export interface Load {
  readonly path: string;
  readonly connections: number;
  /** Either a duration or a number of responses. */
  readonly seconds?: number;
  readonly answers?: number;
  readonly headers?: Record<string, string>;
  readonly expectedStatus: number;
}

export interface Measured {
  readonly answers: number;
  readonly answersPerCpuSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Asked {
  readonly path: string;
  readonly connections: number;
  readonly answers: number;
}

/** Milliseconds of each request, to the microsecond. Each connection sends its next request when it has the response. */
export async function latencies(
  { url, headers }: Pick<Child, 'url' | 'headers'>,
  { path, connections, answers }: Asked,
): Promise<readonly number[]> {
  const times: number[] = [];
  const asker = async () => {
    const client = new Client(url);
    for (let i = 0; i < answers / connections; i++) {
      const from = performance.now();
      const { statusCode, body } = await client.request({ path, method: 'GET', headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${path}: status ${statusCode}`);
      times.push(performance.now() - from);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, asker));
  return times;
}

/** Throws when any response has an unexpected status. */
export async function measure(
  child: Pick<Child, 'url' | 'usage' | 'headers'>,
  load: Load,
): Promise<Measured> {
  const before = await child.usage();
  const result = await autocannon({
    url: child.url + load.path,
    connections: load.connections,
    ...(load.answers === undefined ? { duration: load.seconds ?? 1 } : { amount: load.answers }),
    headers: { ...child.headers, ...load.headers },
  });
  const after = await child.usage();
  const counts = result.statusCodeStats as Record<string, { count: number }>;
  const others = Object.keys(counts).filter((status) => status !== String(load.expectedStatus));
  if (result.errors > 0 || others.length > 0) {
    throw new Error(`${load.path}: ${result.errors} errors, statuses ${Object.keys(counts).join(', ')}`);
  }
  const answers = counts[load.expectedStatus]?.count ?? 0;
  return {
    answers,
    answersPerCpuSecond: answers / (after.cpu_seconds - before.cpu_seconds),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
