// Which subjects a source is configured to deliver, and since when. Without this, a subject that never arrived would go unnoticed.

import type { RawTable } from '../../define/raw-table.ts';
import type { Source } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { type Asked, readingOf } from '../models/kept-results.ts';
import { isoOf } from '../publish/provenance.ts';
import { DAY_SECONDS } from '../run/plan.ts';

/** One message per subject that is missing or late. */
export async function missingSubjects(
  results: Asked,
  { facts, expects = {} }: Source,
  raw: RawTable,
): Promise<readonly string[]> {
  const { subjects = [], since } = expects;
  if (subjects.length === 0 && since === undefined) return [];
  const name = `concat_ws(' ', ${raw.subject.map((field) => `cast(${quoted(field)} as varchar)`).join(', ')})`;
  const sql = `select ${name} as subject, min(${quoted(raw.kept.time)}) as first_at from ${raw.kept.model}
     where source_id = ${literal(facts.id)} group by 1 order by 1`;
  const rows = await results.rows(sql, readingOf(sql, [raw.kept.model], raw.kept.model));
  const first = new Map(rows.map((row) => [String(row['subject']), Number(row['first_at'])]));
  const absent = subjects.filter((subject) => !first.has(subject));
  const late = [...first].filter(([, at]) => since !== undefined && at >= since + DAY_SECONDS);
  return [
    ...absent.map((subject) => `${facts.id} has delivered no row of ${raw.name} of ${subject}`),
    ...late.map(
      ([subject, at]) =>
        `${facts.id}: ${raw.name} of ${subject} begins at ${isoOf(at)}, ${isoOf(since ?? 0)} is expected`,
    ),
  ];
}
