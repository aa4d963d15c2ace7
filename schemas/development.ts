// Development scores as published (2.3, decision 5): one record per UTC day and protocol or blockchain.
import { type Static, Strict, Type } from './define.ts';
import { dailySeries, number } from './series.ts';

export const DevelopmentRecordSchema = Strict({
  Name: Type.String({
    description: 'Name in lower case; the path value is the same without spaces',
    examples: ['yearn finance'],
  }),
  score: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      'Commits (.40), active authors (.25), merged changes (.20) and releases (.15) of the last 30 days, each as min(1, log1p(x) / log1p(95th percentile of all tracked, nearest rank)); a merge counts only as a merged change; forks and bots are excluded; 0 means known to be dormant',
  }),
  timestamp: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$',
    description: '00:00:00 UTC of the day, `YYYY-MM-DD HH:MM:SS`',
    examples: ['2026-01-31 00:00:00'],
  }),
});
export type DevelopmentRecord = Static<typeof DevelopmentRecordSchema>;

const DEVELOPMENT = { score: number('0 to 1', 'Development score') };
export const PROTOCOL_DEVELOPMENT_SERIES = dailySeries('development-protocols', DEVELOPMENT);

export const BLOCKCHAIN_DEVELOPMENT_SERIES = dailySeries('development-blockchains', DEVELOPMENT);
