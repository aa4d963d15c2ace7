import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { filesBelow } from './support/corrupt.ts';
import { withFolder } from './support/world.ts';

const SCRIPT = fileURLToPath(new URL('processes/publish-once.ts', import.meta.url));

const ENVIRONMENTS = [
  { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
  { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
  { TZ: 'Pacific/Apia', LANG: 'sv_SE.UTF-8', LC_ALL: 'sv_SE.UTF-8' },
  { TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
];

test('the same input produces the same files and bytes in any time zone and locale', () =>
  withFolder(async (dir) => {
    const folders = await Promise.all(
      ENVIRONMENTS.map(async (environment, i) => {
        const folder = join(dir, String(i));
        await promisify(execFile)(process.execPath, [SCRIPT, folder], {
          env: { ...process.env, ...environment },
        });
        const files = await filesBelow(folder);
        return await Promise.all(
          files.map(async (file) => [file.slice(folder.length), (await nodeDisk.read(file)).toString()]),
        );
      }),
    );
    expect(folders[0]).toHaveLength(4);
    for (const files of folders) expect(files).toEqual(folders[0]);
  }));
