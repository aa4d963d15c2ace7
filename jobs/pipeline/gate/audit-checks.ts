// The checks of a dataset's gate that audits make, and the doubts that they raise: a warning lists its reasons; a failure lists what it holds back.

import type { PipelineContext } from '../context.ts';
import type { TracedDataset } from '../models/lineage.ts';
import { type Doubt, doubtsAbout, type Finding, isAbout } from './audit.ts';
import type { DatasetHolds } from './dataset-holds.ts';
import { check } from './input-checks.ts';
import type { Check } from './quality.ts';

export function judgeAudits(
  { models }: Pick<PipelineContext, 'models'>,
  dataset: TracedDataset,
  { findings, holds }: { readonly findings: readonly Finding[]; readonly holds: DatasetHolds },
): { readonly checks: readonly Check[]; readonly doubts: readonly Doubt[] } {
  const checks = models.audits
    .filter((audit) => isAbout(audit, dataset.lineage))
    .map(({ name, about, verdict }) => {
      if (verdict === 'warn') {
        const rows = findings.filter(({ audit }) => audit === name).flatMap((finding) => finding.rows);
        return check(
          about,
          rows.map((row) => String(row['reason'])),
          'warn',
        );
      }
      const found = holds.problems.filter(({ hold }) => hold.check === about);
      const isWhole = found.some(({ kind }) => kind === 'whole');
      return check(about, [...new Set(found.map(({ reason }) => reason))], isWhole ? 'fail' : 'warn');
    });
  return { checks, doubts: doubtsAbout(findings, dataset.lineage) };
}
