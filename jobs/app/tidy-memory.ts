// Between runs: writes the rows that are not in the warehouse's file yet, and returns freed memory to the system. Each column of a table with
// such rows takes a block, however few they are, and the C library keeps what was freed for later use, so a process would otherwise stay as
// large as its largest run.

/** A tick of the demo leaves up to 180 MB. A checkpoint takes half a second of processor time after it, in which no run waits. */
const MAX_UNWRITTEN_BYTES = 128 * 1024 * 1024;

/** Buffers of results and of rows to append, beyond which a run frees those that are no longer used. The runtime alone lets them grow to 500 MB. */
const MAX_BUFFER_BYTES = 96 * 1024 * 1024;

/** Frees the objects of this process that are no longer used, if its buffers take more than so many bytes. */
export type CollectGarbage = (aboveBufferBytes: number) => void;

interface MemoryUser {
  unwrittenBytes(): Promise<number>;
  checkpoint(): Promise<void>;
  releaseMemory(): Promise<void>;
}

/** What a process does about its memory during a run and between runs. Without a collector, it leaves unused objects to the runtime. */
export const memoryCare = (db: MemoryUser, collectGarbage: CollectGarbage = () => undefined) => ({
  relieveMemory: (): void => collectGarbage(MAX_BUFFER_BYTES),
  async tidyMemory(): Promise<void> {
    if ((await db.unwrittenBytes()) >= MAX_UNWRITTEN_BYTES) await db.checkpoint();
    collectGarbage(0);
    await db.releaseMemory();
  },
});
