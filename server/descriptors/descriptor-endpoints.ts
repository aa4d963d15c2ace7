// Descriptions of all data that the caller may read, in formats that other tools know: a Data Package and Croissant. In the static mirror
// they describe its files.
import { Strict, Type } from '../../schemas/define.ts';
import { defineEndpoint, type Endpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { manifestAt, momentParameters } from '../replies/dataset-moment.ts';
import { croissant } from './croissant.ts';
import { dataPackage } from './datapackage.ts';
import { type DatasetDescriptor, type DescriptorContext, datasetDescriptors } from './dataset-descriptors.ts';

export const DATA_PACKAGE = '/datapackage.json';

const descriptorEndpoint = ({
  path,
  name,
  describe,
}: {
  readonly path: string;
  readonly name: string;
  readonly describe: (context: DescriptorContext, descriptors: readonly DatasetDescriptor[]) => object;
}): Endpoint =>
  defineEndpoint({
    method: 'GET',
    path,
    tag: TAGS.datasets,
    summary: `${name} of the datasets that the caller may read: files, columns with units, sources with licences, hashes`,
    access: 'open',
    isBrowsed: true,
    envelope: 'plain',
    cache: 'shared',
    params: Strict({}),
    query: Strict(momentParameters),
    response: Type.Record(Type.String(), Type.Unknown()),
    errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
    async handle({ query, caller, origin }, services) {
      const manifest = await manifestAt(services, query);
      const isPinned = query.version !== undefined || query.as_of !== undefined;
      const pathOf = (file: string) => `v2/datasets/${file}${isPinned ? `?version=${manifest.version}` : ''}`;
      const descriptors = await datasetDescriptors(services, manifest, caller);
      const description = describe({ manifest, pathOf, origin: origin?.url ?? '' }, descriptors);
      const payload = Buffer.from(JSON.stringify(description));
      return { payload, identity: services.identify(payload), isPrivate: true };
    },
    mirror: () => [{}],
  });

export const getDataPackage = descriptorEndpoint({
  path: DATA_PACKAGE,
  name: 'A Data Package (Frictionless)',
  describe: dataPackage,
});

export const getCroissant = descriptorEndpoint({
  path: '/croissant.json',
  name: 'A Croissant description (MLCommons)',
  describe: croissant,
});
