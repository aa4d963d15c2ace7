// The head of the audit log in a file next to the database, signed with the seal key and written after every change to the log. It reveals
// an older or foreign database.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderSync } from '../../platform/storage/disk.ts';
import type { Sealer } from './seal.ts';
import { StoreUnavailableError } from './store.ts';

export interface AuditHead {
  /** 0 for an empty log. */
  readonly seq: number;
  readonly hash: string;
}

const FORM = /^\{"hash":"([0-9a-f]{64}|)","mac":"([0-9a-f]{64})","seq":(0|[1-9]\d{0,15})\}\n$/;
const PURPOSE = 'head of the audit log';
const OWNER_ONLY_FILE = 0o600;

export const anchorPath = (store: string): string => `${store}-audit-head`;

export class AuditAnchor {
  readonly path: string;
  readonly #sealer: Pick<Sealer, 'mac'>;

  /** `store`: path of the database. */
  constructor(store: string, sealer: Pick<Sealer, 'mac'>) {
    this.path = anchorPath(store);
    this.#sealer = sealer;
  }

  /** Undefined if the file does not exist. @throws StoreUnavailableError if its contents are not what was written. */
  read(): AuditHead | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const [, hash, mac, seq] = FORM.exec(text) ?? [];
    const head = { seq: Number(seq), hash: hash ?? '' };
    if (seq === undefined || mac !== this.#macOf(head))
      throw new StoreUnavailableError(
        `${this.path} is damaged or belongs to another installation. Restore it from a backup.`,
      );
    return head;
  }

  /** Atomic, even on power loss. */
  write(head: AuditHead): void {
    const temporary = `${this.path}.${process.pid}.tmp`;
    const text = `{"hash":"${head.hash}","mac":"${this.#macOf(head)}","seq":${head.seq}}\n`;
    try {
      writeFileSync(temporary, text, { mode: OWNER_ONLY_FILE, flush: true });
      renameSync(temporary, this.path);
    } finally {
      rmSync(temporary, { force: true });
    }
    syncFolderSync(dirname(this.path));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  #macOf({ seq, hash }: AuditHead): string {
    return this.#sealer.mac(`${seq} ${hash}`, PURPOSE);
  }
}
