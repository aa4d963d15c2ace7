// What the checks of a cluster share.

/** @throws when their JSON differs */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (seen !== wanted) throw new Error(`${what}: ${seen.slice(0, 600)}, expected ${wanted.slice(0, 300)}`);
}

/** Status of a request that counts against the limits of a key. */
export const statusOf = async (url: string, key: string): Promise<number> => {
  const response = await fetch(`${url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
};
