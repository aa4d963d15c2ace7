// Which landed files are in the `append` models if some models are kept in both places: a file counts as absorbed once both have it.
import type { AbsorbedFile, AbsorbedFiles } from '../warehouse.ts';
import type { Part, Home } from './part.ts';
import type { Plan } from './plan.ts';

export function absorbedInBoth({
  parts,
  plan,
}: {
  readonly parts: readonly (readonly [Home, Part])[];
  readonly plan: () => Plan;
}): AbsorbedFiles {
  const each = <T>(ask: (files: AbsorbedFiles) => Promise<T>) =>
    Promise.all(parts.map(([, { absorbed }]) => ask(absorbed)));
  return {
    async list(models) {
      const lists = await Promise.all(
        parts.map(async ([home, { absorbed }]) => {
          const kept = models.filter((name) => plan().get(name)?.homes.has(home) === true);
          return (await absorbed.list(kept)).map((one) => ({ ...one, home }));
        }),
      );
      const held = Map.groupBy(lists.flat(), ({ model, file }) => `${model} ${file}`);
      return [...held.values()]
        .map((ones) => merged(plan(), ones))
        .sort((a, b) => order(a.file, b.file) || order(a.model, b.model));
    },
    adopt: async (model, compacted) => void (await each((files) => files.adopt(model, compacted))),
    async firstTime(of) {
      const times = (await each((files) => files.firstTime(of))).filter((time) => time !== null);
      return times.length === 0 ? null : Math.min(...times);
    },
    async lateModels(before) {
      return [...new Set((await each((files) => files.lateModels(before))).flat())].sort();
    },
    settle: async () => void (await each((files) => files.settle())),
  };
}

type HomedFile = AbsorbedFile & { readonly home: Home };

/** A file that one place still lacks is listed as held by the other alone: it is absorbed again, but must still be in landing. */
function merged(plan: Plan, ones: readonly HomedFile[]): AbsorbedFile {
  const [{ model, file, sha256, home }] = ones as readonly [HomedFile];
  const isWhole = ones.length === plan.get(model)?.homes.size;
  return { model: isWhole ? model : `${model} (${home} alone)`, file, sha256 };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
