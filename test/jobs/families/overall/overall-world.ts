// The overall score over a pipeline of its own: the domains whose tables it reads, what is published of them, and what was refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../../../jobs/define/source.ts';
import { development } from '../../../../jobs/families/development/domain.ts';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { overall } from '../../../../jobs/families/overall/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import type { OverallReceipt, OverallScore } from '../../../../schemas/overall.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { inWorld, publishedManifest } from '../../../support/pipeline-world.ts';

export const DOMAINS = [sources, development, governance, social, overall] as const;

export interface Walk {
  readonly now: number;
  /** Ends of the runs; the last one publishes. */
  readonly ends?: readonly number[];
  readonly config?: Json;
  /** Instead of those of the configuration. */
  readonly sources?: readonly Source[];
}

/** Runs and publishes; answers what `look` finds in the world after the last run. */
export async function publishOverall<T = void>(
  dir: string,
  { now, ends = [now], config, sources }: Walk,
  look?: (world: PipelineContext) => Promise<T>,
): Promise<T | undefined> {
  const options = { now, domains: DOMAINS, ...(config === undefined ? {} : { config }) };
  return inWorld(dir, options, async (world) => {
    const watched = sources === undefined ? world : { ...world, sources };
    for (const [index, to] of ends.entries()) {
      const interval = { from: ends[index - 1] ?? -1, to };
      await run(watched, { interval, gather: true, detect: 'nothing', publish: index === ends.length - 1 });
    }
    return look?.(watched);
  });
}

function documentsOf<T>(dir: string, id: string): ReadonlyMap<string, readonly T[]> {
  const { sha256 } = publishedManifest(dir).datasets[id] ?? {};
  const lines = readFileSync(join(dir, 'snapshots/datasets', id, `${sha256}.ndjson`), 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly key: string; readonly value: readonly T[] })
      .map(({ key, value }) => [key, value]),
  );
}

export const scoresIn = (dir: string) => documentsOf<OverallScore>(dir, 'overall-scores');
export const receiptsIn = (dir: string) => documentsOf<OverallReceipt>(dir, 'overall-receipts');
