// Computes a model with the operation of the warehouse that matches its kind.
import type { ModelTable } from './model.ts';
import type { Parameters } from './parameters.ts';
import type { Warehouse } from './warehouse.ts';

/** Computes a model that is not `append` for the given window. Resolves to the number of rows written; a view writes none. */
export async function materialize(
  warehouse: Pick<Warehouse, 'view' | 'rebuild' | 'replace' | 'merge'>,
  model: ModelTable,
  window: Parameters,
): Promise<number> {
  switch (model.kind) {
    case 'view':
      await warehouse.view(model, window);
      return 0;
    case 'full':
      return warehouse.rebuild(model, window);
    case 'window':
      return warehouse.replace(model, window);
    case 'merge':
      return warehouse.merge(model, window);
    case 'append':
      throw new Error(`${model.file} is an append model: it absorbs landed files.`);
  }
}
