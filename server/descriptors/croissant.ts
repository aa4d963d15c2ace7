// The data as Croissant 1.0 (MLCommons), which search engines for datasets and machine-learning tools read: each Parquet file with its hash,
// and the columns in it.
import { datasetsAsOf } from '../../snapshots/layout.ts';
import type { ColumnType } from '../../snapshots/columns.ts';
import {
  ABOUT,
  type ColumnDescriptor,
  type DatasetDescriptor,
  type DescriptorContext,
  licensesOf,
  sourcesOf,
} from './dataset-descriptors.ts';

/** The context that the format prescribes. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileProperty: 'cr:fileProperty',
  fileObject: 'cr:fileObject',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
};

export function croissant(
  { manifest, pathOf, origin }: DescriptorContext,
  descriptors: readonly DatasetDescriptor[],
): object {
  const withFile = descriptors.filter(({ entry }) => entry.forms?.parquet !== undefined);
  const address = origin === '' ? '' : `${origin}/`;
  const licenses = licensesOf(withFile);
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: ABOUT.title,
    description: ABOUT.description,
    keywords: ABOUT.keywords,
    url: origin === '' ? './' : `${address}datasets`,
    license: licenses.length === 0 ? 'not stated by the sources' : licenses,
    citeAs: `${ABOUT.title}, version ${manifest.version} of ${datasetsAsOf(manifest)}`,
    version: `${manifest.methodology_version.split('+', 1)[0]}+${manifest.version}`,
    datePublished: manifest.generated_at,
    isLiveDataset: true,
    creator: sourceNames(withFile).map((name) => ({ '@type': 'sc:Organization', name })),
    distribution: withFile.map((descriptor) => fileObject(descriptor, (file) => `${address}${pathOf(file)}`)),
    recordSet: withFile.map(recordSet),
  };
}

const sourceNames = (descriptors: readonly DatasetDescriptor[]): readonly string[] => [
  ...new Set(descriptors.flatMap(sourcesOf).map(({ name }) => name)),
];

/** The name by which its readers know Parquet. */
const PARQUET = 'application/x-parquet';

const fileOf = (id: string): string => `${id}.parquet`;

const fileObject = (
  { id, title, entry }: DatasetDescriptor,
  addressOf: (file: string) => string,
): object => ({
  '@type': 'cr:FileObject',
  '@id': fileOf(id),
  name: fileOf(id),
  description: title,
  contentUrl: addressOf(fileOf(id)),
  contentSize: `${entry.forms?.parquet?.bytes} B`,
  encodingFormat: PARQUET,
  sha256: entry.forms?.parquet?.sha256,
});

const recordSet = ({ id, title, columns }: DatasetDescriptor): object => ({
  '@type': 'cr:RecordSet',
  '@id': id,
  name: id,
  description: title,
  // Its readers fail on columns of structs; the file has them.
  field: columns.filter(({ type }) => !isNested(type)).map((column) => fieldOf(id, column)),
});

const isNested = (type: ColumnType): boolean =>
  type.kind === 'struct' || (type.kind === 'list' && ['struct', 'list'].includes(type.item.kind));

const TYPES: Readonly<Record<ColumnType['kind'], string>> = {
  text: 'sc:Text',
  json: 'sc:Text',
  integer: 'sc:Integer',
  number: 'sc:Float',
  boolean: 'sc:Boolean',
  list: 'sc:Text',
  struct: 'sc:Text',
};

function fieldOf(id: string, { name, type, description, unit, format }: ColumnDescriptor): object {
  const inner = type.kind === 'list' ? type.item : type;
  const isInstant = format === 'date-time';
  return {
    '@type': 'cr:Field',
    '@id': `${id}/${name}`,
    name,
    description: [description, ...(unit === null ? [] : [`Unit: ${unit}`])]
      .filter((text) => text !== '')
      .join('. '),
    dataType: isInstant ? 'sc:DateTime' : format === 'date' ? 'sc:Date' : TYPES[inner.kind],
    ...(type.kind === 'list' && { repeated: true }),
    source: { fileObject: { '@id': fileOf(id) }, extract: { column: name } },
  };
}
