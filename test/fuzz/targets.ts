// The targets by area. An area is imported only when it is asked for.
import type { FuzzTarget } from './fuzz-target.ts';

interface Area {
  readonly TARGETS: readonly FuzzTarget[];
  /** Ends what its targets have started. */
  readonly close?: () => Promise<void>;
}

const AREAS: Readonly<Record<string, () => Promise<Area>>> = {
  chains: () => import('./targets/chains.ts'),
  files: () => import('./targets/files.ts'),
  landing: () => import('./targets/landing.ts'),
  published: () => import('./targets/published.ts'),
  requests: () => import('./targets/requests.ts'),
  service: () => import('./targets/service.ts'),
  settings: () => import('./targets/settings.ts'),
  sources: () => import('./targets/sources.ts'),
};

/** Targets with these names or of these areas; none means all. */
export async function findTargets(names: readonly string[]): Promise<readonly FuzzTarget[]> {
  const areas = names.length === 0 ? Object.keys(AREAS) : names.map((name) => name.split('/')[0] ?? '');
  const unknown = areas.find((area) => AREAS[area] === undefined);
  if (unknown !== undefined)
    throw new Error(`No area is named ${unknown}. The areas are ${Object.keys(AREAS).join(', ')}.`);
  const modules = await Promise.all([...new Set(areas)].map((area) => AREAS[area]?.()));
  const targets = modules.flatMap((one) => one?.TARGETS ?? []);
  const isWanted = (target: FuzzTarget) =>
    names.length === 0 || names.some((name) => target.name === name || target.name.startsWith(`${name}/`));
  const found = targets.filter(isWanted);
  if (found.length === 0)
    throw new Error(
      `No target is named ${names.join(', ')}. There are ${targets.map(({ name }) => name).join(', ')}.`,
    );
  return found;
}

export const targetNames = async (names: readonly string[]): Promise<readonly string[]> =>
  (await findTargets(names)).map(({ name }) => name);

/** Ends what the targets of these names have started. */
export async function closeTargets(names: readonly string[]): Promise<void> {
  const areas = names.length === 0 ? Object.keys(AREAS) : names.map((name) => name.split('/')[0] ?? '');
  for (const area of new Set(areas)) await (await AREAS[area]?.())?.close?.();
}
