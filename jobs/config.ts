// The configuration of the jobs as one frozen object: settings, policy and paths.
import { dirname, join, resolve } from 'node:path';
import {
  type LoadedSettings,
  loadSettings,
  type Sections,
  type SettingsInput,
} from '../platform/settings/load-settings.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { SettingsError, type SettingsProblem } from '../platform/settings/settings-error.ts';
import { problemsOfPlacement } from './app/placement.ts';
import type { Domain } from './define/domain.ts';
import { problemsOfSources } from './sources/files/section.ts';
import {
  hostSettings,
  liveSources,
  problemsOfFetching,
  secretValues,
  splitSources,
} from './sources/live/fetch/configured.ts';
import type { LiveSource } from './sources/live/fetch/live-source.ts';
import type { HostSettings } from './sources/live/http/client.ts';
import type { Values } from './sources/live/http/template.ts';
import { loadPolicy, type Policy } from './policies.ts';
import { domains as everything } from './registry.ts';

export interface Config {
  readonly settings: Settings;
  readonly policy: Policy;
  /** The `policy` section as written in the configuration file. */
  readonly policy_section: unknown;
  /** Sources that read files, as written in the configuration file; undefined if there are none. */
  readonly sources: unknown;
  /** Fetched sources, including those that are turned off. */
  readonly live_sources: readonly LiveSource[];
  readonly hosts: { readonly [host: string]: HostSettings };
  /** Values of the environment variables that fetched sources name. */
  readonly secrets: Values;
  /** Credentials for a bucket and for Trino, by environment variable. */
  readonly store_env: Values;
  /** Relative paths in the configuration file are resolved against this folder. */
  readonly base_dir: string;
  readonly config_path: string | null;
  readonly warnings: readonly string[];
  readonly paths: Paths;
}

export interface Paths {
  readonly warehouse: string;
  /** The term in which the warehouse was last worked on. */
  readonly warehouse_term: string;
  readonly lock: string;
  readonly lead: string;
  readonly ledger: string;
  readonly landing: string;
  readonly quarantine: string;
  readonly temporary: string;
  readonly world: string;
}

/** `domains` define the raw tables that sources may deliver to. @throws SettingsError with all problems of settings, policy and sources. */
export function loadConfig(
  input: Omit<SettingsInput, 'checkSections'>,
  domains: readonly Domain[] = everything,
): Config {
  const loaded: LoadedSettings = loadSettings({
    ...input,
    checkSections: (sections, checked) => problemsOfSections(sections, checked, domains),
  });
  const { settings, sections, config_path, warnings } = loaded;
  const { files, fetched } = splitSources(sections.sources, settings.profile === 'live');
  const live = settings.profile === 'demo' ? [] : liveSources(fetched);
  return Object.freeze({
    settings,
    policy: loadPolicy(sections.policy, domains),
    policy_section: sections.policy,
    sources: files,
    live_sources: live,
    hosts: hostSettings(sections.hosts),
    secrets: secretValues(live, input.env),
    store_env: Object.fromEntries(STORE_ENV.flatMap((name) => named(name, input.env))),
    base_dir: config_path === null ? resolve('.') : dirname(resolve(config_path)),
    config_path,
    warnings,
    paths: pathsIn(resolve(settings.data_dir), resolve(settings.work_dir)),
  });
}

const STORE_ENV = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'TRINO_PASSWORD'];

const named = (name: string, env: SettingsInput['env']): [string, string][] =>
  env[name] ? [[name, env[name]]] : [];

function problemsOfSections(
  { policy, sources, hosts }: Sections,
  settings: Settings,
  domains: readonly Domain[],
): readonly SettingsProblem[] {
  const rawTables = domains.flatMap(({ raw }) => raw);
  const { files, fetched } = splitSources(sources, settings.profile === 'live');
  return [
    ...(settings.profile === 'demo' && sources !== undefined ? [SOURCES_OF_DEMO] : []),
    ...problemsOfPolicy(policy, domains),
    ...problemsOfPlacement(
      settings,
      domains.map(({ id }) => id),
    ),
    ...(files === undefined ? [] : problemsOfSources(files, rawTables)),
    ...problemsOfFetching(fetched, hosts, rawTables),
  ];
}

/** The section would be ignored, and generated rows would be published instead. */
const SOURCES_OF_DEMO: SettingsProblem = {
  where: 'sources',
  given: 'sources with the profile demo, which generates its data',
  expected: '"profile": "files" in the configuration file, or "live"; or no sources',
  closest: null,
};

function problemsOfPolicy(section: unknown, domains: readonly Domain[]): readonly SettingsProblem[] {
  try {
    loadPolicy(section, domains);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

function pathsIn(folder: string, workFolder: string): Paths {
  return {
    warehouse: join(workFolder, 'warehouse.duckdb'),
    warehouse_term: join(workFolder, 'warehouse.term'),
    lock: join(workFolder, 'jobs.lock'),
    lead: join(folder, 'lead.lock'),
    ledger: join(folder, 'ledger.ndjson'),
    landing: join(folder, 'landing'),
    quarantine: join(folder, 'quarantine'),
    temporary: join(workFolder, 'tmp'),
    world: join(folder, 'demo-world.json'),
  };
}
