// Finds the files that a path or glob means: `*` and `?` inside a name, `**` for any folders, `{a,b}` for either. Sorted, so that files are
// read in the same order everywhere.

/** The one effect that is needed; `Disk` has it. */
export interface Folders {
  readdir(path: string): Promise<string[]>;
}

const SPECIAL = /[*?{[]/;

export const isGlob = (path: string): boolean => SPECIAL.test(path);

/** Absolute paths, sorted. A path without special characters is answered as it is, whether there is a file or not. */
export async function findFiles(folders: Folders, path: string): Promise<string[]> {
  if (!isGlob(path)) return [path];
  const found = new Set<string>();
  for (const pattern of alternatives(path)) {
    const [first = '', ...steps] = pattern.split('/');
    await walk(folders, { at: first, steps, found });
  }
  return [...found].sort();
}

interface Walk {
  readonly at: string;
  readonly steps: readonly string[];
  readonly found: Set<string>;
}

async function walk(folders: Folders, { at, steps, found }: Walk): Promise<void> {
  const [step, ...rest] = steps;
  if (step === undefined) {
    found.add(at);
  } else if (step === '**') {
    await walk(folders, { at, steps: rest, found });
    for (const name of await namesIn(folders, at)) {
      if (!name.startsWith('.')) await walk(folders, { at: `${at}/${name}`, steps, found });
    }
  } else if (!isGlob(step)) {
    const isThere =
      rest.length > 0 || step === '.' || step === '..' || (await namesIn(folders, at)).includes(step);
    if (isThere) await walk(folders, { at: `${at}/${step}`, steps: rest, found });
  } else {
    const form = patternOf(step);
    for (const name of await namesIn(folders, at)) {
      if (form.test(name)) await walk(folders, { at: `${at}/${name}`, steps: rest, found });
    }
  }
}

/** Names in a folder; none where there is no folder. */
async function namesIn(folders: Folders, path: string): Promise<string[]> {
  try {
    return (await folders.readdir(path === '' ? '/' : path)).sort();
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** `a{b,c}d` -> `abd`, `acd` */
function alternatives(path: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(path);
  if (match === null) return [path];
  const [, before = '', inside = '', after = ''] = match;
  return inside.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}

/** A leading dot must be written out, as in a shell. */
function patternOf(step: string): RegExp {
  const text = step
    .replace(/[.+^$()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${/^[*?[]/.test(step) ? '(?!\\.)' : ''}${text}$`, 's');
}
