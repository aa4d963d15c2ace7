// The domains whose models have cases: every folder under jobs/ that holds SQL models, with what it exports.
import { existsSync, readdirSync } from 'node:fs';
import type { PolicyTable, RawTable } from '../../jobs/define.ts';
import type { ModelFolder } from '../../jobs/pipeline/model.ts';

const JOBS = new URL('../../jobs/', import.meta.url);

export async function caseDomains(): Promise<readonly ModelFolder[]> {
  const domains: ModelFolder[] = [];
  for (const entry of readdirSync(JOBS, { withFileTypes: true }).filter((one) => one.isDirectory())) {
    const folder = new URL(`${entry.name}/`, JOBS);
    if (entry.name === 'engine' || !readdirSync(folder).some((name) => name.endsWith('.sql'))) continue;
    const raw = await exportsOf<RawTable>(new URL('raw.ts', folder), 'fields');
    const policy = await exportsOf<PolicyTable>(new URL('policy.ts', folder), 'columns');
    domains.push({ id: entry.name, folder, raw, policy });
  }
  return domains;
}

async function exportsOf<T>(file: URL, mark: string): Promise<readonly T[]> {
  if (!existsSync(file)) return [];
  const module = (await import(file.href)) as { readonly [name: string]: unknown };
  return Object.values(module).filter(
    (value): value is T => typeof value === 'object' && value !== null && mark in value,
  );
}
