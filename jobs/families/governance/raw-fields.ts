// Fields that several raw tables of governance share. Amounts are digits as the source writes them, with the number of decimals by which
// they are scaled.
import type { RawField } from '../../define/raw-table.ts';

const AMOUNT = { digits: 60, decimals: 18 };
const ID = '[0-9A-Za-z][0-9A-Za-z_.:-]{0,99}';

export const protocol: RawField = {
  name: 'protocol',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern: '[a-z0-9][a-z0-9._-]{0,63}',
  description: 'Protocol as a path value',
};
export const decimals: RawField = {
  name: 'decimals',
  type: 'BIGINT',
  required: true,
  min: 0,
  max: 18,
  description: 'Decimals by which amounts are scaled: 18 for wei, 0 for whole tokens',
};
export const id = (name: string, description: string, required = true): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  pattern: ID,
  description,
});
export const address = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  lowercase: true,
  maxLength: 128,
  description,
});
export const amount = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  amount: AMOUNT,
  description,
});
export const instant = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'BIGINT',
  required,
  min: 0,
  description: `${description}, Unix seconds; 0 if it has not happened`,
});

/**
 * SQL of an amount as an exact whole number of 1e-18 tokens; null if it has more than 38 digits, or is not whole. The digits are moved as
 * text, because DuckDB casts text to a wide decimal slowly.
 */
export const exact = (field: string) => {
  const whole = `ltrim(split_part(${field}, '.', 1), '0')`;
  const fraction = `rtrim(split_part(${field}, '.', 2), '0')`;
  const moved = `ltrim(${whole} || rpad(${fraction}, cast(18 - decimals as integer), '0'), '0')`;
  const fits = `regexp_full_match(${field}, '[0-9]+([.][0-9]*)?') and length(${fraction}) <= 18 - decimals
    and length(${whole}) + 18 - decimals <= 38`;
  return `case when decimals between 0 and 18 then
    case when ${fits} then case when ${moved} = '' then '0' else ${moved} end end end`;
};
export const notExact = (field: string) =>
  `${field} is not a whole number of at most 38 digits, counted in 1e-18 tokens`;
/** The side of a vote, and what governors do differently with votes. `isRequired`: every row of the table is a vote. */
export const sides = (isRequired: boolean): readonly RawField[] => [
  {
    name: 'support',
    type: 'VARCHAR',
    required: isRequired,
    lowercase: true,
    description:
      'Side of the vote: for, against, abstain or hidden; in a vote with other choices, `choice:` and the number or name of the choice. Longer than 100 characters, or an encrypted text that begins with 0x, it is hidden; a later row with the side replaces a hidden one',
  },
  {
    name: 'hidden',
    type: 'BIGINT',
    computed: `case when support = 'hidden' or regexp_like(support, '^(choice:)?0x[0-9a-f]{16}') or length(support) > 107 then 1 else 0 end`,
    description: '1 if the side is hidden',
  },
  {
    name: 'part',
    type: 'BIGINT',
    min: 0,
    max: 1_000,
    description:
      'Number of the part, where a vote is split over several sides: its parts are rows of one vote, each with its power',
  },
  {
    name: 'part_number',
    type: 'BIGINT',
    computed: 'case when part is null then 0 else part end',
    description: 'Number of the part; 0 for a whole vote',
  },
  {
    name: 'repeats',
    type: 'VARCHAR',
    lowercase: true,
    pattern: 'replaces|adds',
    description:
      'Whether a further vote of a voter on the proposal replaces the earlier ones (replaces, also when absent) or adds its power to theirs (adds)',
  },
];
