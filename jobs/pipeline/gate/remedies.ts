// What an operator can do about failing audits if a mapping is the cause: the rows stay wrong until their source is landed again. Only for
// the log, because the command names folders of this machine, and gates are published.
import type { PipelineContext } from '../context.ts';
import { lineage } from '../models/lineage.ts';
import type { Finding } from './audit.ts';

type Tools = Pick<PipelineContext, 'commandFor' | 'models'> & {
  readonly ingest: Pick<PipelineContext['ingest'], 'receipts'>;
};

/** At most one line, for all sources whose rows the failing audits read. */
export function remediesOf(
  { ingest, models, commandFor }: Tools,
  findings: readonly Finding[],
): readonly string[] {
  const failing = findings.filter(({ verdict, rows }) => verdict !== 'warn' && rows.length > 0);
  if (failing.length === 0) return [];
  const read = (audit: string) => models.audits.find(({ name }) => name === audit)?.reads ?? [];
  const tables = new Set(
    failing.flatMap(({ audit, table }) =>
      [table, ...read(audit)].flatMap((one) => [...lineage(models, one)]),
    ),
  );
  const sources = new Set(
    ingest
      .receipts()
      .filter(({ table, mappings = [] }) => tables.has(`landing.${table}`) && mappings.length > 0)
      .map(({ source }) => source.id),
  );
  const [first, ...others] = [...sources].sort();
  if (first === undefined) return [];
  const name = others.length === 0 ? first : 'NAME';
  return [
    `if a wrong mapping of ${[first, ...others].join(', ')} is the cause, correct it and see which rows would change: ${commandFor(`reland --source ${name} --dry-run`)}`,
  ];
}
