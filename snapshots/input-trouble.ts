// What is wrong with the sources of a version, as reasons and as words.
import { counted } from '../platform/base/plural.ts';
import type { StatusReason } from '../schemas/service-status.ts';
import type { InputSource, SourceState } from './layout.ts';

type ReasonSubject = Partial<Omit<StatusReason, 'code' | 'message'>>;

export const reason = (
  code: StatusReason['code'],
  message: string,
  names: ReasonSubject = {},
): StatusReason => ({
  code,
  message,
  source: null,
  table_name: null,
  dataset: null,
  subject: null,
  ...names,
});

/** States in which a source says nothing about now, with what a sentence says about it. */
const LOST: ReadonlyMap<SourceState, string> = new Map([
  ['never_read', 'has never been read'],
  ['empty', 'has delivered nothing'],
  ['overdue', 'is overdue'],
  ['refused', 'was refused'],
]);
/** Its last reading is recent, the next one is in doubt. */
const DOUBTFUL: ReadonlyMap<SourceState, string> = new Map([
  ['failing', 'fails'],
  ['suspect', 'is not confirmed'],
]);

export const isLost = ({ state }: InputSource): boolean => LOST.has(state);
export const isTroubled = (source: InputSource): boolean => isLost(source) || DOUBTFUL.has(source.state);
export const isOn = ({ state }: InputSource): boolean => state !== 'off' && state !== 'needs_key';

export function sourceReason(source: InputSource): StatusReason {
  const { id, table, state } = source;
  const message = LOST.get(state) ?? DOUBTFUL.get(state) ?? state;
  const why = source.reason === null ? '' : `: ${source.reason}`;
  const names = { source: id, table_name: table };
  return reason(state as StatusReason['code'], `${id} (${table}) ${message}${why}`, names);
}

const SHOWN = 3;

/** Each state once: one source by its name and reason, several by their number. */
export function sourceText(troubled: readonly InputSource[]): readonly string[] {
  return [...Map.groupBy(troubled, ({ state }) => state)].map(([, all]) => {
    const [first] = all;
    if (all.length === 1 && first !== undefined) return sourceReason(first).message;
    const names = all.slice(0, SHOWN).map(({ id }) => id);
    const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : '';
    return `${countedStates(all)} (${names.join(', ')}${more})`;
  });
}

const PLURAL: ReadonlyMap<SourceState, string> = new Map([
  ['never_read', 'have never been read'],
  ['empty', 'have delivered nothing'],
  ['overdue', 'are overdue'],
  ['refused', 'were refused'],
  ['failing', 'fail'],
  ['suspect', 'are not confirmed'],
]);

/** `3 sources are overdue`. */
export function countedStates(all: readonly InputSource[]): string {
  const [{ state } = { state: 'overdue' as const }] = all;
  const message = all.length === 1 ? (LOST.get(state) ?? DOUBTFUL.get(state)) : PLURAL.get(state);
  return `${counted(all.length, 'source')} ${message}`;
}

/** `A, B and C`; with a comma before the last `and` where a name such as `Feeds and pegs` would run into the next one. */
export const listed = (all: readonly string[]): string => {
  const last = all.at(-1) ?? '';
  if (all.length < 2) return last;
  const isClear = !all.slice(-2).some((one) => one.includes(' and '));
  return `${all.slice(0, -1).join(', ')}${isClear ? '' : ','} and ${last}`;
};

/** `since`: Unix seconds. */
export const fetchingStopped = (since: number): string =>
  `Nothing has been fetched since ${new Date(Math.floor(since) * 1000).toISOString().replace('.000Z', 'Z')}: start the jobs with \`schedule\`, or \`fetch --watch\`.`;
