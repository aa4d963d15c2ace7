// Measures the speed between a process that sends frames and a process whose clients receive them.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const CHILD = new URL('./stream-child.ts', import.meta.url);

export interface Side {
  readonly server: ChildProcess;
  readonly clients: ChildProcess;
}

export interface Speed {
  readonly framesPerSecond: number;
  readonly framesPerCpuSecond: number;
}

const answerOf = async <T>(child: ChildProcess): Promise<T> => (await once(child, 'message'))[0] as T;

export async function openSide(kind: 'raw' | 'hub', count: number): Promise<Side> {
  const server = fork(CHILD, [kind]);
  const { port } = await answerOf<{ port: number }>(server);
  const clients = fork(CHILD, ['clients', String(port), String(count), kind]);
  await answerOf(clients);
  return { server, clients };
}

export async function closeSide({ server, clients }: Side): Promise<void> {
  const ended = [once(clients, 'exit'), once(server, 'exit')];
  clients.disconnect();
  server.disconnect();
  await Promise.all(ended);
}

/** Sends about `frames` frames: the number of events that makes as many for all clients. */
export async function sendFrames(
  { server, clients }: Side,
  { clients: count, frames }: { readonly clients: number; readonly frames: number },
): Promise<Speed> {
  const events = Math.max(1, Math.round(frames / count));
  const ready = answerOf(clients);
  clients.send({ events });
  await ready;
  const started = performance.now();
  const [received, sent] = [answerOf(clients), answerOf<{ cpu_seconds: number }>(server)];
  server.send({ events });
  await received;
  const seconds = (performance.now() - started) / 1000;
  const sentFrames = events * count;
  return {
    framesPerSecond: sentFrames / seconds,
    framesPerCpuSecond: sentFrames / (await sent).cpu_seconds,
  };
}
