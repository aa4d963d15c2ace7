// Adds the parameter `as_of` to endpoints of published data (decision 64): their handlers see the version of that time as the served one.
import type { TObject } from 'typebox';
import { Strict } from '../../schemas/define.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Endpoint } from './endpoint.ts';
import { asOfParameter } from './parameters.ts';
import type { LoadedDataset, LoadedVersion, Moment, Services } from '../services.ts';

/** Returns endpoints that read `as_of` themselves, or that serve nothing from a version, unchanged. */
export function withAsOf(endpoint: Endpoint): Endpoint {
  const { method, envelope, datasets = [], alsoReads = [], query } = endpoint;
  const isOfVersion = method === 'GET' && envelope === 'v2' && datasets.length > 0;
  if (!isOfVersion || Object.hasOwn(query.properties, 'as_of')) return endpoint;
  return Object.freeze({
    ...endpoint,
    query: Strict({ ...query.properties, as_of: asOfParameter }) as TObject,
    errors: [...new Set([...endpoint.errors, 'not_found' as const])],
    // Without the parameter the handler is called directly, because prepared responses must not wait.
    handle(input: Parameters<Endpoint['handle']>[0], services: Services) {
      const { as_of, ...query } = input.query as Readonly<Record<string, unknown>>;
      if (as_of === undefined) return endpoint.handle(input, services);
      return servicesAt(services, [...datasets, ...alsoReads], { as_of: String(as_of) }).then((then) =>
        endpoint.handle({ ...input, query }, then),
      );
    },
  });
}

/** Services whose served version is that of a moment, with these datasets. @throws Failure `not_found`, `unavailable` */
export async function servicesAt(
  services: Services,
  datasets: readonly string[],
  moment: Moment,
): Promise<Services> {
  const manifest = await services.datasets.manifestAt(moment);
  const loaded = new Map<string, LoadedDataset | undefined>();
  for (const id of datasets) loaded.set(id, await services.versions.datasetOf(id, manifest));
  const { versions } = services;
  return {
    ...services,
    versions: {
      current: await versionAt(services, manifest, loaded),
      asOfVersion: manifest.version,
      listOf: (dataset, version) => versions.listOf(dataset, version),
      datasetOf: (dataset, version) => versions.datasetOf(dataset, version),
    },
  };
}

async function versionAt(
  { versions }: Services,
  manifest: Manifest,
  loaded: ReadonlyMap<string, LoadedDataset | undefined>,
): Promise<LoadedVersion> {
  const { version } = manifest;
  const lists = new Map<string, Awaited<ReturnType<typeof versions.listOf>>>();
  for (const id of loaded.keys()) lists.set(id, await versions.listOf(id, version));
  return {
    version,
    manifest,
    isPast: true,
    dataset: (id) => loaded.get(id),
    list: (id) => lists.get(id),
  };
}
