// `tables`: shows what sources can deliver. Lists the raw tables, or describes the fields of one with an example mapping, so that users can
// configure a source without reading code.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { nearestName } from '../../platform/base/nearest-name.ts';
import type { Domain } from '../define/domain.ts';
import { deliveredFields, type RawField, type RawTable } from '../define/raw-table.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface TablesRequest {
  /** Raw table to describe; null lists all. */
  readonly name: string | null;
  readonly json: boolean;
  /** Builds an example of a configured source that delivers to the table. */
  readonly example: (table: RawTable) => object;
  readonly print: (line: string) => void;
}

interface FamilyTable {
  readonly family: string;
  readonly table: RawTable;
}

/** @throws UsageError for a table that does not exist. */
export function showTables(domains: readonly Domain[], request: TablesRequest): ExitCode {
  const { name, json, example, print } = request;
  const tables = domains.flatMap(({ id, raw }) => raw.map((table): FamilyTable => ({ family: id, table })));
  if (name === null) {
    const lines = json ? [JSON.stringify(tables.map(listed))] : listLines(tables);
    for (const line of lines) print(line);
    return EXIT.done;
  }
  const found = tables.find(({ table }) => table.name === name);
  if (found === undefined) throw new UsageError(noSuchTable(name, tables));
  for (const line of json ? [JSON.stringify(described(found, example))] : tableLines(found, example))
    print(line);
  return EXIT.done;
}

function noSuchTable(name: string, tables: readonly FamilyTable[]): string {
  const closest = nearestName(
    name,
    tables.map(({ table }) => table.name),
  );
  const hint = closest === null ? 'The command `tables` of the jobs lists all.' : `Did you mean ${closest}?`;
  return `tables: there is no raw table "${name}". ${hint}`;
}

const listed = ({ family, table: { name, description } }: FamilyTable) => ({ name, family, description });

function described({ family, table }: FamilyTable, example: TablesRequest['example']) {
  const { name, description, key, subject, time } = table;
  return {
    name,
    family,
    description,
    key,
    subject,
    time,
    fields: deliveredFields(table).map((field) => fieldFacts(field, table)),
    computed: table.fields
      .filter((field) => !deliveredFields(table).includes(field))
      .map(({ name: own }) => own),
    example: example(table),
  };
}

function fieldFacts(field: RawField, { key }: RawTable) {
  const {
    name,
    type,
    description,
    required = false,
    pattern,
    amount,
    maxLength,
    min,
    max,
    lowercase,
  } = field;
  return {
    name,
    type,
    required,
    is_key: key.includes(name),
    description,
    ...(pattern !== undefined && { pattern }),
    ...(amount !== undefined && { amount }),
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(lowercase === true && { stored_lowercase: true }),
  };
}

function listLines(tables: readonly FamilyTable[]): string[] {
  const width = Math.max(...tables.map(({ table }) => table.name.length));
  const families = [...new Set(tables.map(({ family }) => family))];
  return [
    ...families.flatMap((family) => [
      `${family}:`,
      ...tables
        .filter((one) => one.family === family)
        .map(({ table }) => `  ${table.name.padEnd(width)}  ${table.description}`),
    ]),
    'For fields and an example, see the command `tables NAME` of the jobs.',
  ];
}

function tableLines({ family, table }: FamilyTable, example: TablesRequest['example']): string[] {
  const { name, description, key, subject, time } = table;
  const fields = deliveredFields(table);
  const width = Math.max(...fields.map((field) => field.name.length));
  const computed = table.fields.filter((field) => !fields.includes(field));
  return [
    `${name} (${family}): ${description}`,
    `Key: ${key.join(', ')}. Subject: ${subject.join(', ')}. Time: ${time}.`,
    '',
    'Fields:',
    ...fields.flatMap((field) => fieldLines(field, width)),
    ...(computed.length === 0
      ? []
      : ['', `Computed, not delivered: ${computed.map((one) => one.name).join(', ')}`]),
    '',
    'Example to adapt, for `sources` in the configuration file (jobs -- run --config FILE):',
    ...JSON.stringify({ [`my-${name.replaceAll('_', '-')}`]: example(table) }, null, 2).split('\n'),
  ];
}

function fieldLines(field: RawField, width: number): string[] {
  const { name, type, description, required = false } = field;
  const limits = limitText(field);
  const margin = ' '.repeat(width + 12);
  return [
    `  ${name.padEnd(width)}  ${type.padEnd(7)} ${required ? 'required. ' : ''}${description}`,
    ...(limits === '' ? [] : [`${margin}${limits}`]),
  ];
}

function amountText({ digits, decimals, isSigned }: NonNullable<RawField['amount']>): string {
  const whole = `an exact number of at most ${digits} digits`;
  return `${isSigned ? '' : 'not negative; '}${decimals === 0 ? `${whole}, whole` : `${whole} and ${decimals} decimals`}`;
}

function limitText({ pattern, amount, maxLength, min, max, lowercase }: RawField): string {
  return [
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(amount === undefined ? [] : [amountText(amount)]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(lowercase === true ? ['stored in lower case'] : []),
  ].join('; ');
}
