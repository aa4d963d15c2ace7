// The configuration of the jobs as one frozen object: settings, policy and paths.
import { dirname, join, resolve } from 'node:path';
import {
  type LoadedSettings,
  loadSettings,
  type Sections,
  type SettingsInput,
} from '../schemas/load-settings.ts';
import type { Settings } from '../schemas/settings.ts';
import { SettingsError, type SettingsProblem } from '../schemas/settings-error.ts';
import type { Domain } from './define/domain.ts';
import { problemsOfSources } from './files/section.ts';
import { loadPolicy, type Policy } from './policies.ts';
import { domains as everything } from './registry.ts';

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

/** `domains` bring the raw tables that sources may deliver to. @throws SettingsError with every problem of settings, policy and sources. */
export function loadConfig(
  input: Omit<SettingsInput, 'checkSections'>,
  domains: readonly Domain[] = everything,
): Config {
  const loaded: LoadedSettings = loadSettings({
    ...input,
    checkSections: (sections) => problemsOfSections(sections, domains),
  });
  const { settings, sections, config_path, warnings } = loaded;
  return Object.freeze({
    settings,
    policy: loadPolicy(sections.policy, domains),
    policy_section: sections.policy,
    sources: sections.sources,
    base_dir: config_path === null ? resolve('.') : dirname(resolve(config_path)),
    config_path,
    warnings,
    paths: pathsIn(resolve(settings.data_dir)),
  });
}

function problemsOfSections(
  { policy, sources }: Sections,
  domains: readonly Domain[],
): readonly SettingsProblem[] {
  return [
    ...problemsOfPolicy(policy, domains),
    ...(sources === undefined
      ? []
      : problemsOfSources(
          sources,
          domains.flatMap(({ raw }) => raw),
        )),
  ];
}

function problemsOfPolicy(section: unknown, domains: readonly Domain[]): readonly SettingsProblem[] {
  try {
    loadPolicy(section, domains);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

function pathsIn(folder: string): Paths {
  return {
    warehouse: join(folder, 'warehouse.duckdb'),
    lock: join(folder, 'jobs.lock'),
    ledger: join(folder, 'ledger.ndjson'),
    landing: join(folder, 'landing'),
    quarantine: join(folder, 'quarantine'),
    temporary: join(folder, 'tmp'),
    world: join(folder, 'demo-world.json'),
  };
}
