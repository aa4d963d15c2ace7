// What the jobs have done: damage, the last tick, sources, what is held back; and the clock, by which all of it is judged.
import { counted } from '../../platform/base/plural.ts';
import { DAY_MS, HOUR_MS } from '../../platform/base/time.ts';
import { commandFor } from '../../platform/command-line/command-for.ts';
import { readStatus, type Status } from '../../jobs/commands/status.ts';
import { sourceStates } from '../../jobs/commands/sources.ts';
import { sourcesContext } from '../../jobs/app/perform-fetching.ts';
import { openSnapshots } from '../../jobs/app/open-snapshots.ts';
import type { Config } from '../../jobs/config.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { critical, type Findings, notice, warning } from './finding.ts';

/** Ticks that may be missing before the jobs count as stopped. */
const MISSED_TICKS = 3;
const MIN_SILENCE_MS = 120_000;
const MAX_AHEAD_MS = 60_000;

export interface RunContext {
  readonly config: Config;
  readonly nowMs: () => number;
  readonly random: () => number;
}

export async function statusOfFolder({ config, nowMs, random }: RunContext): Promise<Status> {
  const { settings, paths } = config;
  const effects = { nowMs, random };
  const sources = await sourceStates(sourcesContext(config, effects));
  const snapshots = openSnapshots(config, effects);
  const folder = { disk: nodeDisk, dataDir: settings.data_dir, snapshots, ledger: paths.ledger };
  return readStatus({ ...folder, sources, nowMs: nowMs() });
}

/** Damage and contradictions, as `status` lists them. */
export const damageFindings = ({ faults }: Status, config: Config): Findings =>
  faults.map((fault) =>
    critical(
      fault,
      `See docs/reliability.md, “What stops the jobs”; ${commandFor(config, 'verify')} reads every file.`,
    ),
  );

/** Whether ticks end. Works from the ledger, so it needs no running program. */
export function tickFindings({ runs, version }: Status, config: Config, nowMs: number): Findings {
  const { tick_seconds } = config.settings;
  const last = runs.at(-1);
  const start = `Start the jobs (${commandFor(config, 'schedule')}), and read their log.`;
  if (last === undefined) return [warning('the jobs have never run in this data folder.', start)];
  const age = nowMs - Date.parse(last.at);
  const silence = Math.max(MISSED_TICKS * tick_seconds * 1000, MIN_SILENCE_MS);
  const found: Findings[number][] = [];
  if (age > silence)
    found.push(
      critical(
        `the jobs have done nothing since ${last.at}, for ${spanOf(age)}; a tick is due every ${tick_seconds} s.`,
        start,
      ),
    );
  if (last.state === 'failed')
    found.push(
      critical(
        `the last run failed: ${(last.reasons ?? []).join('; ') || 'no reason is recorded'}.`,
        `Correct the cause, and run ${commandFor(config, 'run')}.`,
      ),
    );
  if (version === null && last.state !== 'started')
    found.push(warning('nothing is published.', `See ${commandFor(config, 'status')}.`));
  return found;
}

export function spanOf(ms: number): string {
  if (ms < HOUR_MS) return counted(Math.floor(ms / 60_000), 'minute');
  return ms < 2 * DAY_MS
    ? counted(Math.floor(ms / HOUR_MS), 'hour')
    : counted(Math.floor(ms / DAY_MS), 'day');
}

const URGENT_SOURCES = new Set(['failing', 'overdue', 'suspect', 'refused']);

export function sourceFindings({ sources, service }: Status, config: Config): Findings {
  const silent = service.reasons.find(({ code }) => code === 'fetching_stopped');
  const stopped =
    silent === undefined
      ? []
      : [
          critical(
            silent.message,
            `Start ${commandFor(config, 'schedule')} or ${commandFor(config, 'fetch --watch')}.`,
          ),
        ];
  const late = sources
    .filter(({ state }) => URGENT_SOURCES.has(state))
    .map(({ id, state, reason }) =>
      warning(
        `the source ${id} is ${state}${reason === null ? '' : `: ${reason}`}.`.replace(/\.\.$/, '.'),
        `Try it: ${commandFor(config, `sources check ${id}`)}`,
      ),
    );
  const keys = sources
    .filter(({ state }) => state === 'needs_key')
    .map(({ id, setting }) => `${id} (${setting ?? ''})`);
  const open =
    keys.length === 0
      ? []
      : [
          notice(
            `${counted(keys.length, 'source')} need${keys.length === 1 ? 's' : ''} a key: ${keys.join(', ')}.`,
            'Set it, or leave the source off.',
          ),
        ];
  return [...stopped, ...late, ...unread(service, sources, config), ...open];
}

/** Sources that are not fetched, such as files: the newest version says what its run could not read. */
function unread({ reasons }: Status['service'], fetched: Status['sources'], config: Config): Findings {
  const known = new Set(fetched.map(({ id }) => id));
  return reasons
    .filter(({ code, source }) => source !== null && !known.has(source) && URGENT_SOURCES.has(code))
    .map(({ message }) =>
      warning(
        `the last run found that ${message.replace(/\.$/, '')}.`,
        `Correct it, and run ${commandFor(config, 'run')}.`,
      ),
    );
}

/** What the newest version cannot say. */
export function heldFindings({ service, datasets }: Status, config: Config): Findings {
  const held = datasets
    .filter(({ gate, is_configured }) => gate === 'fail' && is_configured)
    .map(({ id }) => id);
  const withheld = service.reasons
    .filter(({ code }) => code === 'events_withheld')
    .map(({ message }) => message);
  const see = `The reasons: ${commandFor(config, 'status')}; refused rows: ${commandFor(config, 'quarantine list')}.`;
  return [
    ...(held.length === 0
      ? []
      : [
          warning(
            `${counted(held.length, 'dataset')} ${held.length === 1 ? 'is' : 'are'} held back: ${held.join(', ')}.`,
            see,
          ),
        ]),
    ...withheld.map((message) => warning(message, see)),
  ];
}

/** The clock against what was written by it. */
export function clockFindings({ as_of, runs }: Status, nowMs: number): Findings {
  const times = [as_of, runs.at(-1)?.at].flatMap((at) =>
    at === null || at === undefined ? [] : [Date.parse(at)],
  );
  const ahead = Math.max(...times, 0) - nowMs;
  if (ahead <= MAX_AHEAD_MS) return [];
  return [
    critical(
      `the clock of this machine is ${spanOf(ahead)} behind what was written last.`,
      'Correct it (chrony, systemd-timesyncd). If it was ahead before, see docs/reliability.md, “Something is more than a minute ahead”.',
    ),
  ];
}
