// Reads the text of a `.env` file: `NAME=value` lines, `export` allowed, values bare or quoted, comments after `#`. Nothing is substituted
// inside values. Parsed by hand because util.parseEnv silently drops lines that it cannot read; here they are reported with their number.

export interface DotEnvLine {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

export interface DotEnv {
  readonly entries: readonly DotEnvLine[];
  /** Lines that are neither an assignment nor a comment nor blank. */
  readonly unreadable: readonly { readonly line: number; readonly text: string }[];
}

const ASSIGNMENT =
  /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(?!["'])((?:[^\s#]|\s(?!\s*#)|(?<=\S)#)*))\s*(?:(?<=["'\s=])#.*)?$/;

export function parseDotEnv(text: string): DotEnv {
  const entries: DotEnvLine[] = [];
  const unreadable: { line: number; text: string }[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = raw.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const found = ASSIGNMENT.exec(trimmed);
    const name = found?.[1];
    if (found === null || name === undefined) unreadable.push({ line: index + 1, text: trimmed });
    else entries.push({ line: index + 1, name, value: (found[2] ?? found[3] ?? found[4] ?? '').trim() });
  }
  return { entries, unreadable };
}
