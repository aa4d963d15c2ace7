// What the soak measures, and the line through it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTE = 2 ** 20;

export interface Point {
  readonly hours: number;
  readonly value: number;
}

/** Slope of the line of least squares, per hour. */
export function slopeOf(points: readonly Point[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [hours, value] = [mean(points.map((one) => one.hours)), mean(points.map((one) => one.value))];
  const spread = points.reduce((sum, one) => sum + (one.hours - hours) ** 2, 0);
  const joint = points.reduce((sum, one) => sum + (one.hours - hours) * (one.value - value), 0);
  return joint / spread;
}

/** The least of each hour. What is given back within an hour is no growth. */
export function floorsOf(points: readonly Point[]): readonly Point[] {
  const hourly = Map.groupBy(points, ({ hours }) => Math.floor(hours));
  return [...hourly].map(([hours, own]) => ({ hours, value: Math.min(...own.map(({ value }) => value)) }));
}

/** Megabytes of the files in a folder, as long as it exists. */
export function megabytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes / MEGABYTE;
}

/** Megabytes of each part of a data folder. */
export function partsOf(dir: string): ReadonlyMap<string, number> {
  const names = readdirSync(dir, { withFileTypes: true });
  return new Map(
    names.map((entry) => {
      const path = join(dir, entry.name);
      return [entry.name, entry.isDirectory() ? megabytesIn(path) : statSync(path).size / MEGABYTE];
    }),
  );
}
