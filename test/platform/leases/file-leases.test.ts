import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { FileLeases } from '../../../platform/leases/leases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { leasesConform } from './leases-conformance.ts';

const folder = temporaryFolder('file-leases');

leasesConform(async () => {
  const dir = mkdtempSync(join(folder, 'leases-'));
  const open = () => new FileLeases((name) => join(dir, `${name}.lock`));
  return { one: open(), other: open() };
});
