// Entry point of an analytics worker thread. Calculations yield to requests: at a lower priority, there can be as many calculation threads as
// cores.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { serveTasks } from './serve-tasks.ts';
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
