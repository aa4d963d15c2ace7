// What `npm start` prints once a version is published: the version, keys to try, and example requests.
import { counted } from '../base/plural.ts';
import { printable } from '../base/printable.ts';

export interface PublishedStatus {
  readonly status: string;
  /** What can be judged, and what is missing. */
  readonly summary: string;
  readonly is_simulated: boolean;
  readonly version: string;
  readonly as_of: string;
  readonly datasets: { readonly [id: string]: { readonly documents: number } };
  readonly events: { readonly published: number };
  readonly sources: readonly {
    readonly id: string;
    readonly state: string;
    readonly reason: string | null;
  }[];
}

/** What the server reports once it is listening. */
export interface ServerStart {
  readonly address: string;
  readonly keys: readonly { readonly key: string; readonly plan: string }[];
}

/** The first version of an empty folder may contain only a few domains and no events. */
export const isFirstLook = ({ events }: PublishedStatus): boolean => events.published === 0;

export function announcement({ address, keys }: ServerStart, status: PublishedStatus): string {
  const unread = failing(status);
  const datasets = Object.entries(status.datasets).map(([id, { documents }]) => `${id} (${documents})`);
  return [
    '',
    `  Published version ${status.version}, data as of ${status.as_of}`,
    `  Datasets: ${datasets.join(', ')}; events in the log: ${status.events.published}`,
    `  Service ${status.status}: ${status.summary}`,
    ...(status.is_simulated ? [SIMULATED] : []),
    '',
    ...keysToTry(keys),
    '  Try:',
    `    curl ${address}/v2/data-manifest`,
    `    curl ${bearer(keys)}'${address}/v2/data-manifest/coverage?limit=5'`,
    `    curl ${bearer(keys)}'${address}/v2/events/replay?type=peg.depeg.start'`,
    '',
    `  Dashboard: ${address}/${fragment(keys)}`,
    `  Reference: ${address}/docs`,
    '',
    ...unread,
    ...(isFirstLook(status) && unread.length === 0
      ? [
          '  Feeds and markets are published; pegs, the other families, the events and simulations follow within a minute or two.\n',
        ]
      : []),
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}

export function completion(status: PublishedStatus): string {
  const { version, datasets, events } = status;
  const contents = `version ${version}, ${counted(Object.keys(datasets).length, 'dataset')}, ${counted(events.published, 'event')} in the log.`;
  const unread = failing(status);
  const opening = status.status === 'ok' ? 'Everything is published' : 'Published';
  const verdict = `  Service ${status.status}: ${status.summary}`;
  return ['', `  ${opening}: ${contents}`, verdict, '', ...unread].join('\n');
}

/** Sources that could not be read, grouped by reason. Without a network, no source can be read. */
function failing({ sources }: PublishedStatus): readonly string[] {
  const unread = sources.filter(({ state }) => state === 'failing');
  if (unread.length === 0) return [];
  const byReason = [...Map.groupBy(unread, ({ reason }) => reason ?? 'reason unknown')];
  return [
    `  ${unread.length} of ${sources.length} sources could not be read; each will be retried (see /v1/status, or the command \`sources list\` of the jobs):`,
    ...byReason.map(([reason, same]) => `    ${same.map(({ id }) => id).join(', ')}: ${printable(reason)}`),
    '',
  ];
}

/** The faults of the demo are part of its script, so runs do not warn of them. */
const SIMULATED =
  '  The data is simulated. Its faults are scripted: refused rows, silent feeds, subjects without a record.';

/** At every start the demo creates a key for each plan and revokes the previous ones. */
const keysToTry = (keys: ServerStart['keys']): readonly string[] =>
  keys.length === 0
    ? ['  A key of your own: the command `create --org me --plan team` of the keys', '']
    : ['  Keys, until the next start:', ...keys.map(({ plan, key }) => `    ${plan.padEnd(10)} ${key}`), ''];

/** Browsers do not send the part after `#` to the server. */
const fragment = (keys: ServerStart['keys']): string => {
  const key = keys.find(({ plan }) => plan === 'team')?.key;
  return key === undefined ? '' : `#key=${key}`;
};

const bearer = (keys: ServerStart['keys']): string =>
  `-H 'Authorization: Bearer ${keys.find(({ plan }) => plan === 'team')?.key ?? '<API_KEY>'}' `;
