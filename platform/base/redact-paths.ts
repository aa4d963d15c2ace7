// Faults for readers elsewhere: names the file and its problem, but not its folder on this machine.

/** Absolute POSIX and Windows paths. A path in a URL does not match, because a slash or a host precedes it. */
const ABSOLUTE = /(?<![\w.:/\\-])(?:\/|[A-Za-z]:[\\/])(?:[^\s'"`,;:()]+[\\/])+[^\s'"`,;:()]*/g;

/** The text with paths below `folders` made relative to them, and any other absolute path reduced to its file name. */
export function withoutPaths(text: string, folders: readonly string[]): string {
  const known = folders.toSorted((a, b) => b.length - a.length);
  const relative = known.reduce((message, folder) => message.replaceAll(`${folder}/`, ''), text);
  return relative.replace(ABSOLUTE, (path) => path.split(/[\\/]/).at(-1) ?? '');
}
