// The first sentences of a page, an alert or a terminal: how many conditions are open, by severity, or that this is not known. Severities
// are of the risk; what can be judged is said by the summary that follows.
import { SEVERITIES, type Severity } from '../schemas/event.ts';
import type { OpenConditions } from '../schemas/service-status.ts';
import type { Document } from './layout.ts';

/** The dataset of open conditions. */
export const CONDITIONS = 'conditions';

/** Conditions by severity; null if one has no severity that is known, because a count without it would be too low. */
export function countConditions(severities: readonly unknown[]): OpenConditions | null {
  const isKnown = (one: unknown): one is Severity => SEVERITIES.some((name) => name === one);
  if (!severities.every(isKnown)) return null;
  const count = (name: Severity) => severities.filter((one) => one === name).length;
  return { critical: count('critical'), high: count('high'), warn: count('warn'), info: count('info') };
}

/** Severities of the documents of the dataset of conditions. */
export const severitiesOf = (documents: readonly Document[]): readonly unknown[] =>
  documents.map(({ value }) =>
    typeof value === 'object' && value !== null && 'severity' in value ? value['severity'] : undefined,
  );

export interface HeadlineInput {
  /** Null if unknown. */
  readonly open: OpenConditions | null;
  /** Why they are unknown. */
  readonly why: string;
  /** Whether everything is read, accepted, published and judged, so that an empty list says that nothing is wrong. */
  readonly isWhole: boolean;
}

const ABOVE_INFO = ['critical', 'high', 'warn'] as const;

/** `1 critical, 2 high.` */
export function conditionsSentence({ open, why, isWhole }: HeadlineInput): string {
  if (open === null) return `How many conditions are open is not known: ${why}.`;
  const shown = ABOVE_INFO.filter((name) => open[name] > 0).map((name) => `${open[name]} ${name}`);
  if (shown.length > 0) return `${shown.join(', ')}.`;
  const scope = isWhole ? '' : ' in what can be judged';
  return open.info === 0
    ? `No condition is open${scope}.`
    : `No condition above info is open${scope} (${open.info} informational).`;
}
