// The tool that says whether data about a subject may be acted on.
import { Strict, Type } from '../../schemas/define.ts';
import { pathOf } from '../define/endpoint.ts';
import { fieldFailure } from '../define/failure.ts';
import { CONDITIONS } from '../replies/condition-inputs.ts';
import { SOURCE_READINGS, sourceReadings } from '../replies/source-readings.ts';
import { servicesThen, verdictOf } from '../replies/verdict.ts';
import { getDataset, listDatasets } from '../routes/datasets.ts';
import { getYieldOpportunity, listLendingMarkets, listOverallScores } from '../routes/histories.ts';
import { listFeeds, listPegs } from '../routes/oracle-series.ts';
import { getOverallReceipts } from '../routes/overall.ts';
import { listYieldOpportunities } from '../routes/yields.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { CHECK_VERDICTS, SUBJECT_KINDS, type SubjectKind } from './row-checks.ts';
import {
  type Answer,
  type Arguments,
  answerSchema,
  asOfArgument,
  headOf,
  linkTo,
  provenanceOf,
  type Tool,
  type ToolCall,
} from './tool.ts';
import { USABILITY, usabilityOf } from './usability.ts';
import { currentVersion } from '../define/missing-data.ts';

const FORMS = Object.values(SUBJECT_KINDS).map(({ form }) => form);

export const isItUsable: Tool = {
  name: 'is_it_usable',
  title: 'Is the data usable',
  description:
    'Whether data about one subject may be acted on now: `usable`, `usable_with_caution` or `do_not_use`, with every check that says so. Derived from freshness and quality gates alone, and closed on doubt: an unknown subject, a missing check, a source that is overdue, anything held back that it rests on, or a server that serves an old version is never `usable`. It says nothing about whether an asset is safe. Call it before acting on a number. Judged at the time of the call, or at `as_of`. No key needed.',
  input: Strict({
    subject: Type.String({
      minLength: 3,
      maxLength: 300,
      description: `One of ${FORMS.map((form) => `\`${form}\``).join(', ')}`,
      examples: ['peg:ethereum:USDC', 'dataset:pegs'],
    }),
    as_of: asOfArgument,
  }),
  output: answerSchema(
    Strict({
      subject: Type.String(),
      verdict: Type.Enum([...USABILITY], {
        description: '`usable`: every check passed. Never act on `do_not_use`',
      }),
      checks: Type.Array(
        Strict({
          check: Type.String(),
          verdict: Type.Enum([...CHECK_VERDICTS]),
          detail: Type.String(),
        }),
        { description: 'What says so, worst first' },
      ),
    }),
  ),
  access: 'open',
  call: answer,
};

interface Subject {
  readonly kind: SubjectKind;
  readonly dataset: string;
  readonly key: string;
  readonly parts: readonly string[];
}

/** @throws Failure `validation_failed` */
function subjectOf(text: string): Subject {
  const [kind = '', ...rest] = text.split(':');
  const name = rest.join(':');
  if (!Object.hasOwn(SUBJECT_KINDS, kind) || name === '')
    throw fieldFailure('subject', `must be one of ${FORMS.join(', ')}`);
  const known = SUBJECT_KINDS[kind as SubjectKind];
  if (known.dataset === null) return { kind: 'dataset', dataset: name, key: '', parts: [] };
  const folded = name.replace(/0x[0-9a-f]+/gi, (address) => address.toLowerCase());
  const [chain = '', ...more] = folded.split(':');
  if (known.separator === null)
    return { kind: kind as SubjectKind, dataset: known.dataset, key: folded, parts: folded.split('/') };
  if (more.length === 0) throw fieldFailure('subject', `must have the form ${known.form}`);
  const parts = [chain.toLowerCase(), more.join(':')];
  return { kind: kind as SubjectKind, dataset: known.dataset, key: parts.join(known.separator), parts };
}

const ORDER = { fail: 0, caution: 1, pass: 2 } as const;
const MAX_CHECKS = 60;

async function answer({ subject, as_of }: Arguments, call: ToolCall): Promise<Answer> {
  const asked = subjectOf(String(subject));
  const needed = [CONDITIONS, SOURCE_READINGS, asked.dataset];
  const services =
    as_of === undefined ? call.services : await servicesThen(call.services, { as_of: String(as_of) }, needed);
  const version = currentVersion(services);
  const { manifest } = version;
  const loaded = version.dataset(asked.dataset);
  const row = loaded?.documents.get(asked.key);
  const { verdict, checks } = usabilityOf({
    ...asked,
    manifest,
    reasons: verdictOf(services).reasons,
    readings: sourceReadings(version),
    row: row === undefined ? undefined : JSON.parse(row.toString()),
    nowMs: services.nowMs(),
  });
  const sorted = checks.toSorted((a, b) => ORDER[a.verdict] - ORDER[b.verdict]).slice(0, MAX_CHECKS);
  return {
    ...headOf(manifest),
    provenance: provenanceOf(loaded?.entry, services),
    data: { subject: String(subject), verdict, checks: sorted },
    meta: {},
    cursor: null,
    link: linkOf(asked, row, manifest),
  };
}

/** The row that was judged, or the list in which it is missing. */
function linkOf({ kind, dataset, key, parts }: Subject, row: Buffer | undefined, manifest: Manifest): string {
  const [chain, name] = parts;
  switch (kind) {
    case 'peg':
      return linkTo(listPegs.path, { chain, symbol: symbolOf(row) }, manifest);
    case 'feed':
      return linkTo(listFeeds.path, { chain, feed_address: name }, manifest);
    case 'market':
      return linkTo(listLendingMarkets.path, { chain, market_id: name }, manifest);
    case 'yield':
      return row === undefined
        ? linkTo(listYieldOpportunities.path, {}, manifest)
        : linkTo(pathOf(getYieldOpportunity, { id: key }), {}, manifest);
    case 'score':
      return row === undefined
        ? linkTo(listOverallScores.path, {}, manifest)
        : linkTo(pathOf(getOverallReceipts, { protocol: key }), {}, manifest);
    case 'dataset':
      return Object.hasOwn(manifest.datasets, dataset)
        ? linkTo(pathOf(getDataset, { id: dataset }), {}, manifest)
        : linkTo(listDatasets.path, {}, manifest);
  }
}

const symbolOf = (peg: Buffer | undefined): unknown =>
  peg === undefined ? undefined : (JSON.parse(peg.toString()) as { readonly symbol?: unknown }).symbol;
