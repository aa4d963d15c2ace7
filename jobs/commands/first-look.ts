// The first version of an empty folder contains only what is quick to compute, so that there is something to read within seconds. The
// ledger does not record it: the tick that follows computes everything from the beginning and finds every event.

import type { PipelineContext } from '../pipeline/context.ts';
import { BEFORE_ALL } from '../define/source.ts';
import { messageOf } from '../pipeline/run/report.ts';
import { run } from '../pipeline/run/run.ts';

export async function firstLook(context: PipelineContext): Promise<void> {
  const interval = { from: BEFORE_ALL, to: Math.floor(context.nowMs() / 1000) };
  try {
    const { version } = await run(narrowed(context), {
      interval,
      gather: true,
      detect: 'nothing',
      publish: true,
    });
    context.reporter.step('first look', { version });
  } catch (error) {
    context.reporter.warn(`no first look: ${messageOf(error)}`);
  }
}

/** The same context with only the domains of the first version, and without detectors and series. */
export function narrowed(context: PipelineContext): PipelineContext {
  const domains = context.domains
    .filter(({ isFirstLook }) => isFirstLook)
    .map((domain) => ({ ...domain, datasets: domain.datasets.map(({ series: _, ...rest }) => rest) }));
  const ids = domains.map(({ id }) => id);
  const tables = new Set(domains.flatMap(({ raw }) => raw.map(({ name }) => name)));
  const isOurs = ({ domain }: { readonly domain: string }) => ids.includes(domain);
  return {
    ...context,
    domains,
    postponed: context.domains.filter(({ isFirstLook }) => isFirstLook !== true),
    models: {
      models: context.models.models.filter(isOurs),
      events: [],
      audits: context.models.audits.filter(isOurs),
    },
    sources: context.sources.filter(({ table }) => tables.has(table)),
  };
}
