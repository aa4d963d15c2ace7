// Replaces the hash sets and maps of the SQL parser's runtime with ones based on Map. The originals are objects with millions of numeric
// keys that recount all members for every length; they take half of the parsing time.

interface Table<E> {
  readonly hashFunction: (key: unknown) => number;
  readonly equalsFunction: (one: unknown, other: unknown) => boolean;
  buckets?: Map<number, E[]>;
  size?: number;
}

interface Entry {
  readonly key: unknown;
  value: unknown;
}

const bucketOf = <E>(table: Table<E>, key: unknown): E[] | undefined =>
  table.buckets?.get(table.hashFunction(key));

const all = <E>({ buckets }: Table<E>): E[] => [...(buckets?.values() ?? [])].flat();

function insert<E>(table: Table<E>, key: unknown, entry: E): void {
  table.buckets ??= new Map();
  const hash = table.hashFunction(key);
  const bucket = table.buckets.get(hash);
  if (bucket === undefined) table.buckets.set(hash, [entry]);
  else bucket.push(entry);
  table.size = (table.size ?? 0) + 1;
}

function member(set: Table<unknown>, value: unknown): unknown {
  return bucketOf(set, value)?.find((one) => set.equalsFunction(value, one));
}

function entryOf(map: Table<Entry>, key: unknown): Entry | undefined {
  return bucketOf(map, key)?.find((one) => map.equalsFunction(key, one.key));
}

const length = {
  get(this: Table<unknown>): number {
    return this.size ?? 0;
  },
};

export const SET_MEMBERS: PropertyDescriptorMap & ThisType<Table<unknown>> = {
  add: {
    value(value: unknown): unknown {
      const known = member(this, value);
      if (known === undefined) insert(this, value, value);
      return known ?? value;
    },
  },
  has: {
    value(value: unknown): boolean {
      return member(this, value) !== undefined;
    },
  },
  get: {
    value(value: unknown): unknown {
      return member(this, value) ?? null;
    },
  },
  values: {
    value(): unknown[] {
      return all(this);
    },
  },
  length,
};

export const MAP_MEMBERS: PropertyDescriptorMap & ThisType<Table<Entry>> = {
  set: {
    value(key: unknown, value: unknown): unknown {
      const known = entryOf(this, key);
      if (known === undefined) {
        insert(this, key, { key, value });
        return value;
      }
      const old = known.value;
      known.value = value;
      return old;
    },
  },
  containsKey: {
    value(key: unknown): boolean {
      return entryOf(this, key) !== undefined;
    },
  },
  get: {
    value(key: unknown): unknown {
      return entryOf(this, key)?.value ?? null;
    },
  },
  entries: {
    value(): Entry[] {
      return all(this);
    },
  },
  length,
};
