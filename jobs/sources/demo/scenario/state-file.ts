// Records which demo world a data folder holds and when it was started, so that a restart continues the same world.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Settings } from '../../../../platform/settings/settings.ts';
import type { DemoSettings } from './settings.ts';

export interface Moment {
  /** Unix seconds. */
  readonly now: number;
  /** Incidents are staged a few minutes after each start; a single run is not a start. */
  readonly isStart: boolean;
  /** Whether the folder holds rows of a demo world; if so, the file that describes it must exist. */
  readonly hasRows?: boolean;
}

/**
 * The world of a data folder: the one recorded in `file`, with this start added, or a new one.
 * @throws when the folder holds a world made with other settings, or the file is damaged or lost.
 */
export function readDemoWorld(
  file: string,
  settings: Settings,
  { now, isStart, hasRows = false }: Moment,
): DemoSettings {
  const wanted = {
    seed: settings.demo_seed,
    feeds: settings.demo_feeds,
    days: settings.demo_days,
    incidents: settings.demo_incidents,
  };
  const written = existsSync(file) ? worldIn(file) : null;
  if (written === null && hasRows) throw faultyFile(file, 'is lost');
  for (const [name, value] of Object.entries(wanted)) {
    const before = written === null ? value : written[name as keyof typeof wanted];
    if (before !== value) {
      throw new Error(
        `${file}: this folder holds a demo world with demo_${name} = ${before}, not ${value}. Restore the setting, or choose another data_dir.`,
      );
    }
  }
  const world = {
    ...wanted,
    startedAt: written?.startedAt ?? now,
    liveFrom: [...(written?.liveFrom ?? []), ...(isStart ? [now] : [])],
  };
  writeFileSync(`${file}.tmp`, `${JSON.stringify(world)}\n`);
  renameSync(`${file}.tmp`, file);
  return world;
}

function worldIn(file: string): DemoSettings {
  const world = parsed(readFileSync(file, 'utf8'));
  if (isWorld(world)) return world;
  throw faultyFile(file, 'is damaged');
}

const faultyFile = (file: string, fault: string) =>
  new Error(
    `${file} ${fault}. It records which demo world this folder holds: restore it, or choose another data_dir for a new world.`,
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isWorld(value: unknown): value is DemoSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { seed, feeds, days, startedAt, incidents, liveFrom } = value as {
    readonly [member in keyof DemoSettings]?: unknown;
  };
  const integers = [seed, feeds, days, startedAt, ...(Array.isArray(liveFrom) ? liveFrom : [null])];
  return typeof incidents === 'boolean' && integers.every(Number.isSafeInteger);
}
