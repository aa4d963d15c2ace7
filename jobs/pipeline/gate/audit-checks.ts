// How audits affect the gate of a dataset: a warning lists its reasons; a failure holds back the subjects that it names, or the whole
// dataset if it does not name subjects of the dataset.

import type { Dataset } from '../../define/dataset.ts';
import type { PipelineContext } from '../context.ts';
import type { TracedDataset } from '../models/lineage.ts';
import { type Finding, isAbout, MAX_ROWS } from './audit.ts';
import type { HeldSubject } from './bad-rows.ts';
import { check } from './input-checks.ts';
import type { Check } from './quality.ts';
import { namesOf, placeInAudit } from './subjects.ts';

export interface AuditVerdict {
  readonly checks: readonly Check[];
  readonly held: readonly HeldSubject[];
}

export function judgeAudits(
  { models }: Pick<PipelineContext, 'models'>,
  dataset: TracedDataset,
  findings: readonly Finding[],
): AuditVerdict {
  const held: HeldSubject[] = [];
  const checks = models.audits
    .filter((audit) => isAbout(audit, dataset.lineage))
    .map(({ name, about, verdict }) => {
      const found = findings.filter((finding) => finding.audit === name);
      const rows = found.flatMap((finding) => finding.rows);
      if (verdict === 'warn') {
        const reasons = rows.map((row) => String(row['reason']));
        return check(about, reasons, 'warn');
      }
      const subjects = heldBy(dataset, { about, rows });
      held.push(...subjects);
      const isWhole = rows.length > 0 && subjects.length === 0;
      const problems = rows.map((row) => JSON.stringify(row));
      return check(
        about,
        [...new Set(subjects.map(({ reason }) => reason)), ...problems],
        isWhole ? 'fail' : 'warn',
      );
    });
  return { checks, held };
}

/** Empty when a row names no subject of the dataset, or when there may be more rows than were read. */
function heldBy(dataset: Dataset, { about, rows }: Pick<Finding, 'about' | 'rows'>): readonly HeldSubject[] {
  if (rows.length >= MAX_ROWS) return [];
  const places = rows.flatMap((row) => placeInAudit(dataset, row) ?? []);
  if (places.length < rows.length) return [];
  return places.map((place) => ({
    place,
    reason: `${namesOf(place)} is held back until this holds again: ${about}`,
  }));
}
