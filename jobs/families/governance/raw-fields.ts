// Fields that several raw tables of governance share. Amounts are digits as the source writes them, with the number of decimals by which
// they are scaled.
import {
  choice,
  count,
  type FieldOptions,
  form,
  id,
  instant,
  integer,
  slug,
  text,
} from '../../define/fields.ts';
import type { RawField } from '../../define/raw-table.ts';

const AMOUNT = { digits: 60, decimals: 18 };
const ID = form(
  '[0-9A-Za-z][0-9A-Za-z_.:-]{0,99}',
  'at most 100 letters, digits and `_` `.` `:` `-`, a letter or digit first',
  '0x7b2f',
);

export const protocol = id('protocol', 'Protocol as a path value', {
  required: true,
  ...slug('uniswap', '._-', 64),
});
export const decimals = count(
  'decimals',
  'Decimals by which amounts are scaled: 18 for wei, 0 for whole tokens',
  { required: true, max: 18 },
);
/** Ids are kept as they are written: some governors number their proposals, others hash them. */
export const identifier = (name: string, description: string, options?: FieldOptions) =>
  text(name, description, { ...ID, ...options });
export const tokens = (name: string, description: string, options?: FieldOptions) =>
  text(name, description, { amount: AMOUNT, ...options });
/** Sources write 0 for what has not happened. */
export const instantOrZero = (name: string, description: string, options?: FieldOptions) =>
  instant(name, `${description}, Unix seconds; 0 if it has not happened`, options);

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
  text(
    'support',
    'Side of the vote: for, against, abstain or hidden; in a vote with other choices, `choice:` and the number or name of the choice. Longer than 100 characters, or an encrypted text that begins with 0x, it is hidden; a later row with the side replaces a hidden one',
    { required: isRequired, lowercase: true },
  ),
  integer('hidden', '1 if the side is hidden', {
    computed: `case when support = 'hidden' or regexp_like(support, '^(choice:)?0x[0-9a-f]{16}') or length(support) > 107 then 1 else 0 end`,
  }),
  count(
    'part',
    'Number of the part, where a vote is split over several sides: its parts are rows of one vote, each with its power',
    { max: 1_000 },
  ),
  integer('part_number', 'Number of the part; 0 for a whole vote', {
    computed: 'case when part is null then 0 else part end',
  }),
  choice(
    'repeats',
    ['replaces', 'adds'],
    'Whether a further vote of a voter on the proposal replaces the earlier ones (replaces, also when absent) or adds its power to theirs (adds)',
  ),
];
