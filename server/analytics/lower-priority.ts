// Calculations give way to requests: with a lower priority, their threads may be as many as there are cores.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Of a core that both want, a request gets about nine parts of ten. */
const LOWER_BY = 10;

/** Of the thread that calls it. Only Linux has a priority for each thread; elsewhere nothing changes. */
export function lowerPriority(): void {
  const thread = threadId();
  if (thread === null || thread === process.pid) return;
  try {
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + LOWER_BY));
  } catch {
    // Not permitted here: the thread then competes as any other.
  }
}

/** Null where the system does not tell it. */
function threadId(): number | null {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(id) ? id : null;
  } catch {
    return null;
  }
}
