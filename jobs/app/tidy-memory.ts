// Between the steps of a run and between runs: writes the rows that are not in the warehouse's file yet, frees what is no longer used, and
// returns freed memory to the system. Each column of a table with such rows takes a block, however few they are, the runtime waits long
// before it collects garbage, and the C library keeps what was freed for later use, so a process would otherwise stay as large as its
// largest run.

/** A tick of the demo leaves up to 180 MB. A checkpoint takes half a second of processor time after it, in which no run waits. */
const MAX_UNWRITTEN_BYTES = 128 * 1024 * 1024;

/**
 * Blocks of the file that stay in memory after a checkpoint. Without a bound, the whole file would, up to the limit of the engine: more with
 * each hour, although runs need the newest rows only. The system has them cached.
 */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** What this process may have added to its objects and buffers since they were last collected. The runtime alone lets them grow by 480 MB. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

/** The objects and buffers of this process. */
export interface ProcessMemory {
  usedBytes(): number;
  /** Frees what is no longer used. */
  collectGarbage(): void;
}

interface MemoryUser {
  unwrittenBytes(): Promise<number>;
  checkpoint(): Promise<void>;
  dropCachedBlocks(maxBytes: number): Promise<void>;
  releaseMemory(): Promise<void>;
}

/** What a process does about its memory in a run and between runs. Without `memory`, it leaves unused objects to the runtime. */
export function memoryCare(db: MemoryUser, memory: ProcessMemory = UNMANAGED) {
  let afterLast = 0;
  const collect = async (): Promise<void> => {
    memory.collectGarbage();
    afterLast = memory.usedBytes();
    await db.releaseMemory();
  };
  return {
    /** Between two steps of a run. */
    async relieveMemory(): Promise<void> {
      if (memory.usedBytes() - afterLast >= MAX_GROWTH_BYTES) await collect();
    },
    /** Outside a transaction. */
    async tidyMemory(maxUnwrittenBytes = MAX_UNWRITTEN_BYTES): Promise<void> {
      if ((await db.unwrittenBytes()) >= maxUnwrittenBytes) {
        await db.checkpoint();
        await db.dropCachedBlocks(MAX_CACHED_BYTES);
      }
      await collect();
    },
  };
}

const UNMANAGED: ProcessMemory = { usedBytes: () => 0, collectGarbage: () => undefined };
