import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findJava, NotAvailableError } from './install.ts';

test('the newest Java that is new enough is taken, and JAVA_HOME before it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'java-'));
  const install = (name: string, version: string) => {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'release'), `IMPLEMENTOR="x"\nJAVA_VERSION="${version}"\n`);
    return join(dir, name);
  };
  try {
    const old = install('jdk-17', '17.0.2');
    expect(() => findJava(undefined, dir)).toThrow(NotAvailableError);
    const newer = install('jdk-25', '25.0.1');
    const newest = install('jdk-26', '26');
    expect(findJava(old, dir)).toBe(newest);
    expect(findJava(newer, dir)).toBe(newer);
    expect(() => findJava(undefined, join(dir, 'nowhere'))).toThrow('needs Java 24 or newer');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
