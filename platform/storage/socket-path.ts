// The path by which a local socket in a folder is opened. Operating systems limit the length of such a path, but not of a folder's.
import { closeSync, existsSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Bytes: 107 on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 103;
/** On Linux, the folders that this process has open. */
const OPEN_FOLDERS = '/proc/self/fd';

export interface SocketPath {
  /** Valid until the release. */
  readonly path: string;
  readonly release: () => void;
}

/**
 * A path that is too long goes through its folder, which stays open until the release.
 * @throws if the folder does not exist, or if a long path cannot be shortened on this system
 */
export function openSocketPath(path: string): SocketPath {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH) return { path, release: () => undefined };
  if (!existsSync(OPEN_FOLDERS))
    throw new Error(
      `${path} has ${bytes} bytes, and the path of a socket at most ${MAX_SOCKET_PATH}: choose a shorter data folder.`,
    );
  const folder = openSync(dirname(path), 'r');
  return { path: join(OPEN_FOLDERS, String(folder), basename(path)), release: () => closeSync(folder) };
}
