// Everything the jobs are told, as one frozen object: settings, policy, and where their files lie.
import { dirname, join, resolve } from 'node:path';
import { loadPolicy } from '../schemas/load-policy.ts';
import { type LoadedSettings, loadSettings, type SettingsInput } from '../schemas/load-settings.ts';
import type { Policy } from '../schemas/policy.ts';
import type { Settings } from '../schemas/settings.ts';

/** Flags of the commands; everything else on the command line is a setting. */
export const COMMAND_FLAGS = [
  'as-of',
  'from',
  'to',
  'step',
  'json',
  'batch',
  'dataset',
  'out',
  'type',
  'set',
] as const;

export interface Config {
  readonly settings: Settings;
  readonly policy: Policy;
  /** The `policy` section as the configuration file has it. */
  readonly policy_section: unknown;
  /** `sources` of the configuration file, checked by the file source. */
  readonly sources: unknown;
  /** Relative paths in the configuration file start here. */
  readonly base_dir: string;
  readonly config_path: string | null;
  /** The command and its own flags. */
  readonly rest: readonly string[];
  readonly warnings: readonly string[];
  readonly paths: Paths;
}

export interface Paths {
  readonly warehouse: string;
  readonly lock: string;
  readonly ledger: string;
  readonly landing: string;
  readonly quarantine: string;
  readonly temporary: string;
  readonly world: string;
}

/** @throws SettingsError or PolicyError with every problem at once. */
export function loadConfig(input: Omit<SettingsInput, 'commandFlags'>): Config {
  const loaded: LoadedSettings = loadSettings({ ...input, commandFlags: COMMAND_FLAGS });
  const { settings, sections, config_path, rest, warnings } = loaded;
  return Object.freeze({
    settings,
    policy: loadPolicy(sections.policy),
    policy_section: sections.policy,
    sources: sections.sources,
    base_dir: config_path === null ? resolve('.') : dirname(resolve(config_path)),
    config_path,
    rest,
    warnings,
    paths: pathsIn(resolve(settings.data_dir)),
  });
}

function pathsIn(folder: string): Paths {
  return {
    warehouse: join(folder, 'warehouse.duckdb'),
    lock: join(folder, 'lock.duckdb'),
    ledger: join(folder, 'ledger.ndjson'),
    landing: join(folder, 'landing'),
    quarantine: join(folder, 'quarantine'),
    temporary: join(folder, 'tmp'),
    world: join(folder, 'demo-world.json'),
  };
}
