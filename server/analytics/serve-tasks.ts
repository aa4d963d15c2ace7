// The worker's side of the pool: performs one task at a time and keeps the parsed documents that the pool sent.
import type { MessagePort } from 'node:worker_threads';
import type { TaskMessage, TaskTable, WorkerMessage } from './task.ts';

export function serveTasks(port: MessagePort, tasks: TaskTable): void {
  const parsed = new Map<string, unknown>();
  const perform = ({ kind, payload, documents, added, dropped }: TaskMessage): unknown => {
    for (const hash of dropped) parsed.delete(hash);
    // Removed from the message one by one, so that the raw bytes do not stay in memory during the task.
    for (let next = added.shift(); next !== undefined; next = added.shift())
      parsed.set(next.hash, JSON.parse(new TextDecoder().decode(next.bytes)));
    const task = Object.hasOwn(tasks, kind) ? tasks[kind] : undefined;
    if (task === undefined) throw new Error(`There is no task ${kind}.`);
    const named = Object.entries(documents).map(([name, hash]) => [name, parsed.get(hash)] as const);
    return task(payload as never, Object.fromEntries(named));
  };
  const send = (message: WorkerMessage) => port.postMessage(message);
  port.on('message', (message: TaskMessage) => {
    send({ state: 'begun' });
    try {
      send({ state: 'done', result: perform(message) });
    } catch (error) {
      send({ state: 'failed', error });
    }
  });
  send({ state: 'ready' });
}
