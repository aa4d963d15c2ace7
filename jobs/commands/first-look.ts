// The first version of an empty folder: what needs little alone, so that there is something to read within seconds. Nothing of it is
// in the ledger: the tick that follows computes everything, from the beginning, and finds every event.

import type { PipelineContext } from '../pipeline/context.ts';
import { BEFORE_ALL } from '../pipeline/run/plan.ts';
import { wordsOf } from '../pipeline/run/report.ts';
import { run } from '../pipeline/run/run.ts';

export async function firstLook(world: PipelineContext): Promise<void> {
  const interval = { from: BEFORE_ALL, to: Math.floor(world.nowMs() / 1000) };
  try {
    const { version } = await run(narrowed(world), {
      interval,
      gather: true,
      detect: 'nothing',
      publish: true,
    });
    world.reporter.step('first look', { version });
  } catch (error) {
    world.reporter.warn(`no first look: ${wordsOf(error)}`);
  }
}

/** The same world, with the domains of the first look and without detectors. */
export function narrowed(world: PipelineContext): PipelineContext {
  const domains = world.domains.filter(({ isFirstLook }) => isFirstLook);
  const ids = domains.map(({ id }) => id);
  const tables = new Set(domains.flatMap(({ raw }) => raw.map(({ name }) => name)));
  const isOurs = ({ domain }: { readonly domain: string }) => ids.includes(domain);
  return {
    ...world,
    domains,
    models: {
      models: world.models.models.filter(isOurs),
      events: [],
      audits: world.models.audits.filter(isOurs),
    },
    sources: world.sources.filter(({ table }) => tables.has(table)),
  };
}
