// A world for questions: the landed rows, the domains and the lock of a data folder, with another policy and a warehouse of its own that
// goes when the question is answered. The folder's own warehouse is not opened, so that no answer can change it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy } from '../schemas/load-policy.ts';
import { changedSection, type PolicyChange } from './commands/policy-changes.ts';
import type { Config } from './config.ts';
import type { Domain } from './define.ts';
import { type Effects, type OpenedWorld, openWorld } from './open-world.ts';
import { domains as everything } from './registry.ts';

export interface Question {
  readonly type: string;
  readonly changes: readonly PolicyChange[];
}

/** @throws SettingsError for a change that the policy cannot take, InstanceRunningError when another process holds the folder. */
export async function openWhatIf(config: Config, effects: Effects, question: Question): Promise<OpenedWorld> {
  const domains = effects.domains ?? everything;
  const section = changedSection(
    config.policy_section,
    question.changes,
    thresholdOf(domains, question.type),
  );
  const warehouse = join(config.paths.temporary, 'what-if.duckdb');
  const asked: Config = {
    ...config,
    policy: loadPolicy(question.changes.length === 0 ? config.policy_section : section),
    paths: { ...config.paths, warehouse },
  };
  // The lock is taken first, and with it the right to a name that is always the same: what a crash left behind is set aside by it.
  const opened = await openWorld(asked, { ...effects, isRebuild: true, isStart: false });
  return {
    world: opened.world,
    async close() {
      await opened.close();
      for (const ending of ['', '.wal', '.replaced', '.replaced.wal'])
        rmSync(`${warehouse}${ending}`, { force: true });
    },
  };
}

const thresholdOf = (domains: readonly Domain[], type: string): string | null =>
  domains.flatMap(({ detectors }) => detectors).find((detector) => detector.type === type)?.threshold ?? null;
