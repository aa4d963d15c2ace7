// Entry point of an analytics worker thread. Calculations yield to requests: at a lower priority, there can be as many calculation threads as
// cores.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, type MessagePort } from 'node:worker_threads';
import type { TaskMessage, TaskTable, WorkerMessage } from './task.ts';
import { TASKS } from './tasks.ts';

/** When both compete for a core, a request gets about nine tenths of it. */
const LOWER_BY = 10;

/** Lowers the priority of the calling thread. Only Linux has priorities per thread; elsewhere nothing changes. */
function lowerPriority(): void {
  const thread = threadId();
  if (thread === null || thread === process.pid) return;
  try {
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + LOWER_BY));
  } catch {
    // Not permitted here. The thread then competes like any other.
  }
}

/** Null if the system does not provide it. */
function threadId(): number | null {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(id) ? id : null;
  } catch {
    return null;
  }
}

if (parentPort === null) throw new Error('This file runs in a worker thread.');
lowerPriority();
serveTasks(parentPort, TASKS);

// The worker's side of the pool: performs one task at a time and keeps the parsed documents that the pool sent.

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
    try {
      send({ state: 'done', result: perform(message) });
    } catch (error) {
      send({ state: 'failed', error });
    }
  });
  send({ state: 'ready' });
}
