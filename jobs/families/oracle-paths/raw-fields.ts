// Fields that the raw tables of the oracle paths share: which oracle of which market, exact numbers of 256 bits, and who can change a contract.
import {
  chain,
  choice,
  count,
  type FieldOptions,
  form,
  id,
  observedAt,
  slug,
  text,
  word,
} from '../../define/fields.ts';
import type { RawField } from '../../define/raw-table.ts';

export const address = (name: string, description: string, options?: FieldOptions) =>
  id(name, description, { maxLength: 200, ...options });

/** Which oracle of which market, at which block. */
export const oracleOfMarket: readonly RawField[] = [
  chain,
  address('market_id', 'Id of the market on its chain', { required: true, ...word('0x7b2f') }),
  address('oracle_address', 'Oracle that the market reads', { required: true, ...word('0x7b2f') }),
  observedAt('Time of the block that was read'),
];

/** A uint256 has at most 78 digits. */
const WORD_DIGITS = 78;

export const exact = (name: string, description: string, options?: FieldOptions): RawField =>
  text(name, description, { amount: { digits: WORD_DIGITS, decimals: 0 }, ...options });

/** Answers of feeds are signed. */
export const signedExact = (name: string, description: string, options?: FieldOptions): RawField =>
  text(name, description, { amount: { digits: WORD_DIGITS, decimals: 0, isSigned: true }, ...options });

export const decimals = (name: string, description: string): RawField =>
  count(name, description, { max: 77 });

export const kind = (description: string): RawField =>
  id('kind', description, { required: true, ...slug('morpho_v2', '._-', 64) });

export const kindBy = choice(
  'kind_by',
  ['factory', 'code', 'registry', 'interface'],
  'How the kind is known: `factory` vouches for the contract, its `code` is known, a `registry` lists it, or only its `interface` answers like one',
  { required: true },
);

const JSON_OBJECT = form(
  '\\{[^\\r\\n]*\\}',
  'a JSON object on one line, whose values are texts of digits',
  '{"cap":"104000000"}',
);

export const parameters = (description: string): RawField =>
  text('parameters', description, { maxLength: 4_000, ...JSON_OBJECT });

export const implementation: readonly RawField[] = [
  address('implementation', 'Implementation behind the contract, if it is a proxy'),
  address('code_hash', 'Hash of the code that runs'),
];

/** Who can change what a contract answers, one way for each contract: the one with the shortest delay. */
export const changeable: readonly RawField[] = [
  address('changed_by', 'Account that can change the contract; `anyone` or `no_one`; absent if unknown'),
  id('changed_how', 'How: for example `owner`, `proxy_admin`, `governance`, `challenge`', {
    ...slug('proxy_admin', '._-', 64),
  }),
  count('change_delay_s', 'Seconds between the announcement of a change and its effect'),
];
