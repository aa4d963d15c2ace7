// Trino on this machine for the length of a run: one node, or a coordinator with workers, with the catalogues that it is given.
import { freePort } from '../support/free-port.ts';
import { untilActive } from './client.ts';
import { type Catalogs, type Installed, TrinoNode } from './node.ts';

export interface TrinoServer {
  /** `http://127.0.0.1:<port>` */
  readonly base: string;
  /** The coordinator, then its workers. */
  readonly nodes: readonly TrinoNode[];
  /** Resolves once all nodes are active, even after some were killed and started again. */
  ready(): Promise<void>;
  /** Why the coordinator ended, with the end of its log; undefined while it runs. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 240_000;

/** Without workers, the coordinator does their work. */
export async function startTrino(
  installed: Installed,
  catalogs: Catalogs,
  { workers = 0 }: { readonly workers?: number } = {},
): Promise<TrinoServer> {
  const base = `http://127.0.0.1:${await freePort()}`;
  const node = (id: string, port: number) =>
    new TrinoNode({ installed, catalogs, id, port, coordinator: base, isIdle: workers > 0 });
  const coordinator = node('cases', Number(new URL(base).port));
  const nodes = [coordinator];
  for (let index = 0; index < workers; index++) nodes.push(node(`worker-${index}`, await freePort()));
  const stop = async () => void (await Promise.all(nodes.map((one) => one.stop())));
  const ready = () =>
    untilActive(base, {
      nodes: nodes.length,
      isAlive: () => coordinator.isRunning,
      timeoutMs: START_TIMEOUT_MS,
    });
  try {
    await ready();
    return { base, nodes, ready, stop, ended: () => coordinator.ended() };
  } catch (cause) {
    const log = coordinator.logEnd();
    await stop();
    throw new Error(`Trino did not start; the end of its log:\n${log}`, { cause });
  }
}
