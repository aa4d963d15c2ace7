// The published restaking data: the week of all protocols, the latest record of each, and the week of each base protocol.
import { HOUR_S } from '../../../platform/base/time.ts';
import { BaseRestakingSchema, RestakingProtocolSchema } from '../../../schemas/restaking.ts';
import { defineDataset } from '../../define/dataset.ts';

export const restakingWeek = defineDataset({
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

export const restakingLatest = defineDataset({
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

export const baseRestakingWeek = defineDataset({
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
