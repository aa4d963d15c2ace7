// Domains narrowed to some event types, for pipelines that do not need every family: a detector needs the tables it reads.
import { readdirSync } from 'node:fs';
import type { Domain } from '../../jobs/define/domain.ts';
import { linkedFolder } from './linked-folder.ts';

/** Keeps the types that start with one of `beginnings`, for example `oracle.` or `mev.spike`; without any, keeps no events. */
export const withEvents = (domains: readonly Domain[], ...beginnings: readonly string[]): readonly Domain[] =>
  domains.map((domain) => narrowed(domain, beginnings));

function narrowed(domain: Domain, beginnings: readonly string[]): Domain {
  const detectors = domain.detectors.filter(({ type }) =>
    beginnings.some((beginning) => type.startsWith(beginning)),
  );
  if (detectors.length === domain.detectors.length) return domain;
  const wanted = detectors.map(({ type }) => `event.${type}.sql`);
  const files = readdirSync(domain.folder).filter(
    (name) => name.endsWith('.sql') && (!name.startsWith('event.') || wanted.includes(name)),
  );
  return { ...domain, folder: linkedFolder(domain, files), detectors };
}
