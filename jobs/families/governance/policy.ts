// What governance figures depend on in addition to the proposals and votes themselves (decision 6).
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Days = (value: number, column: string, description: string) =>
  Type.Integer({ minimum: 1, maximum: 3_650, default: value, description, column, times: 86_400 });

const schema = Strict({
  participation_days: Days(
    30,
    'participation_s',
    'Days within which a vote makes its voter a participant, the record’s day included',
  ),
  silence_days: Days(
    90,
    'silence_s',
    'Days without a proposal, a vote or a report of the electorate after which a protocol gets no more records, because its source may be gone',
  ),
});

export const governancePolicy = definePolicy({
  section: 'governance',
  schema,
  tables: [oneRow('governance', schema)],
});
