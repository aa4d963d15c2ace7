// One verdict of the service for page, API and terminal, from what a version publishes about its inputs: whether everything that is
// configured is read, accepted and published, and what can be judged. A pure function.

import { oncePer } from '../platform/base/once-per.ts';
import { counted } from '../platform/base/plural.ts';
import { NO_SOURCE } from '../schemas/provenance.ts';
import type {
  FamilyStatus,
  OpenConditions,
  ServiceVerdict,
  StatusReason,
} from '../schemas/service-status.ts';
import { type JudgedFamily, judged, published } from './family-verdict.ts';
import {
  countedStates,
  fetchingStopped,
  isOn,
  isTroubled,
  listed,
  reason,
  sourceReason,
} from './input-trouble.ts';
import { type DatasetEntry, datasetsAsOf, type Inputs, type Manifest } from './layout.ts';
import { CONDITIONS, conditionsSentence, countConditions } from './verdict-headline.ts';

export interface VerdictInput {
  /** The served version; null if there is none. */
  readonly manifest: Manifest | null;
  readonly nowMs: number;
  readonly isStopping?: boolean;
  /** Since when nothing is fetched, Unix seconds, if that is known better than by the version. */
  readonly silentSince?: number | null;
  /** Damage to the published files, and problems of the ops store, as sentences. */
  readonly faults?: readonly { readonly code: 'published_files' | 'ops_store'; readonly message: string }[];
  /** Of the conditions that the version publishes; null or absent if they cannot be read. */
  readonly severities?: readonly unknown[] | null;
}

export function serviceVerdict(input: VerdictInput): ServiceVerdict {
  const { manifest, nowMs, isStopping, faults = [] } = input;
  const own = faults.map(({ code, message }) => reason(code, message));
  if (manifest === null) return withoutVersion(own, isStopping === true);
  const { held, families } = judgedIn(manifest);
  const { inputs } = manifest;
  const silent = input.silentSince ?? inputs?.silent_since ?? null;
  const late = [
    ...dataOverdue(manifest, nowMs),
    ...(silent === null ? [] : [reason('fetching_stopped', fetchingStopped(silent))]),
  ];
  const reasons = [
    ...own,
    ...late,
    ...(inputs === undefined
      ? [reason('inputs_not_recorded', NOT_RECORDED)]
      : inputReasons(inputs, families)),
    ...held,
    ...withheldEvents(manifest),
    ...unpublished(manifest, families, held),
  ];
  const status = isStopping === true ? 'stopping' : reasons.length > 0 ? 'degraded' : 'ok';
  const summary = { inputs, families, held, late, own };
  const open = openConditions(input, manifest);
  const isWhole = reasons.length === 0 && families.every(({ state }) => state === 'complete');
  const conditions = conditionsSentence({ open, why: whyUnknown(manifest), isWhole });
  return {
    status,
    headline: summaryOf(summary, conditions),
    open_conditions: open,
    summary: summaryOf(summary),
    reasons,
    families: families.map(published),
  };
}

/** What the version publishes of conditions, unless it is held back: an earlier list says nothing about now. */
function openConditions({ severities = null }: VerdictInput, manifest: Manifest): OpenConditions | null {
  const isThere = Object.hasOwn(manifest.datasets, CONDITIONS);
  return severities === null || !isThere || heldDataset(manifest, CONDITIONS) !== undefined
    ? null
    : countConditions(severities);
}

function whyUnknown(manifest: Manifest): string {
  if (heldDataset(manifest, CONDITIONS) !== undefined) return 'their list is held back';
  return Object.hasOwn(manifest.datasets, CONDITIONS)
    ? 'their list cannot be read'
    : 'their list is not published';
}

/** What does not depend on the time. */
const judgedIn = oncePer((manifest: Manifest) => {
  const held = heldOf(manifest);
  const { inputs } = manifest;
  const families =
    inputs === undefined ? [] : inputs.families.map((one) => judged(one, { inputs, manifest, held }));
  return { held, families };
});

/** What can be judged of the family that publishes a dataset; undefined if the version does not say. */
export function familyOf(manifest: Manifest, dataset: string): FamilyStatus | undefined {
  const family = judgedIn(manifest).families.find(({ datasets }) => datasets.includes(dataset));
  return family && published(family);
}

/** Why a dataset is held back as a whole; undefined if it is not. */
export const heldDataset = (manifest: Manifest, id: string): StatusReason | undefined =>
  judgedIn(manifest).held.find(({ dataset, subject }) => dataset === id && subject === null);

