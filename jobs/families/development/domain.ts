// The development domain: commits, merges and releases in the repositories of protocols and blockchains.

import { DAY_S } from '../../../platform/base/time.ts';
import {
  BLOCKCHAIN_DEVELOPMENT_SERIES,
  DevelopmentRecordSchema,
  PROTOCOL_DEVELOPMENT_SERIES,
} from '../../../schemas/development.ts';
import type { SeriesDefinition } from '../../../schemas/series.ts';
import { type Dataset, dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { developmentDemoSources } from '../../sources/demo/development.ts';
import { developmentPolicy } from './policy.ts';
import { developmentCommit, developmentRelease, developmentRepository } from './raw.ts';

// The published development scores: one document per protocol, one per blockchain, and one list of all of them.

const list = (facts: Pick<Dataset, 'id' | 'title' | 'table' | 'key' | 'series'>): Dataset =>
  defineDataset({
    ...facts,
    separator: '/',
    shape: 'list',
    order: 'day desc, kind desc, path',
    day: 'day',
    subject: { columns: { path: 'path' } },
    row: DevelopmentRecordSchema,
    updateCadenceSeconds: DAY_S,
  });

const history = (definition: SeriesDefinition, kind: string) =>
  dailySeries({
    definition,
    table: 'derived.development_score',
    key: ['path'],
    values: { score: 'round(score, 6)' },
    where: `kind = '${kind}'`,
  });

export const developmentProtocols = list({
  id: 'development-protocols',
  title: 'Development score of each protocol on the last seven days',
  table: 'out.development_protocol',
  key: ['path'],
  series: history(PROTOCOL_DEVELOPMENT_SERIES, 'protocol'),
});

export const developmentBlockchains = list({
  id: 'development-blockchains',
  title: 'Development score of each blockchain on the last seven days',
  table: 'out.development_blockchain',
  key: ['path'],
  series: history(BLOCKCHAIN_DEVELOPMENT_SERIES, 'blockchain'),
});

export const developmentScores = list({
  id: 'development-scores',
  title: 'Development scores of all protocols and blockchains on the last seven days',
  table: 'out.development_score',
  key: ['list'],
});

export const development = defineDomain({
  id: 'development',
  title: 'Development',
  folder: new URL('./', import.meta.url),
  raw: [developmentRepository, developmentCommit, developmentRelease],
  essential: [developmentRepository, developmentCommit],
  policy: [developmentPolicy],
  datasets: [developmentProtocols, developmentBlockchains, developmentScores],
  detectors: [],
  links: [
    {
      tables: 'obs.development_repository',
      of: { repository: 'repository' },
      to: { path: 'path' },
    },
  ],
  demo: developmentDemoSources,
});
