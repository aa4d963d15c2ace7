// What determines governance figures in addition to the proposals and votes themselves (decision 6).
import { definePolicy, oneRow, Strict, Type } from '../policy/define.ts';

const Days = (value: number, column: string, description: string) =>
  Type.Integer({ minimum: 1, maximum: 3_650, default: value, description, column, times: 86_400 });

const schema = Strict({
  participation_days: Days(
    30,
    'participation_s',
    'Days, the record’s day included, within which a vote counts its voter as participating',
  ),
  silence_days: Days(
    90,
    'silence_s',
    'Days without a proposal, a vote or news of the electorate after which a protocol has no records: its source may be gone',
  ),
});

export const governancePolicy = definePolicy({
  section: 'governance',
  schema,
  tables: [oneRow('governance', schema)],
});
