// The context of `detect`: the landed rows of a data folder, a changed policy and an in-memory warehouse. The folder is read without its
// lock, so `detect` works while jobs run, and nothing in it is changed.
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { WhatIfContext } from '../commands/detect.ts';
import { changedSection, type PolicyChange, type ThresholdOfType } from '../commands/policy-changes.ts';
import type { Config } from '../config.ts';
import type { Domain } from '../define/domain.ts';
import { openDuckDb } from '../engine/duckdb/duckdb.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import { settableNames } from '../families/event-rules/rules.ts';
import { readLanding } from '../ingest/read-landing.ts';
import { loadPolicy, type Policy } from '../policies.ts';
import { domains as everything } from '../registry.ts';
import { type Effects, loadWarehouse } from './open-context.ts';
import { openSnapshots } from './open-snapshots.ts';

export interface Question {
  readonly type: string;
  readonly changes: readonly PolicyChange[];
}

export type WhatIfEffects = Pick<Effects, 'nowMs' | 'random' | 'reporter' | 'cores' | 'domains'> & {
  /** Distinguishes the spill folders of concurrent processes. */
  readonly processId: string;
};

export interface WhatIfRequest {
  readonly config: Config;
  readonly effects: WhatIfEffects;
  readonly question: Question;
}

const MAX_ATTEMPTS = 3;

/**
 * Opens a context for the question and passes it to `answer`. Retries if a running job has compacted files in the meantime.
 * @throws UsageError when nothing has landed in the folder, SettingsError for an invalid policy change.
 */
export async function askWhatIf<T>(
  request: WhatIfRequest,
  answer: (context: WhatIfContext) => Promise<T>,
  attempt = 1,
): Promise<T> {
  const { context, close } = await openWhatIf(request);
  try {
    return await answer(context);
  } catch (error) {
    if (attempt === MAX_ATTEMPTS || !hasLostFiles(context)) throw error;
  } finally {
    await close();
  }
  return askWhatIf(request, answer, attempt + 1);
}

const hasLostFiles = ({ domains, landing }: WhatIfContext): boolean =>
  domains
    .flatMap(({ raw }) => raw)
    .flatMap(({ name }) => landing.files(name))
    .some((file) => !existsSync(file));

async function openWhatIf({
  config,
  effects,
  question,
}: WhatIfRequest): Promise<{ readonly context: WhatIfContext; close(): Promise<void> }> {
  const { domains = everything, nowMs, reporter } = effects;
  const { settings, paths } = config;
  if (!existsSync(paths.landing)) {
    throw new UsageError(
      `detect: nothing has landed in ${resolve(settings.data_dir)}. Check --data-dir, or run the jobs first.`,
    );
  }
  const policy = policyAsked(config, domains, question);
  const spillFolder = join(paths.temporary, `what-if-${effects.processId}`);
  const db = await emptyWarehouse(config, effects.cores, spillFolder);
  const close = async () => {
    await db.close();
    rmSync(spillFolder, { recursive: true, force: true });
  };
  try {
    const { warehouse, models } = await loadWarehouse(db, { policy, domains });
    const landing = await readLanding({ disk: nodeDisk, dir: settings.data_dir });
    const snapshots = openSnapshots(config, effects);
    return {
      context: { settings, policy, domains, models, warehouse, landing, snapshots, nowMs, reporter },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function policyAsked(config: Config, domains: readonly Domain[], { type, changes }: Question) {
  if (changes.length === 0) return config.policy;
  const section = changedSection(config.policy_section, changes, thresholdOf(config.policy, domains, type));
  return loadPolicy(section, [...everything, ...domains]);
}

function emptyWarehouse({ settings }: Config, cores: number, tempDir: string): Promise<DuckDb> {
  const { duckdb_memory_limit: memoryLimit, duckdb_threads: threads } = settings;
  return openDuckDb({ file: ':memory:', memoryLimit, threads: threads === 0 ? cores : threads, tempDir });
}

function thresholdOf(policy: Policy, domains: readonly Domain[], type: string): ThresholdOfType {
  const detector = domains.flatMap(({ detectors }) => detectors).find((one) => one.type === type);
  const names = detector === undefined ? [] : settableNames(detector, policy);
  return { type, path: detector?.threshold ?? null, names };
}
