// What the commands of the jobs take from their surroundings: clock, randomness, output, signals and other processes.
import { commandFor } from '../../platform/command-line/command-for.ts';
import type { Caller } from '../../platform/processes/data-folder.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { Tracer } from '../../platform/tracing/tracer.ts';
import type { Config } from '../config.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import type { LeaseEffects } from './open-leases.ts';
import type { ProcessMemory } from './tidy-memory.ts';

export interface Surroundings extends Omit<LeaseEffects, 'owner' | 'warn'> {
  /** Unix time, milliseconds. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** As many random bytes as a landing key has. */
  readonly makeKey: () => Buffer;
  /** Twelve random hexadecimal digits. */
  readonly makeId: () => string;
  readonly cores: number;
  readonly memory: ProcessMemory;
  /** The `PATH` in which programs such as git are found. */
  readonly path: string;
  readonly print: (line: string) => void;
  /** Resolves when the process is asked to stop. */
  readonly stopped: () => Promise<unknown>;
  /** Fetches in a separate process, so that no run waits for the network. The result ends it. */
  readonly fetchMeanwhile: (warn: (message: string) => void) => () => Promise<void>;
  readonly caller: Caller;
  readonly reporter: Reporter;
  readonly tracer: Tracer;
}

export function leaseEffects({ makeId, steadyMs, every, wait, reporter }: Surroundings): LeaseEffects {
  const warn = (message: string) => reporter.warn(message);
  return { owner: `jobs-${makeId()}`, steadyMs, every, wait, warn };
}

/** What a command that only shows something needs. */
export function viewOf(config: Config, { print }: Surroundings) {
  const { data_dir: dataDir } = config.settings;
  return { disk: nodeDisk, dataDir, commandFor: (message: string) => commandFor(config, message), print };
}
