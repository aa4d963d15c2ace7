// The restaking domain: how much is restaked in each protocol, its operators, and how rewards are shared.

import { HOUR_S } from '../../../platform/base/time.ts';
import { BaseRestakingSchema, RestakingProtocolSchema } from '../../../schemas/restaking.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { restakingDemoSources } from '../../sources/demo/restaking.ts';
import { restakingPolicy } from './policy.ts';
import { restakingState } from './raw.ts';

// The published restaking data: the week of all protocols, the latest record of each, and the week of each base protocol.

const restakingWeek = defineDataset({
  id: 'restaking-week',
  title: 'Restaking protocols on the last seven days',
  table: 'out.restaking_week',
  key: ['scope'],
  separator: '/',
  shape: 'list',
  order: 'day desc, timestamp desc, name',
  subject: { columns: { name: 'name' } },
  day: 'day',
  part: ['name'],
  row: RestakingProtocolSchema,
  updateCadenceSeconds: HOUR_S,
});

const restakingLatest = defineDataset({
  id: 'restaking-latest',
  title: 'Latest record of each restaking protocol',
  table: 'out.restaking_latest',
  key: ['name'],
  separator: '/',
  shape: 'list',
  order: 'timestamp desc',
  recordDay: 'day',
  subject: { columns: { name: 'name' } },
  row: RestakingProtocolSchema,
  updateCadenceSeconds: HOUR_S,
});

const baseRestakingWeek = defineDataset({
  id: 'base-restaking-week',
  title: 'Base restaking protocols on the last seven days',
  table: 'out.base_restaking_week',
  key: ['name'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  subject: { columns: { name: 'name' } },
  // Configuration decides which protocols are base protocols; an audit reports those without a record.
  subjectsOf: [],
  day: 'day',
  row: BaseRestakingSchema,
  updateCadenceSeconds: HOUR_S,
});

export const restaking = defineDomain({
  id: 'restaking',
  title: 'Restaking',
  folder: new URL('./', import.meta.url),
  raw: [restakingState],
  policy: [restakingPolicy],
  datasets: [restakingWeek, restakingLatest, baseRestakingWeek],
  detectors: [],
  links: [
    {
      tables: 'derived.pair_feed f join derived.restaking_price p on p.pair = f.pair',
      of: { chain: 'f.chain', feed_address: 'f.feed_address' },
      to: { name: 'p.name' },
    },
  ],
  demo: restakingDemoSources,
});
