// Whether a pattern can take long on a text that was made to: tried on runs of the characters it speaks of, with an end that does not fit.
import { threadCpuUsage } from 'node:process';

const MAX_MS = 10;
const ENDS = ['', '!', '\u0000', ' '];
const TRIES = 3;

/** Processor time of this thread, milliseconds: what other processes take does not count. */
export function cpuMs(work: () => unknown): number {
  const start = threadCpuUsage();
  work();
  const { user, system } = threadCpuUsage(start);
  return (user + system) / 1_000;
}

export const minCpuMs = (work: () => unknown, tries = TRIES): number => {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < tries && least > 1; tried++) least = Math.min(least, cpuMs(work));
  return least;
};

/** What was found out: schemas share their patterns, and trying one takes long. */
const known = new Map<string, boolean>();

export function isUnsafePattern(pattern: string, maxLength: number): boolean {
  const key = `${maxLength} ${pattern}`;
  const found = known.get(key) ?? isSlowPattern(pattern, maxLength);
  known.set(key, found);
  return found;
}

/** Runs grow until they are as long as they may be, or it is plain that it takes too long. */
function isSlowPattern(pattern: string, maxLength: number): boolean {
  const regex = new RegExp(pattern, 'u');
  const units = new Set([
    'a',
    '0',
    'A',
    '-',
    '.',
    '/',
    ' ',
    ...pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, ''),
  ]);
  for (const first of units) {
    for (const unit of [first, `${first}a`, `${first}0`, `a${first}`])
      if (isSlowOn(regex, unit, maxLength)) return true;
  }
  return false;
}

function isSlowOn(regex: RegExp, unit: string, maxLength: number): boolean {
  for (let length = 8; length <= maxLength; length = Math.ceil(length * 1.25)) {
    const run = unit.repeat(Math.ceil(length / unit.length));
    for (const end of ENDS) if (minCpuMs(() => regex.test(run + end)) > MAX_MS) return true;
  }
  return false;
}