/** Why a dataset is not complete, or may not be: something of it is held back, or something that is not listed. */
export const heldPart = (manifest: Manifest, id: string): StatusReason | undefined => {
  const { held } = judgedIn(manifest);
  return held.find(({ dataset }) => dataset === id) ?? heldUnlisted(manifest);
};

/** That subjects are held back which the manifest does not list, because there are too many: any of them may be. */
export const heldUnlisted = (manifest: Manifest): StatusReason | undefined =>
  judgedIn(manifest).held.find(({ dataset }) => dataset === null);

/** Why a subject of a dataset is held back. `parts`: the parts of its document's key, or of its name. */
export function heldSubject(
  manifest: Manifest,
  id: string,
  parts: readonly string[],
): StatusReason | undefined {
  const own = new Set(parts.map((part) => part.toLowerCase()));
  return judgedIn(manifest).held.find(({ dataset, subject }) => {
    if (dataset !== id || subject === null) return false;
    const named = new Set(subject.toLowerCase().split(' '));
    return own.isSubsetOf(named) || named.isSubsetOf(own);
  });
}

function withoutVersion(own: readonly StatusReason[], isStopping: boolean): ServiceVerdict {
  const damaged = own.filter(({ code }) => code === 'published_files');
  const nothing = 'Nothing can be judged: nothing has been published yet.';
  const summary =
    damaged.length === 0
      ? nothing
      : `Nothing can be judged: no published version can be read. ${damaged[0]?.message}`;
  const status = isStopping ? 'stopping' : damaged.length > 0 ? 'unavailable' : 'empty';
  const reasons =
    damaged.length > 0 ? own : [...own, reason('not_yet_published', 'Nothing has been published yet.')];
  return { status, headline: summary, open_conditions: null, summary, reasons, families: [] };
}

const NOT_RECORDED =
  'The version does not say what it was computed from: its publisher is older than this program. Publish again with the jobs of this release.';

/** Data is late once twice its cadence has passed (decision 14): then no publisher is at work. */
function dataOverdue(manifest: Manifest, nowMs: number): readonly StatusReason[] {
  const cadences = Object.values(manifest.datasets).map((entry) => entry.update_cadence_seconds);
  const cadence = Math.min(...cadences);
  const age = Math.floor((nowMs - Date.parse(datasetsAsOf(manifest))) / 1000);
  if (age <= 2 * cadence) return [];
  const message = `The data is ${spanText(age)} old, but a new version is due every ${spanText(cadence)}: no publisher is at work. What happened since is not known.`;
  return [reason('data_overdue', message)];
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

function spanText(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= 2 * one || seconds === one) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

function inputReasons({ sources }: Inputs, families: readonly JudgedFamily[]): readonly StatusReason[] {
  const hasAny = families.some(({ state }) => state !== 'no_source');
  const none = hasAny ? [] : [reason('no_source', 'No source is configured, so nothing is read.')];
  return [...none, ...sources.filter(isTroubled).map(sourceReason)];
}

/** Datasets and subjects that a failed check holds back. */
function heldOf({ datasets, held_subjects }: Manifest): readonly StatusReason[] {
  const listed = (held_subjects?.list ?? []).map(({ dataset, subject, reason: why }) =>
    reason('held_back', why, { dataset, subject: subject === '*' ? null : subject }),
  );
  const isListed = (id: string) => listed.some(({ dataset, subject }) => dataset === id && subject === null);
  const whole = Object.entries(datasets)
    .filter(([id, { quality_gate }]) => quality_gate.verdict === 'fail' && !isListed(id))
    .map(([dataset, entry]) =>
      reason('held_back', `${dataset} is held back: ${failuresOf(entry)}`, { dataset }),
    );
  const more = (held_subjects?.total ?? 0) - listed.length;
  const rest = more > 0 ? [reason('held_back', `${counted(more, 'further subject')} held back.`)] : [];
  return [...whole, ...listed, ...rest];
}

const failuresOf = ({ quality_gate: { checks } }: DatasetEntry): string =>
  checks
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ name, detail }) => (detail === null ? name : `${name}: ${detail}`))
    .join('; ');

const withheldEvents = ({ withheld_events }: Manifest): readonly StatusReason[] =>
  withheld_events === undefined || withheld_events.total === 0
    ? []
    : [
        reason(
          'events_withheld',
          `${counted(withheld_events.total, 'event')} withheld: ${withheld_events.list[0]?.reason ?? 'their inputs are in doubt'}`,
        ),
      ];

