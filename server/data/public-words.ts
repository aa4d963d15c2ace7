// Words faults for callers without a key: the file and its problem, but not its folder on this machine.
/** Absolute paths, of either kind of system; those in a URL have a slash before them, or a host. */
const ABSOLUTE = /(?<![\w.:/\\-])(?:\/|[A-Za-z]:[\\/])(?:[^\s'"`,;:()]+[\\/])+[^\s'"`,;:()]*/g;

/** The text with paths below `folders` made relative to them, and only the file name of any other absolute path. */
export function withoutPaths(text: string, folders: readonly string[]): string {
  const known = folders.toSorted((a, b) => b.length - a.length);
  const relative = known.reduce((words, folder) => words.replaceAll(`${folder}/`, ''), text);
  return relative.replace(ABSOLUTE, (path) => path.split(/[\\/]/).at(-1) ?? '');
}
