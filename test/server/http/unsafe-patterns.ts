// Whether a pattern can be slow on a crafted text: tries runs of the characters it contains, with an end that does not match.
import { threadCpuUsage } from 'node:process';

const MAX_MS = 10;
const ENDS = ['', '!', '\u0000', ' '];
const TRIES = 3;

/** CPU time of this thread, milliseconds; other processes do not count. */
export function cpuMs(work: () => unknown): number {
  const start = threadCpuUsage();
  work();
  const { user, system } = threadCpuUsage(start);
  return (user + system) / 1_000;
}

export const minCpuMs = (work: () => unknown, tries = TRIES): number => {
  let min = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < tries && min > 1; tried++) min = Math.min(min, cpuMs(work));
  return min;
};

/** Known results, because schemas share patterns and trying one takes long. */
const known = new Map<string, boolean>();

export function isUnsafePattern(pattern: string, maxLength: number): boolean {
  const key = `${maxLength} ${pattern}`;
  const found = known.get(key) ?? isSlowPattern(pattern, maxLength);
  known.set(key, found);
  return found;
}

/** Runs grow to the maximum length, or until the pattern is clearly slow. */
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