/** Datasets of families that no version has yet. */
function unpublished(
  { datasets }: Manifest,
  families: readonly JudgedFamily[],
  held: readonly StatusReason[],
): readonly StatusReason[] {
  const isThere = (id: string) => Object.hasOwn(datasets, id) || held.some(({ dataset }) => dataset === id);
  return families.flatMap(({ title, datasets: ids }) => {
    const missing = ids.filter((id) => !isThere(id));
    if (missing.length === 0) return [];
    const what = missing.length === ids.length ? title : missing.join(', ');
    return [
      reason(
        'not_yet_published',
        `${what}: not computed yet`,
        missing.length === 1 ? { dataset: missing[0] ?? null } : {},
      ),
    ];
  });
}

interface Summary {
  readonly inputs: Inputs | undefined;
  readonly families: readonly JudgedFamily[];
  readonly held: readonly StatusReason[];
  readonly late: readonly StatusReason[];
  readonly own: readonly StatusReason[];
}

/** `conditions`: a sentence about the open conditions, of the same time as what follows. */
function summaryOf({ inputs, families, held, late, own }: Summary, conditions?: string): string {
  const sentences = (all: readonly StatusReason[]) => all.map(({ message }) => message.replace(/\.?$/, '.'));
  const faults = sentences(own);
  const before = sentences(late);
  const open = conditions === undefined ? [] : [conditions];
  if (inputs === undefined)
    return [...before, ...(open.length === 0 ? [] : asOfThen(late, open)), NOT_RECORDED, ...faults].join(' ');
  const titles = (state: FamilyStatus['state']) =>
    families.filter((one) => one.state === state && !one.isDerived).map(({ title }) => title);
  const [complete, partial] = [titles('complete'), titles('partial')];
  const troubles = troubleText(inputs, held);
  const noSource = titles('no_source').length;
  const judgedText = [
    ...saying(complete, 'can be judged'),
    ...saying(partial, 'can be judged in part'),
    ...saying(titles('unknown'), 'cannot be judged'),
    ...saying(titles('pending'), 'cannot be judged yet'),
  ];
  const isNothing = complete.length + partial.length === 0;
  const why = troubles.length === 0 ? [noSource > 0 ? NO_SOURCE : 'nothing has been computed yet'] : troubles;
  const first = isNothing
    ? `Nothing can be judged: ${listed(why)}.`
    : `${[...judgedText, ...(troubles.length > 0 ? [listed(troubles)] : [])].join('; ')}.`;
  const unsourced =
    isNothing || noSource === 0
      ? []
      : [`${counted(noSource, 'family', 'families')} without a source cannot be judged.`];
  return [...before, ...asOfThen(late, [...open, first]), ...unsourced, ...faults].join(' ');
}

/** Marked as of then if something is late. */
const asOfThen = (late: readonly unknown[], sentences: readonly string[]): readonly string[] =>
  late.length === 0 ? sentences : [`As of then: ${sentences.join(' ')}`];

const NAMED_FAMILIES = 4;

const saying = (titles: readonly string[], message: string): readonly string[] => {
  if (titles.length === 0) return [];
  const some = titles.slice(0, NAMED_FAMILIES - 1);
  const names =
    titles.length > NAMED_FAMILIES ? [...some, `${titles.length - some.length} more families`] : titles;
  return [`${listed(names.map((name, index) => (index === 0 ? name : inSentence(name))))} ${message}`];
};

/** `Lending` as `lending`; abbreviations such as `MEV` stay. */
const inSentence = (title: string): string =>
  /^[A-Z][A-Z]/.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;

function troubleText({ sources }: Inputs, held: readonly StatusReason[]): readonly string[] {
  const on = sources.filter(isOn);
  const states = [...Map.groupBy(on.filter(isTroubled), ({ state }) => state).values()].map((all) =>
    all.length > 1
      ? countedStates(all).replace(/^\d+/, (count) => `${count} of ${on.length}`)
      : countedStates(all),
  );
  const subjects = held.filter(({ subject }) => subject !== null).length;
  const datasets = held.filter(({ subject, dataset }) => subject === null && dataset !== null).length;
  return [
    ...states,
    ...(datasets > 0 ? [`${counted(datasets, 'dataset')} held back`] : []),
    ...(subjects > 0 ? [`${counted(subjects, 'subject')} held back`] : []),
  ];
}
