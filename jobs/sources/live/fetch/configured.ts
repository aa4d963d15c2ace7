// The fetched sources and hosts of a configuration: the shipped ones, changed and extended by the configuration file.
import type { SettingsProblem } from '../../../../platform/settings/settings-error.ts';
import type { RawTable } from '../../../define/raw-table.ts';
import { isRecord } from '../../files/section.ts';
import { DEFAULT_HOST, type HostSettings } from '../http/client.ts';
import { secretsIn, type Values } from '../http/template.ts';
import { type LiveSource, liveSourceOf } from './live-source.ts';
import { isLiveSection, problemsOfHosts, problemsOfLiveSources } from './problems.ts';
import type { HostSection, LiveSection } from './section.ts';
import { SHIPPED_HOSTS, SHIPPED_SOURCES } from '../shipped/shipped.ts';

export interface SplitSources {
  /** Sources that read files; undefined when there is no section. */
  readonly files: unknown;
  readonly fetched: { readonly [id: string]: unknown };
}

/**
 * Separates fetched sources from file sources. Profile `live` adds the shipped ones; an entry with the id of a shipped source replaces the
 * members that it gives and keeps the rest.
 */
export function splitSources(section: unknown, isLive: boolean): SplitSources {
  const shipped: { readonly [id: string]: unknown } = isLive ? SHIPPED_SOURCES : {};
  if (!isRecord(section)) return { files: section, fetched: shipped };
  // Maps, because an id such as `__proto__` would set the prototype of an object and be lost.
  const fetched = new Map(Object.entries(shipped));
  const files = new Map<string, unknown>();
  for (const [id, given] of Object.entries(section)) {
    const own = Object.hasOwn(shipped, id) ? shipped[id] : undefined;
    if (isRecord(own) && isRecord(given)) fetched.set(id, { ...own, ...given });
    else if (isLiveSection(given)) fetched.set(id, given);
    else files.set(id, given);
  }
  const isAllFetched = files.size === 0 && fetched.size > 0;
  return {
    files: isAllFetched ? undefined : Object.fromEntries(files),
    fetched: Object.fromEntries(fetched),
  };
}

export const problemsOfFetching = (
  fetched: SplitSources['fetched'],
  hosts: unknown,
  rawTables: readonly RawTable[],
): SettingsProblem[] => [...problemsOfLiveSources(fetched, rawTables), ...problemsOfHosts(hosts)];

/** `fetched` has passed `problemsOfFetching`. */
export function liveSources(fetched: SplitSources['fetched']): readonly LiveSource[] {
  const sources = Object.entries(fetched).map(([id, section]) => liveSourceOf(id, section as LiveSection));
  return sources.map((source) => ({
    ...source,
    other_mappings: sources
      .filter(({ id, fetched_by }) => fetched_by === source.id && id !== source.id)
      .map(({ mapping }) => mapping),
  }));
}

export function hostSettings(section: unknown): { readonly [host: string]: HostSettings } {
  const given = (section ?? {}) as { readonly [host: string]: HostSection };
  const names = [...new Set([...Object.keys(SHIPPED_HOSTS), ...Object.keys(given)])];
  return Object.fromEntries(
    names.map((name) => [name, { ...DEFAULT_HOST, ...SHIPPED_HOSTS[name], ...given[name] }]),
  );
}

/** Values of the environment variables that sources may use. */
export function secretValues(
  sources: readonly LiveSource[],
  env: { readonly [name: string]: string | undefined },
): Values {
  const names = new Set(sources.flatMap(({ request }) => secretsIn(request)));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
