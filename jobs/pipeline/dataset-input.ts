// One dataset of a new version: its documents, and everything that is said about them.
import type { Document } from '../../snapshots/layout.ts';
import type { VersionReader } from '../../snapshots/read.ts';
import type { DatasetInput } from '../../snapshots/write.ts';
import type { Dataset } from '../define.ts';
import { doubtsAbout } from './audit.ts';
import { judgeAudits } from './audit-checks.ts';
import { type HeldSubject, judgeBadRows } from './bad-rows.ts';
import { judgeCompleteness, type Missing } from './completeness.ts';
import { readDocuments } from './documents.ts';
import { check, missingInputs, staleInputs } from './input-checks.ts';
import { inputFacts } from './input-facts.ts';
import { lineage } from './lineage.ts';
import { isoOf, sourcesOf } from './provenance.ts';
import type { Publication } from './publish.ts';
import { confidenceOf, gateOf } from './quality.ts';
import { silentSubjects } from './silent-subjects.ts';
import type { StillRefused } from './still-refused.ts';
import { isAt, isDocumentAt } from './subjects.ts';
import { tableForms } from './table-form.ts';
import type { World } from './world.ts';

export interface Judged {
  readonly input: DatasetInput;
  /** Subjects whose rows are not in it, or are those of the last version. */
  readonly held: readonly HeldSubject[];
  /** Subjects that landed and are not in it, a text each. */
  readonly silent: readonly string[];
}

export interface Evidence {
  readonly publication: Publication;
  readonly refused: readonly StillRefused[];
  readonly missing: Missing;
  /** The last version. */
  readonly before: VersionReader | null;
}

export async function judgeDataset(world: World, dataset: Dataset, evidence: Evidence): Promise<Judged> {
  const { publication, refused } = evidence;
  const badRows = await judgeBadRows(world, dataset, refused);
  const audits = judgeAudits(world, dataset, publication.findings);
  const held = [...badRows.held, ...audits.held];
  const { documents, bad } = await documentsOf(world, dataset, { held, before: evidence.before });
  const silent = await silentSubjects(world, dataset, { now: publication.now, held });
  const whole = await judgeCompleteness(world, dataset, { missing: evidence.missing, now: publication.now });
  const receipts = dataset.rests_on.flatMap((table) => world.landing.receipts(table));
  const inputs = inputFacts(world, dataset, { receipts, gathered: publication.gathered });
  const checks = [
    check(
      'rows fit their schema',
      bad.map(({ key, problem }) => `${key}: ${problem}`),
    ),
    badRows.check,
    ...whole.checks,
    check('every landed subject is published', silent.words, 'warn'),
    missingInputs(inputs),
    staleInputs(receipts, { now: publication.now, maxAges: world.policy.quality.source_max_age_s }),
    ...audits.checks,
  ];
  const at = isoOf(publication.now);
  const doubts = [
    ...whole.doubts,
    ...doubtsAbout(publication.findings, lineage(world.models, dataset.table)),
    ...silent.words.slice(0, 1).map((reason) => ({ reason, weight: silent.weight })),
  ];
  const input = {
    id: dataset.id,
    documents: world.keptLines.write(dataset.id, documents),
    ...tableForms(world, dataset, documents),
    computed_at: at,
    update_cadence_seconds: dataset.updateCadenceSeconds,
    sources: sourcesOf(receipts),
    confidence: confidenceOf({ ...inputs, rows_quarantined: badRows.missing, doubts }),
    quality_gate: gateOf(checks, at, world.policy.policy_version),
  };
  return { input, held, silent: silent.words };
}

interface Holding {
  readonly held: readonly HeldSubject[];
  readonly before: VersionReader | null;
}

/** The rows of a held subject are left out; a document that is all about it stays as the last version has it. */
async function documentsOf(world: World, dataset: Dataset, { held, before }: Holding) {
  if (held.length === 0) return readDocuments(world.engine, dataset);
  const read = await readDocuments(world.engine, dataset, (row) =>
    held.some(({ place }) => isAt(place, row)),
  );
  const published =
    before?.manifest.datasets[dataset.id] === undefined ? [] : await before.documents(dataset.id);
  const isHeld = ({ key }: Document) => held.some(({ place }) => isDocumentAt(dataset, place, key));
  return { ...read, documents: [...read.documents, ...published.filter(isHeld)] };
}
